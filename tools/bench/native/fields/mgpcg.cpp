// Poisson's equation in three dimensions by conjugate gradients with a
// multigrid preconditioner: 7-point stencil, zero Dirichlet values outside,
// red-black Gauss-Seidel, 2x2x2 averages between the levels. Every level is a
// table of blocks; a block missing at the finest level is outside the domain.
#include <omp.h>

#include <cmath>
#include <vector>

#ifndef SCALAR
#define SCALAR float
#endif
using Real = SCALAR;

constexpr int kSide = 8;  // cells along a side of a block
constexpr int kCells = kSide * kSide * kSide;
constexpr int kSmooth = 2;   // sweeps before and after
constexpr int kBottom = 20;  // sweeps at the coarsest level

// A row of a block. It may lie anywhere: rows beside it are read shifted.
typedef Real Row __attribute__((vector_size(kSide * sizeof(Real)),
                                aligned(sizeof(Real)), may_alias));
const auto kOdd = Row{0, 1, 0, 1, 0, 1, 0, 1} != Row{};

// Values of all blocks of a level, one block after the other; a row of room
// at both ends, for reads that are shifted. The first block stays zero.
class Field {
 public:
  explicit Field(int blocks = 0)
      : values_((blocks * kSide * kSide + 2) * kSide) {}
  Row& row(int block, int i, int j) {
    return *(Row*)&values_[kSide + block * kCells + (i * kSide + j) * kSide];
  }
  Real& at(int block, int i, int j, int k) {
    return values_[kSide + block * kCells + (i * kSide + j) * kSide + k];
  }

 private:
  std::vector<Real> values_;
};

struct Level {
  int side;                // blocks along a side, one more at both ends
  int blocks = 1;          // the first is for all that are missing
  std::vector<int> table;  // number of a block
  std::vector<int> place;  // where in the table a block is
  Field z, r;

  Level(int n) : side(n / kSide + 2), table(side * side * side), place(1) {}

  int index(int i, int j, int k) const {
    return ((i + 1) * side + j + 1) * side + k + 1;
  }

  void activate(int where) {
    if (table[where] != 0) return;
    table[where] = blocks++;
    place.push_back(where);
  }

  void allocate() { z = Field(blocks), r = Field(blocks); }

  // Sum of the six neighbours of every cell in a row.
  Row around(Field& u, int b, int i, int j) const {
    const int p = place[b], last = kSide - 1;
    Row left = *(Row*)(&u.at(b, i, j, 0) - 1);
    Row right = *(Row*)(&u.at(b, i, j, 0) + 1);
    left[0] = u.at(table[p - 1], i, j, last);
    right[last] = u.at(table[p + 1], i, j, 0);
    return left + right +
           (j > 0 ? u.row(b, i, j - 1) : u.row(table[p - side], i, last)) +
           (j < last ? u.row(b, i, j + 1) : u.row(table[p + side], i, 0)) +
           (i > 0 ? u.row(b, i - 1, j)
                  : u.row(table[p - side * side], last, j)) +
           (i < last ? u.row(b, i + 1, j)
                     : u.row(table[p + side * side], 0, j));
  }

  // Gauss-Seidel on the cells of one colour.
  void relax(int colour) {
#pragma omp parallel for schedule(static)
    for (int b = 1; b < blocks; b++)
      for (int i = 0; i < kSide; i++)
        for (int j = 0; j < kSide; j++) {
          const Row fresh = (around(z, b, i, j) + r.row(b, i, j)) / Real(6);
          Row& old = z.row(b, i, j);
          old = (i + j + colour) % 2 == 0 ? (kOdd ? old : fresh)
                                          : (kOdd ? fresh : old);
        }
  }

  // The first red half sweep from zero.
  void start() {
#pragma omp parallel for schedule(static)
    for (int b = 1; b < blocks; b++)
      for (int i = 0; i < kSide; i++)
        for (int j = 0; j < kSide; j++) {
          const Row fresh = r.row(b, i, j) / Real(6), zero{};
          z.row(b, i, j) =
              (i + j) % 2 == 0 ? (kOdd ? zero : fresh) : (kOdd ? fresh : zero);
        }
  }
};

