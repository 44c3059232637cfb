// MLS-MPM in three dimensions, fixed-corotated elasticity, quadratic B-splines.
// Particles are an array of structures, looked up through lists sorted by
// block; the grid is a table of blocks that are allocated where particles are.
#include <omp.h>

#include <algorithm>
#include <vector>

#ifndef SCALAR
#define SCALAR float
#endif
using Real = SCALAR;

// Momentum and mass of a grid node; after the grid step its velocity.
typedef Real Node __attribute__((vector_size(4 * sizeof(Real))));

// The same number of several particles: stresses are computed side by side.
constexpr int kLanes = 8;
typedef Real Lanes __attribute__((vector_size(kLanes * sizeof(Real))));

constexpr int kSide = 4;         // nodes along a side of a block
constexpr int kPad = kSide + 2;  // and of the nodes its particles reach
constexpr int kWall = 3;         // nodes of wall on every side

struct Particle {
  Real x[3], v[3], C[3][3], F[3][3];
};

struct Block {
  Node nodes[kSide][kSide][kSide];
};

struct Pad {
  Node nodes[kPad][kPad][kPad];
};

// Node below a particle and quadratic weights of the three from there on.
struct Weights {
  int base[3];
  Real f[3], w[3][3];

  Weights(const Real* x, Real inv_dx) {
    for (int d = 0; d < 3; d++) {
      base[d] = int(x[d] * inv_dx - Real(0.5));
      f[d] = x[d] * inv_dx - base[d];
      w[d][0] = Real(0.5) * (Real(1.5) - f[d]) * (Real(1.5) - f[d]);
      w[d][1] = Real(0.75) - (f[d] - 1) * (f[d] - 1);
      w[d][2] = Real(0.5) * (f[d] - Real(0.5)) * (f[d] - Real(0.5));
    }
  }
};

struct Matrix {
  Lanes m[3][3];

  // Entry of the cofactor matrix, that of the inverse transpose times det.
  Lanes cofactor(int i, int j) const {
    const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3,
              d = (j + 2) % 3;
    return m[a][c] * m[b][d] - m[a][d] * m[b][c];
  }

  Lanes determinant() const {
    return m[0][0] * cofactor(0, 0) + m[0][1] * cofactor(0, 1) +
           m[0][2] * cofactor(0, 2);
  }

  // The nearest rotation, by Newton's iteration R <- (R + R^-T) / 2.
  Matrix rotation() const {
    Matrix R = *this;
    for (int iteration = 0; iteration < 6; iteration++) {
      const Lanes half = Real(0.5) / R.determinant();
      Matrix next;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          next.m[i][j] = Real(0.5) * R.m[i][j] + half * R.cofactor(i, j);
      R = next;
    }
    return R;
  }
};

struct Mpm {
  int n, side;  // nodes and blocks along a side
  Real dt, mass, volume, mu, lambda, gravity;
  std::vector<Particle> particles;
  std::vector<Block> pool;
  std::vector<int> table;   // number of a block in the pool, or -1
  std::vector<int> active;  // blocks with nodes in use
  std::vector<int> first;   // where the list of a block's particles begins
  std::vector<int> order;   // these lists, one after the other
  std::vector<int> home;    // block of a particle

  Mpm(int n, int count, const Real* material)
      : n(n), side(n / kSide + 1), particles(count) {
    dt = material[0], mass = material[1], volume = material[2];
    mu = material[3], lambda = material[4], gravity = material[5];
    table.resize(side * side * side);
    first.resize(table.size() + 1);
    order.resize(count);
    home.resize(count);
  }

  // Block with a place relative to another one.
  int beside(int b, int i, int j, int k) const {
    return b + (i * side + j) * side + k;
  }

  // Lists the particles of each block: a counting sort, a chunk a thread.
  void sort() {
    const int count = particles.size(), blocks = table.size();
    std::vector<std::vector<int>> at(omp_get_max_threads());
#pragma omp parallel
    {
      std::vector<int>& mine = at[omp_get_thread_num()];
      mine.assign(blocks, 0);
#pragma omp for schedule(static)
      for (int p = 0; p < count; p++) {
        const Weights w(particles[p].x, n);
        home[p] =
            beside(0, w.base[0] / kSide, w.base[1] / kSide, w.base[2] / kSide);
        mine[home[p]]++;
      }
#pragma omp single
      {
        int sum = 0;
        for (int b = 0; b < blocks; b++) {
          first[b] = sum;
          for (auto& counts : at)
            if (!counts.empty()) {
              std::swap(counts[b], sum);
              sum += counts[b];
            }
        }
        first[blocks] = sum;
      }
#pragma omp for schedule(static)
      for (int p = 0; p < count; p++) order[mine[home[p]]++] = p;
    }
  }

