// Linear elasticity on a voxel grid: trilinear elements with a material each,
// the stiffness matrix never assembled, conjugate gradients. Nodes and cells
// lie in blocks; a block missing from the table has no material around.
#include <omp.h>

#include <cmath>
#include <vector>

#ifndef SCALAR
#define SCALAR float
#endif
using Real = SCALAR;

constexpr int kSide = 8;         // nodes or cells along a side of a block
constexpr int kPad = kSide + 2;  // and of a block with what lies around it

// A row of a block, wherever it lies.
typedef Real Row __attribute__((vector_size(kSide * sizeof(Real)),
                                aligned(sizeof(Real)), may_alias));

struct Block {
  Real at[kSide * kSide * kSide];
  Row& row(int i, int j) { return *(Row*)&at[(i * kSide + j) * kSide]; }
};

// A number at every node or cell. The first block stays zero.
using Field = std::vector<Block>;

struct Vectors {
  Field d[3];
};

// A block of a field with the nodes or cells around it.
struct Pad {
  Real at[kPad][kPad][kPad];
  Row row(int i, int j, int k) const { return *(const Row*)&at[i][j][k]; }
};

// Element stiffness: node a of a cell feels node b, for unit lambda and mu.
struct Stiffness {
  Real lambda[8][8][3][3], mu[8][8][3][3];

  Stiffness() {
    for (int a = 0; a < 8; a++)
      for (int b = 0; b < 8; b++) {
        double trace = 0;
        for (int u = 0; u < 3; u++) trace += slopes(a, b, u, u);
        for (int u = 0; u < 3; u++)
          for (int v = 0; v < 3; v++) {
            lambda[a][b][u][v] = slopes(a, b, u, v);
            mu[a][b][u][v] = slopes(a, b, v, u) + (u == v ? trace : 0);
          }
      }
  }

  // Integral over a cell of dN_a/dx_u dN_b/dx_v.
  static double slopes(int a, int b, int u, int v) {
    double product = 1;
    for (int axis = 0; axis < 3; axis++) {
      const int p = a >> (2 - axis) & 1, q = b >> (2 - axis) & 1;
      if (axis == u && axis == v)
        product *= p == q ? 1 : -1;
      else if (axis == u)
        product *= p == 1 ? 0.5 : -0.5;
      else if (axis == v)
        product *= q == 1 ? 0.5 : -0.5;
      else
        product *= p == q ? 1 / 3. : 1 / 6.;
    }
    return product;
  }
};

const Stiffness kStiffness;

class Elasticity {
 public:
  // Materials of all cells of a cube, and 1 where a node may move, else 0.
  Elasticity(int n, const Real* lambda, const Real* mu, const Real* free)
      : n_(n), side_(n / kSide + 2), table_(side_ * side_ * side_), place_(1) {
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        for (int k = 0; k < n; k++) {
          if (mu[(i * n + j) * n + k] == 0) continue;
          for (int c = 0; c < 8; c++)
            activate(index(i + c / 4, j + c / 2 % 2, k + c % 2));
        }
    for (Field* f : {&lambda_, &mu_, &free_}) f->resize(place_.size());
    for (Vectors* f : {&u_, &r_, &p_, &q_})
      for (Field& component : f->d) component.resize(place_.size());
    copy(lambda, 1, [&](Real in, int b, int c) { lambda_[b].at[c] = in; });
    copy(mu, 1, [&](Real in, int b, int c) { mu_[b].at[c] = in; });
    copy(free, 1, [&](Real in, int b, int c) { free_[b].at[c] = in; });
  }

  // The load, or a displacement to multiply; zero as the first guess.
  void set(const Real* f) {
    for (int d = 0; d < 3; d++)
      copy(f + d, 3, [&](Real in, int b, int c) {
        r_.d[d][b].at[c] = p_.d[d][b].at[c] = in * free_[b].at[c];
        u_.d[d][b].at[c] = 0;
      });
  }

  void get_displacement(Real* out) { get(u_, out); }
  void get_product(Real* out) { get(q_, out); }

  // q <- K p where nodes may move; p . q
  double multiply() {
    double sum = 0;
#pragma omp parallel for schedule(dynamic, 1) reduction(+ : sum)
    for (int b = 1; b < (int)place_.size(); b++) sum += multiply_block(b);
    return sum;
  }

  int solve(double tolerance, int most, double* norms) {
    double rho = dot(r_, r_);
    norms[0] = std::sqrt(rho);
    for (int iteration = 0; iteration < most; iteration++) {
      if (norms[iteration] <= tolerance * norms[0]) return iteration;
      const double before = rho, alpha = rho / multiply();
      rho = advance(alpha);
      follow(rho / before);
      norms[iteration + 1] = std::sqrt(rho);
    }
    return most;
  }

 private:
  int n_, side_;            // blocks along a side, one more at both ends
  std::vector<int> table_;  // number of a block
  std::vector<int> place_;  // where in the table a block is
  Field lambda_, mu_, free_;
  Vectors u_, r_, p_, q_;

  int index(int i, int j, int k) const {
    return ((i / kSide + 1) * side_ + j / kSide + 1) * side_ + k / kSide + 1;
  }

  void activate(int where) {
    if (table_[where] != 0) return;
    table_[where] = place_.size();
    place_.push_back(where);
  }

