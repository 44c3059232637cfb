// MLS-MPM in two dimensions, fixed-corotated elasticity, quadratic B-splines.
// Particles are an array of structures, looked up through lists sorted by
// block; the grid is a table of blocks that are allocated where particles are.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <vector>

#ifndef SCALAR
#define SCALAR float
#endif
using Real = SCALAR;

// Momentum, mass and padding of a grid node; after the grid step its velocity.
typedef Real Node __attribute__((vector_size(4 * sizeof(Real))));

constexpr int kSide = 8;         // nodes along a side of a block
constexpr int kPad = kSide + 2;  // and of the nodes its particles reach
constexpr int kWall = 3;         // nodes of wall on every side

struct Particle {
  Real x[2], v[2], C[2][2], F[2][2];
};

struct Block {
  Node nodes[kSide][kSide];
};

struct Pad {
  Node nodes[kPad][kPad];
};

// Node below a particle and quadratic weights of the three from there on.
struct Weights {
  int base[2];
  Real f[2], w[2][3];

  Weights(const Real* x, Real inv_dx) {
    for (int d = 0; d < 2; d++) {
      base[d] = int(x[d] * inv_dx - Real(0.5));
      f[d] = x[d] * inv_dx - base[d];
      w[d][0] = Real(0.5) * (Real(1.5) - f[d]) * (Real(1.5) - f[d]);
      w[d][1] = Real(0.75) - (f[d] - 1) * (f[d] - 1);
      w[d][2] = Real(0.5) * (f[d] - Real(0.5)) * (f[d] - Real(0.5));
    }
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
    table.resize(side * side);
    first.resize(side * side + 1);
    order.resize(count);
    home.resize(count);
  }