  // Gives memory to the blocks that particles reach: theirs and the next ones.
  void activate() {
    std::fill(table.begin(), table.end(), -1);
    active.clear();
    for (int b = 0; b < (int)table.size(); b++) {
      if (first[b] == first[b + 1]) continue;
      for (int corner = 0; corner < 8; corner++) {
        const int c = beside(b, corner / 4, corner / 2 % 2, corner % 2);
        if (table[c] >= 0) continue;
        table[c] = active.size();
        active.push_back(c);
      }
    }
    if (pool.size() < active.size()) pool.resize(active.size());
#pragma omp parallel for schedule(static)
    for (int a = 0; a < (int)active.size(); a++) pool[a] = Block{};
  }

  // Particles to grid. Blocks of one colour write to no common block.
  void scatter() {
    for (int colour = 0; colour < 8; colour++) {
#pragma omp parallel for schedule(dynamic, 4)
      for (int a = 0; a < (int)active.size(); a++) {
        const int b = active[a];
        const int i = b / side / side, j = b / side % side, k = b % side;
        if (i % 2 * 4 + j % 2 * 2 + k % 2 == colour) scatter_block(b);
      }
    }
  }

  void scatter_block(int b) {
    if (first[b] == first[b + 1]) return;
    const Real dx = Real(1) / n;
    Pad pad{};
    for (int start = first[b]; start < first[b + 1]; start += kLanes) {
      const int lanes = std::min(kLanes, first[b + 1] - start);
      Matrix affine = update_stress(&order[start], lanes);
      for (int lane = 0; lane < lanes; lane++) {
        const Particle& p = particles[order[start + lane]];
        const Weights w(p.x, n);
        Node step[3];
        for (int d = 0; d < 3; d++)
          step[d] = Node{affine.m[0][d][lane], affine.m[1][d][lane],
                         affine.m[2][d][lane]} *
                    dx;
        const Node corner =
            Node{mass * p.v[0], mass * p.v[1], mass * p.v[2], mass} -
            w.f[0] * step[0] - w.f[1] * step[1] - w.f[2] * step[2];
        const int i0 = w.base[0] % kSide, j0 = w.base[1] % kSide,
                  k0 = w.base[2] % kSide;
        for (int i = 0; i < 3; i++)
          for (int j = 0; j < 3; j++) {
            const Node row = corner + Real(i) * step[0] + Real(j) * step[1];
            const Real weight = w.w[0][i] * w.w[1][j];
            for (int k = 0; k < 3; k++)
              pad.nodes[i0 + i][j0 + j][k0 + k] +=
                  weight * w.w[2][k] * (row + Real(k) * step[2]);
          }
      }
    }
    for (int i = 0; i < kPad; i++)
      for (int j = 0; j < kPad; j++)
        for (int k = 0; k < kPad; k++) node(b, i, j, k) += pad.nodes[i][j][k];
  }

  // Deforms some particles; gives their momentum's change with place.
  Matrix update_stress(const int* list, int lanes) {
    Matrix C{}, old{}, F, affine;
    for (int lane = 0; lane < lanes; lane++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          C.m[i][j][lane] = particles[list[lane]].C[i][j];
          old.m[i][j][lane] = particles[list[lane]].F[i][j];
        }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        F.m[i][j] = old.m[i][j] +
                    dt * (C.m[i][0] * old.m[0][j] + C.m[i][1] * old.m[1][j] +
                          C.m[i][2] * old.m[2][j]);
    for (int lane = 0; lane < lanes; lane++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          particles[list[lane]].F[i][j] = F.m[i][j][lane];
    const Matrix R = F.rotation();
    const Lanes J = F.determinant();
    const Real scale = Real(4) * n * n * dt * volume;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        Lanes stress{};
        for (int k = 0; k < 3; k++)
          stress += 2 * mu * (F.m[i][k] - R.m[i][k]) * F.m[j][k];
        if (i == j) stress += lambda * (J - 1) * J;
        affine.m[i][j] = mass * C.m[i][j] - scale * stress;
      }
    return affine;
  }