  // Visits an array over the cube where there are blocks.
  template <class Array, class F>
  void copy(Array* array, int stride, F f) {
    for (int i = 0; i < n_; i++)
      for (int j = 0; j < n_; j++)
        for (int k = 0; k < n_; k++) {
          const int block = table_[index(i, j, k)];
          if (block == 0) continue;
          const int cell = (i % kSide * kSide + j % kSide) * kSide + k % kSide;
          f(array[stride * ((i * n_ + j) * n_ + k)], block, cell);
        }
  }

  void get(const Vectors& from, Real* out) {
    for (int d = 0; d < 3; d++)
      copy(out + d, 3,
           [&](Real& to, int b, int c) { to = from.d[d][b].at[c]; });
  }

  void load(Field& field, int b, Pad& pad) {
    for (int i = 0; i < kPad; i++)
      for (int j = 0; j < kPad; j++) {
        const int beside = place_[b] + ((i + 7) / kSide - 1) * side_ * side_ +
                           ((j + 7) / kSide - 1) * side_;
        const auto row = [&](int k) -> Row& {
          return field[table_[beside + k]].row((i + 7) % kSide,
                                               (j + 7) % kSide);
        };
        pad.at[i][j][0] = row(-1)[kSide - 1];
        *(Row*)&pad.at[i][j][1] = row(0);
        pad.at[i][j][kPad - 1] = row(1)[0];
      }
  }

  double multiply_block(int b) {
    Pad p[3], lambda, mu;
    for (int d = 0; d < 3; d++) load(p_.d[d], b, p[d]);
    load(lambda_, b, lambda);
    load(mu_, b, mu);
    Row sum{};
    for (int i = 0; i < kSide; i++)
      for (int j = 0; j < kSide; j++) {
        Row Kp[3]{};
        for (int cell = 0; cell < 8; cell++) {
          // The node is node a of this cell.
          const int a = 7 - cell, ci = i + cell / 4, cj = j + cell / 2 % 2,
                    ck = cell % 2;
          Row by_lambda[3]{}, by_mu[3]{};
#pragma GCC unroll 8
          for (int c = 0; c < 8; c++)
            for (int v = 0; v < 3; v++) {
              const Row x = p[v].row(ci + c / 4, cj + c / 2 % 2, ck + c % 2);
              for (int u = 0; u < 3; u++) {
                by_lambda[u] += kStiffness.lambda[a][c][u][v] * x;
                by_mu[u] += kStiffness.mu[a][c][u][v] * x;
              }
            }
          for (int u = 0; u < 3; u++)
            Kp[u] += lambda.row(ci, cj, ck) * by_lambda[u] +
                     mu.row(ci, cj, ck) * by_mu[u];
        }
        for (int u = 0; u < 3; u++) {
          const Row q = Kp[u] * free_[b].row(i, j);
          q_.d[u][b].row(i, j) = q;
          sum += q * p_.d[u][b].row(i, j);
        }
      }
    return total(sum);
  }

  static double total(const Row& row) {
    double sum = 0;
    for (int k = 0; k < kSide; k++) sum += row[k];
    return sum;
  }

  double dot(Vectors& x, Vectors& y) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int b = 1; b < (int)place_.size(); b++)
      for (int d = 0; d < 3; d++)
        for (int i = 0; i < kSide; i++)
          for (int j = 0; j < kSide; j++)
            sum += total(x.d[d][b].row(i, j) * y.d[d][b].row(i, j));
    return sum;
  }

  // u <- u + alpha p, r <- r - alpha q; r . r
  double advance(Real alpha) {
    double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
    for (int b = 1; b < (int)place_.size(); b++) {
      Row squares{};
      for (int d = 0; d < 3; d++)
        for (int i = 0; i < kSide; i++)
          for (int j = 0; j < kSide; j++) {
            Row& r = r_.d[d][b].row(i, j);
            u_.d[d][b].row(i, j) += alpha * p_.d[d][b].row(i, j);
            r -= alpha * q_.d[d][b].row(i, j);
            squares += r * r;
          }
      sum += total(squares);
    }
    return sum;
  }

  // p <- r + beta p
  void follow(Real beta) {
#pragma omp parallel for schedule(static)
    for (int b = 1; b < (int)place_.size(); b++)
      for (int d = 0; d < 3; d++)
        for (int i = 0; i < kSide; i++)
          for (int j = 0; j < kSide; j++) {
            Row& p = p_.d[d][b].row(i, j);
            p = r_.d[d][b].row(i, j) + beta * p;
          }
  }
};

extern "C" {

Elasticity* fem_new(int n, const Real* lambda, const Real* mu,
                    const Real* free) {
  return new Elasticity(n, lambda, mu, free);
}

void fem_delete(Elasticity* fem) { delete fem; }

void fem_set(Elasticity* fem, const Real* f) { fem->set(f); }

void fem_get_displacement(Elasticity* fem, Real* u) {
  fem->get_displacement(u);
}

void fem_get_product(Elasticity* fem, Real* q) { fem->get_product(q); }

// The product of the stiffness matrix with what was set.
void fem_multiply(Elasticity* fem, int threads) {
  omp_set_num_threads(threads);
  fem->multiply();
}

// Norms of the residual before each iteration and at the end; how many.
int fem_solve(Elasticity* fem, double tolerance, int most, double* norms,
              int threads) {
  omp_set_num_threads(threads);
  return fem->solve(tolerance, most, norms);
}

}  // extern "C"