class Poisson {
 public:
  Poisson(int n, int levels, int count, const int* blocks) : n_(n) {
    for (int l = 0; l < levels; l++) levels_.emplace_back(n >> l);
    for (int c = 0; c < count; c++) {
      const int* at = blocks + 3 * c;
      for (int l = 0; l < levels; l++)
        levels_[l].activate(
            levels_[l].index(at[0] >> l, at[1] >> l, at[2] >> l));
    }
    for (Level& level : levels_) level.allocate();
    for (Field* f : {&x_, &p_, &q_}) *f = Field(levels_[0].blocks);
  }

  // Copies between an array over the whole cube and the blocks.
  void set(const Real* b) {
    for_cells([&](int cell, int block, int i, int j, int k) {
      levels_[0].r.at(block, i, j, k) = b[cell];
      x_.at(block, i, j, k) = 0;
    });
  }
  void get(Real* x) {
    for_cells([&](int cell, int block, int i, int j, int k) {
      x[cell] = x_.at(block, i, j, k);
    });
  }

  int solve(double tolerance, int most, double* norms) {
    double rho = 0;
    norms[0] = std::sqrt(dot(levels_[0].r, levels_[0].r));
    for (int iteration = 0; iteration < most; iteration++) {
      if (norms[iteration] <= tolerance * norms[0]) return iteration;
      precondition(0);
      const double before = rho;
      rho = dot(levels_[0].z, levels_[0].r);
      follow(iteration == 0 ? 0 : rho / before);
      norms[iteration + 1] = std::sqrt(advance(rho / multiply()));
    }
    return most;
  }

  // One V-cycle from zero: z from r.
  void precondition(int l) {
    Level& level = levels_[l];
    const bool coarsest = l + 1 == (int)levels_.size();
    const int sweeps = coarsest ? kBottom : kSmooth;
    level.start();
    for (int half = 1; half < 2 * sweeps; half++) level.relax(half % 2);
    if (coarsest) {
      for (int half = 2 * sweeps - 2; half >= 0; half--) level.relax(half % 2);
      return;
    }
    restrict_residual(l);
    precondition(l + 1);
    prolongate(l);
    for (int half = 2 * sweeps - 1; half >= 0; half--) level.relax(half % 2);
  }

  // One step of the plain iteration x <- x + V (b - A x), from r.
  void iterate() {
    precondition(0);
    follow(0);
    multiply();
    advance(1);
  }

 private:
  int n_;
  std::vector<Level> levels_;
  Field x_, p_, q_;

  template <class F>
  void for_cells(F f) {
    for (int i = 0; i < n_; i++)
      for (int j = 0; j < n_; j++)
        for (int k = 0; k < n_; k++) {
          const Level& level = levels_[0];
          const int block =
              level.table[level.index(i / kSide, j / kSide, k / kSide)];
          if (block != 0)
            f((i * n_ + j) * n_ + k, block, i % kSide, j % kSide, k % kSide);
        }
  }