  // Node of a block, or of the next blocks.
  Node& node(int b, int i, int j, int k) {
    Block& block = pool[table[beside(b, i / kSide, j / kSide, k / kSide)]];
    return block.nodes[i % kSide][j % kSide][k % kSide];
  }

  // Momentum to velocity, gravity, walls that let go.
  void update_grid() {
#pragma omp parallel for schedule(static)
    for (int a = 0; a < (int)active.size(); a++) {
      const int b = active[a];
      const int origin[3] = {b / side / side * kSide, b / side % side * kSide,
                             b % side * kSide};
      for (int i = 0; i < kSide; i++)
        for (int j = 0; j < kSide; j++)
          for (int k = 0; k < kSide; k++) {
            Node& v = pool[a].nodes[i][j][k];
            if (v[3] == 0) continue;
            const int at[3] = {origin[0] + i, origin[1] + j, origin[2] + k};
            v /= v[3];
            v[1] -= dt * gravity;
            for (int d = 0; d < 3; d++) {
              if (at[d] < kWall) v[d] = std::max(v[d], Real(0));
              if (at[d] > n - kWall) v[d] = std::min(v[d], Real(0));
            }
          }
    }
  }

  // Grid to particles.
  void gather() {
#pragma omp parallel for schedule(dynamic, 4)
    for (int a = 0; a < (int)active.size(); a++) gather_block(active[a]);
  }

  void gather_block(int b) {
    if (first[b] == first[b + 1]) return;
    Pad pad;
    for (int i = 0; i < kPad; i++)
      for (int j = 0; j < kPad; j++)
        for (int k = 0; k < kPad; k++) pad.nodes[i][j][k] = node(b, i, j, k);
    for (int l = first[b]; l < first[b + 1]; l++) {
      Particle& p = particles[order[l]];
      const Weights w(p.x, n);
      const int i0 = w.base[0] % kSide, j0 = w.base[1] % kSide,
                k0 = w.base[2] % kSide;
      Node v{}, slope[3]{};
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          for (int k = 0; k < 3; k++) {
            const Node wv = w.w[0][i] * w.w[1][j] * w.w[2][k] *
                            pad.nodes[i0 + i][j0 + j][k0 + k];
            v += wv;
            slope[0] += wv * (i - w.f[0]);
            slope[1] += wv * (j - w.f[1]);
            slope[2] += wv * (k - w.f[2]);
          }
      for (int d = 0; d < 3; d++) {
        p.v[d] = v[d];
        p.x[d] += dt * v[d];
        for (int e = 0; e < 3; e++) p.C[d][e] = 4 * n * slope[e][d];
      }
    }
  }

  void step() {
    sort();
    activate();
    scatter();
    update_grid();
    gather();
  }
};

extern "C" {

// material: dt, mass, volume, mu, lambda, gravity.
Mpm* mpm3d_new(int n, int count, const Real* material) {
  return new Mpm(n, count, material);
}

void mpm3d_delete(Mpm* mpm) { delete mpm; }

void mpm3d_set(Mpm* mpm, const Real* x, const Real* v, const Real* C,
               const Real* F) {
  for (size_t p = 0; p < mpm->particles.size(); p++) {
    Particle& q = mpm->particles[p];
    std::copy(x + 3 * p, x + 3 * p + 3, q.x);
    std::copy(v + 3 * p, v + 3 * p + 3, q.v);
    std::copy(C + 9 * p, C + 9 * p + 9, &q.C[0][0]);
    std::copy(F + 9 * p, F + 9 * p + 9, &q.F[0][0]);
  }
}

void mpm3d_get(const Mpm* mpm, Real* x, Real* v, Real* C, Real* F) {
  for (size_t p = 0; p < mpm->particles.size(); p++) {
    const Particle& q = mpm->particles[p];
    std::copy(q.x, q.x + 3, x + 3 * p);
    std::copy(q.v, q.v + 3, v + 3 * p);
    std::copy(&q.C[0][0], &q.C[0][0] + 9, C + 9 * p);
    std::copy(&q.F[0][0], &q.F[0][0] + 9, F + 9 * p);
  }
}

void mpm3d_step(Mpm* mpm, int steps, int threads) {
  omp_set_num_threads(threads);
  for (int s = 0; s < steps; s++) mpm->step();
}

}  // extern "C"
