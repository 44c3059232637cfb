// Acoustic waves on a periodic square or cube by a spectral element method with
// the ADER scheme in time, as one writes it by hand: loops over nodes whose
// bounds the compiler knows, the fastest along memory.
#include <omp.h>

#include <vector>

#ifndef SCALAR
#define SCALAR double
#endif
#ifndef ORDER
#define ORDER 4
#endif
#ifndef DIMENSIONS
#define DIMENSIONS 2
#endif
using Real = SCALAR;

constexpr int N = ORDER, D = DIMENSIONS, P = D + 1;
constexpr int power(int base, int n) { return n == 0 ? 1 : base * power(base, n - 1); }
constexpr int kNodes = power(N, D), kFace = power(N, D - 1), kCell = kNodes * P;

struct Lina {
  int n, cells;
  std::vector<Real> q, integral;
  Real weak[N * N], strong[N * N];  // column-major
  Real lift[2][N];
  Real star[D][P * P], own[2 * D][P * P], neighbour[2 * D][P * P];
};

// out = K along direction C of one quantity.
template <int C>
static void along(const Real* k, const Real* in, Real* __restrict out) {
  constexpr int stride = power(N, C);
  for (int node = 0; node < kNodes; ++node) out[node] = 0;
  for (int block = 0; block < kNodes; block += N * stride)
    if (C == 0)
      for (int l = 0; l < N; ++l)
        for (int i = 0; i < N; ++i) out[block + i] += k[i + N * l] * in[block + l];
    else
      for (int i = 0; i < N; ++i)
        for (int l = 0; l < N; ++l)
          for (int x = 0; x < stride; ++x)
            out[block + i * stride + x] += k[i + N * l] * in[block + l * stride + x];
}

// target += factor K source A, A by its entries that are not zero.
template <int C>
static void chain(const Lina& s, const Real* k, Real factor, const Real* source, Real* __restrict target) {
  Real product[kNodes];
  for (int q = 0; q < P; ++q) {
    along<C>(k, source + q * kNodes, product);
    for (int p = 0; p < P; ++p) {
      const Real a = factor * s.star[C][q + P * p];
      if (a == 0) continue;
      for (int node = 0; node < kNodes; ++node) target[p * kNodes + node] += a * product[node];
    }
  }
}

static void chains(const Lina& s, const Real* k, Real factor, const Real* source, Real* target) {
  chain<0>(s, k, factor, source, target);
  chain<1>(s, k, factor, source, target);
  if constexpr (D == 3) chain<D - 1>(s, k, factor, source, target);
}

// What a cell does by itself: the integral in time, then the volume.
static void local(Lina& s, int cell, Real dt) {
  Real* q = &s.q[cell * (long)kCell];
  Real* integral = &s.integral[cell * (long)kCell];
  Real current[kCell], next[kCell];
  for (int i = 0; i < kCell; ++i) {
    current[i] = q[i];
    integral[i] = dt * q[i];
  }
  Real scale = dt;
  for (int d = 1; d < N; ++d) {
    scale *= dt / (d + 1);
    for (int i = 0; i < kCell; ++i) next[i] = 0;
    chains(s, s.strong, -1, current, next);
    for (int i = 0; i < kCell; ++i) {
      current[i] = next[i];
      integral[i] += scale * next[i];
    }
  }
  chains(s, s.weak, 1, integral, q);
}

// The flux through the side at one end of direction C.
template <int C>
static void side(Lina& s, int cell, int end) {
  constexpr int stride = power(N, C);
  const int cells = [&] {
    int step = 1;
    for (int c = 0; c < C; ++c) step *= s.n;
    return step;
  }();
  const int at = cell / cells % s.n;
  const int other = cell + ((at + (end ? 1 : s.n - 1)) % s.n - at) * cells;
  const Real* mine = &s.integral[cell * (long)kCell];
  const Real* theirs = &s.integral[other * (long)kCell];
  const Real* plus = s.own[2 * C + end];
  const Real* minus = s.neighbour[2 * C + end];
  const int here = end ? N - 1 : 0, there = N - 1 - here;
  Real* target = &s.q[cell * (long)kCell];
  for (int p = 0; p < P; ++p) {
    Real face[kFace];
    for (int f = 0; f < kFace; ++f) face[f] = 0;
    for (int q = 0; q < P; ++q) {
      const Real a = plus[q + P * p], b = minus[q + P * p];
      if (a == 0 && b == 0) continue;
      for (int f = 0; f < kFace; ++f) {
        const int node = f % stride + f / stride * stride * N + q * kNodes;
        face[f] += a * mine[node + here * stride] + b * theirs[node + there * stride];
      }
    }
    for (int block = 0; block < kNodes / (N * stride); ++block)
      for (int i = 0; i < N; ++i)
        for (int x = 0; x < stride; ++x)
          target[p * kNodes + (block * N + i) * stride + x] += s.lift[end][i] * face[block * stride + x];
  }
}

extern "C" {

// Matrices of the basis are column-major, those of quantities transposed; values of all cells one behind the other.
void* lina_new(int n, const Real* weak, const Real* strong, const Real* lift, const Real* star, const Real* own,
               const Real* neighbour, const Real* start) {
  Lina* s = new Lina;
  s->n = n;
  s->cells = 1;
  for (int d = 0; d < D; ++d) s->cells *= n;
  s->q.assign(start, start + s->cells * (long)kCell);
  s->integral.resize(s->q.size());
  for (int i = 0; i < N * N; ++i) {
    s->weak[i] = weak[i];
    s->strong[i] = strong[i];
  }
  for (int i = 0; i < 2 * N; ++i) s->lift[i / N][i % N] = lift[i];
  for (int i = 0; i < D * P * P; ++i) s->star[i / (P * P)][i % (P * P)] = star[i];
  for (int i = 0; i < 2 * D * P * P; ++i) {
    s->own[i / (P * P)][i % (P * P)] = own[i];
    s->neighbour[i / (P * P)][i % (P * P)] = neighbour[i];
  }
  return s;
}

void lina_delete(void* lina) { delete static_cast<Lina*>(lina); }

void lina_step(void* lina, double dt, int threads) {
  Lina& s = *static_cast<Lina*>(lina);
#pragma omp parallel num_threads(threads)
  {
#pragma omp for
    for (int cell = 0; cell < s.cells; ++cell) local(s, cell, dt);
#pragma omp for
    for (int cell = 0; cell < s.cells; ++cell)
      for (int end = 0; end < 2; ++end) {
        side<0>(s, cell, end);
        side<1>(s, cell, end);
        if constexpr (D == 3) side<D - 1>(s, cell, end);
      }
  }
}

void lina_get(void* lina, Real* values) {
  const Lina& s = *static_cast<Lina*>(lina);
  const long size = s.cells * (long)kCell;
  for (long i = 0; i < size; ++i) values[i] = s.q[i];
}
}