  double dot(Field& a, Field& b) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int block = 1; block < levels_[0].blocks; block++) {
      Row rows{};
      for (int i = 0; i < kSide; i++)
        for (int j = 0; j < kSide; j++)
          rows += a.row(block, i, j) * b.row(block, i, j);
      for (int k = 0; k < kSide; k++) sum += rows[k];
    }
    return sum;
  }

  // p <- z + beta p
  void follow(Real beta) {
#pragma omp parallel for schedule(static)
    for (int b = 1; b < levels_[0].blocks; b++)
      for (int i = 0; i < kSide; i++)
        for (int j = 0; j < kSide; j++)
          p_.row(b, i, j) = levels_[0].z.row(b, i, j) + beta * p_.row(b, i, j);
  }

  // q <- A p; p . q
  double multiply() {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int b = 1; b < levels_[0].blocks; b++) {
      Row rows{};
      for (int i = 0; i < kSide; i++)
        for (int j = 0; j < kSide; j++) {
          const Row p = p_.row(b, i, j);
          const Row q = Real(6) * p - levels_[0].around(p_, b, i, j);
          q_.row(b, i, j) = q;
          rows += p * q;
        }
      for (int k = 0; k < kSide; k++) sum += rows[k];
    }
    return sum;
  }

  // x <- x + alpha p, r <- r - alpha q; r . r
  double advance(Real alpha) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int b = 1; b < levels_[0].blocks; b++) {
      Row rows{};
      for (int i = 0; i < kSide; i++)
        for (int j = 0; j < kSide; j++) {
          Row& r = levels_[0].r.row(b, i, j);
          x_.row(b, i, j) += alpha * p_.row(b, i, j);
          r -= alpha * q_.row(b, i, j);
          rows += r * r;
        }
      for (int k = 0; k < kSide; k++) sum += rows[k];
    }
    return sum;
  }

  // Where the cells of a block lie in the level below.
  struct Octant {
    int block, i, j, k;
  };
  Octant octant(int l, int b) {
    const int side = levels_[l].side, p = levels_[l].place[b];
    const int i = p / side / side - 1, j = p / side % side - 1,
              k = p % side - 1, half = kSide / 2;
    const Level& coarse = levels_[l + 1];
    return {coarse.table[coarse.index(i / 2, j / 2, k / 2)], i % 2 * half,
            j % 2 * half, k % 2 * half};
  }

  // Coarse r <- half the sum of eight residuals.
  void restrict_residual(int l) {
    Level& fine = levels_[l];
#pragma omp parallel for schedule(static)
    for (int b = 1; b < fine.blocks; b++) {
      const Octant to = octant(l, b);
      for (int i = 0; i < kSide; i += 2)
        for (int j = 0; j < kSide; j += 2) {
          Row sum{};
          for (int di = 0; di < 2; di++)
            for (int dj = 0; dj < 2; dj++)
              sum += fine.r.row(b, i + di, j + dj) -
                     Real(6) * fine.z.row(b, i + di, j + dj) +
                     fine.around(fine.z, b, i + di, j + dj);
          for (int k = 0; k < kSide; k += 2)
            levels_[l + 1].r.at(to.block, to.i + i / 2, to.j + j / 2,
                                to.k + k / 2) =
                Real(0.5) * (sum[k] + sum[k + 1]);
        }
    }
  }

  // Fine z <- z + coarse z
  void prolongate(int l) {
    Level& fine = levels_[l];
#pragma omp parallel for schedule(static)
    for (int b = 1; b < fine.blocks; b++) {
      const Octant from = octant(l, b);
      for (int i = 0; i < kSide; i++)
        for (int j = 0; j < kSide; j++)
          for (int k = 0; k < kSide; k++)
            fine.z.at(b, i, j, k) += levels_[l + 1].z.at(
                from.block, from.i + i / 2, from.j + j / 2, from.k + k / 2);
    }
  }
};

extern "C" {

// A cube of n cells a side; the domain are these blocks of 8 x 8 x 8.
Poisson* mgpcg_new(int n, int levels, int count, const int* blocks) {
  return new Poisson(n, levels, count, blocks);
}

void mgpcg_delete(Poisson* poisson) { delete poisson; }

// The right-hand side, and zero as the first guess.
void mgpcg_set(Poisson* poisson, const Real* b) { poisson->set(b); }

void mgpcg_get(Poisson* poisson, Real* x) { poisson->get(x); }

// Norms of the residual before each iteration and at the end; how many.
int mgpcg_solve(Poisson* poisson, double tolerance, int most, double* norms,
                int threads) {
  omp_set_num_threads(threads);
  return poisson->solve(tolerance, most, norms);
}

void mgpcg_iterate(Poisson* poisson, int threads) {
  omp_set_num_threads(threads);
  poisson->iterate();
}

}  // extern "C"