  // Lists the particles of each block: a counting sort, a chunk a thread.
  void sort() {
    const int count = particles.size(), blocks = side * side;
    std::vector<std::vector<int>> at(omp_get_max_threads());
#pragma omp parallel
    {
      std::vector<int>& mine = at[omp_get_thread_num()];
      mine.assign(blocks, 0);
#pragma omp for schedule(static)
      for (int p = 0; p < count; p++) {
        const Weights w(particles[p].x, n);
        home[p] = w.base[0] / kSide * side + w.base[1] / kSide;
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
    for (int b = 0; b < side * side; b++) {
      if (first[b] == first[b + 1]) continue;
      for (int c : {b, b + 1, b + side, b + side + 1}) {
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
    for (int colour = 0; colour < 4; colour++) {
#pragma omp parallel for schedule(dynamic, 4)
      for (int a = 0; a < (int)active.size(); a++) {
        const int b = active[a];
        if (b / side % 2 * 2 + b % side % 2 == colour) scatter_block(b);
      }
    }
  }

  void scatter_block(int b) {
    if (first[b] == first[b + 1]) return;
    const Real dx = Real(1) / n, scale = 4 * n * n * dt * volume;
    Pad pad{};
    for (int k = first[b]; k < first[b + 1]; k++) {
      Particle& p = particles[order[k]];
      const Weights w(p.x, n);
      Real F[2][2];
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
          F[i][j] =
              p.F[i][j] + dt * (p.C[i][0] * p.F[0][j] + p.C[i][1] * p.F[1][j]);
      std::copy(&F[0][0], &F[0][0] + 4, &p.F[0][0]);
      // The rotation nearest to F.
      const Real c0 = F[0][0] + F[1][1], s0 = F[1][0] - F[0][1];
      const Real r = 1 / std::sqrt(c0 * c0 + s0 * s0), c = c0 * r, s = s0 * r;
      const Real E[2][2] = {{F[0][0] - c, F[0][1] + s},
                            {F[1][0] - s, F[1][1] - c}};
      const Real J = F[0][0] * F[1][1] - F[0][1] * F[1][0];
      Real A[2][2];
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
          A[i][j] = mass * p.C[i][j] -
                    scale * (2 * mu * (E[i][0] * F[j][0] + E[i][1] * F[j][1]) +
                             (i == j ? lambda * (J - 1) * J : 0));
      const Node step_i = {A[0][0] * dx, A[1][0] * dx};
      const Node step_j = {A[0][1] * dx, A[1][1] * dx};
      const Node corner = Node{mass * p.v[0], mass * p.v[1], mass} -
                          w.f[0] * step_i - w.f[1] * step_j;
      const int i0 = w.base[0] % kSide, j0 = w.base[1] % kSide;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          pad.nodes[i0 + i][j0 + j] +=
              w.w[0][i] * w.w[1][j] *
              (corner + Real(i) * step_i + Real(j) * step_j);
    }
    for (int i = 0; i < kPad; i++)
      for (int j = 0; j < kPad; j++) node(b, i, j) += pad.nodes[i][j];
  }

  // Node of a block, or of the next blocks.
  Node& node(int b, int i, int j) {
    Block& block = pool[table[b + i / kSide * side + j / kSide]];
    return block.nodes[i % kSide][j % kSide];
  }

  // Momentum to velocity, gravity, walls that let go.
  void update_grid() {
#pragma omp parallel for schedule(static)
    for (int a = 0; a < (int)active.size(); a++) {
      const int i0 = active[a] / side * kSide, j0 = active[a] % side * kSide;
      for (int i = 0; i < kSide; i++)
        for (int j = 0; j < kSide; j++) {
          Node& v = pool[a].nodes[i][j];
          if (v[2] == 0) continue;
          v /= v[2];
          v[1] -= dt * gravity;
          if (i0 + i < kWall) v[0] = std::max(v[0], Real(0));
          if (i0 + i > n - kWall) v[0] = std::min(v[0], Real(0));
          if (j0 + j < kWall) v[1] = std::max(v[1], Real(0));
          if (j0 + j > n - kWall) v[1] = std::min(v[1], Real(0));
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
      for (int j = 0; j < kPad; j++) pad.nodes[i][j] = node(b, i, j);
    for (int k = first[b]; k < first[b + 1]; k++) {
      Particle& p = particles[order[k]];
      const Weights w(p.x, n);
      const int i0 = w.base[0] % kSide, j0 = w.base[1] % kSide;
      Node v{}, vi{}, vj{};
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          const Node wv = w.w[0][i] * w.w[1][j] * pad.nodes[i0 + i][j0 + j];
          v += wv;
          vi += wv * (i - w.f[0]);
          vj += wv * (j - w.f[1]);
        }
      for (int d = 0; d < 2; d++) {
        p.v[d] = v[d];
        p.x[d] += dt * v[d];
        p.C[d][0] = 4 * n * vi[d];
        p.C[d][1] = 4 * n * vj[d];
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
Mpm* mpm2d_new(int n, int count, const Real* material) {
  return new Mpm(n, count, material);
}

void mpm2d_delete(Mpm* mpm) { delete mpm; }

void mpm2d_set(Mpm* mpm, const Real* x, const Real* v, const Real* C,
               const Real* F) {
  for (size_t p = 0; p < mpm->particles.size(); p++) {
    Particle& q = mpm->particles[p];
    std::copy(x + 2 * p, x + 2 * p + 2, q.x);
    std::copy(v + 2 * p, v + 2 * p + 2, q.v);
    std::copy(C + 4 * p, C + 4 * p + 4, &q.C[0][0]);
    std::copy(F + 4 * p, F + 4 * p + 4, &q.F[0][0]);
  }
}

void mpm2d_get(const Mpm* mpm, Real* x, Real* v, Real* C, Real* F) {
  for (size_t p = 0; p < mpm->particles.size(); p++) {
    const Particle& q = mpm->particles[p];
    std::copy(q.x, q.x + 2, x + 2 * p);
    std::copy(q.v, q.v + 2, v + 2 * p);
    std::copy(&q.C[0][0], &q.C[0][0] + 4, C + 4 * p);
    std::copy(&q.F[0][0], &q.F[0][0] + 4, F + 4 * p);
  }
}

void mpm2d_step(Mpm* mpm, int steps, int threads) {
  omp_set_num_threads(threads);
  for (int s = 0; s < steps; s++) mpm->step();
}

}  // extern "C"
