// Smoke in a square whose edges are joined, and its adjoint by hand: first velocities, all steps, the mean square by which
// the smoke misses a pattern, and its derivatives by the first velocities. Only what is not linear is kept of a step.
// SCALAR is float or double; one thread.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#ifndef SCALAR
#define SCALAR double
#endif
#define API extern "C" __attribute__((visibility("default")))

using Scalar = SCALAR;
using Grid = std::vector<Scalar>;

namespace {

struct Smoke {
  int n, steps, sweeps;
  Grid vx, vy, div, p, q, target;
  Grid ux, uy, dye;  // of each step
  Grid gvx, gvy, gux, guy, gdye, gnext, gdiv, gp, gq;

  Smoke(int n, int steps, int sweeps, const Scalar* firstDye, const Scalar* pattern)
      : n(n), steps(steps), sweeps(sweeps), target(pattern, pattern + n * n) {
    const size_t cells = size_t(n) * n;
    for (Grid* g : {&vx, &vy, &div, &p, &q, &gvx, &gvy, &gux, &guy, &gdye, &gnext, &gdiv, &gp, &gq}) g->resize(cells);
    ux.resize(cells * steps), uy.resize(cells * steps), dye.resize(cells * (steps + 1));
    std::memcpy(dye.data(), firstDye, cells * sizeof(Scalar));
  }

  // For each row: f(row, row above, row below), then for each column f(j, right, left); edges apart, so that the rest is a plain loop.
  template <class F>
  void cells(F f) const {
    for (int i = 0; i < n; i++) {
      const int r = i * n, a = (i + 1 == n ? 0 : i + 1) * n, b = (i == 0 ? n - 1 : i - 1) * n;
      f(r, a, b, r + 1, r + n - 1, 0);
      for (int j = 1; j < n - 1; j++) f(r + j, a + j, b + j, r + j + 1, r + j - 1, j);
      f(r + n - 1, a + n - 1, b + n - 1, r, r + n - 2, n - 1);
    }
  }

  static int wrap(int k, int n) { return ((k % n) + n) % n; }

  void forward(const Scalar* v) {
    const size_t size = size_t(n) * n;
    std::memcpy(vx.data(), v, size * sizeof(Scalar));
    std::memcpy(vy.data(), v + size, size * sizeof(Scalar));
    for (int t = 0; t < steps; t++) {
      Scalar *X = vx.data(), *Y = vy.data(), *D = div.data(), *P = p.data(), *Q = q.data();
      Scalar *U = &ux[t * size], *V = &uy[t * size];
      cells([=](int k, int a, int b, int r, int l, int) { D[k] = Scalar(0.5) * (X[a] - X[b] + Y[r] - Y[l]); });
      std::memset(P, 0, size * sizeof(Scalar));
      for (int s = 0; s < sweeps; s++) {
        cells([=](int k, int a, int b, int r, int l, int) { Q[k] = (P[a] + P[b] + P[r] + P[l] - D[k]) / 4; });
        std::swap(P, Q);
      }
      cells([=](int k, int a, int b, int r, int l, int) {
        U[k] = X[k] - Scalar(0.5) * (P[a] - P[b]);
        V[k] = Y[k] - Scalar(0.5) * (P[r] - P[l]);
      });
      const Scalar* S = &dye[t * size];
      Scalar* T = &dye[(t + 1) * size];
      for (int i = 0, k = 0; i < n; i++)
        for (int j = 0; j < n; j++, k++) {
          const Scalar x = i - U[k], y = j - V[k];
          const Scalar fa = std::floor(x), fb = std::floor(y), s = x - fa, r = y - fb;
          const int a = wrap(int(fa), n), b = wrap(int(fb), n), c = a + 1 == n ? 0 : a + 1, d = b + 1 == n ? 0 : b + 1;
          const int ab = a * n + b, ad = a * n + d, cb = c * n + b, cd = c * n + d;
          const Scalar w0 = (1 - s) * (1 - r), w1 = (1 - s) * r, w2 = s * (1 - r), w3 = s * r;
          X[k] = w0 * U[ab] + w1 * U[ad] + w2 * U[cb] + w3 * U[cd];
          Y[k] = w0 * V[ab] + w1 * V[ad] + w2 * V[cb] + w3 * V[cd];
          T[k] = w0 * S[ab] + w1 * S[ad] + w2 * S[cb] + w3 * S[cd];
        }
    }
  }

  double loss() const {
    const Scalar* T = &dye[size_t(steps) * n * n];
    double sum = 0;
    for (int k = 0; k < n * n; k++) sum += double(T[k] - target[k]) * double(T[k] - target[k]);
    return sum / n / n;
  }

  void backward(Scalar* out) {
    const size_t size = size_t(n) * n;
    const Scalar* last = &dye[size * steps];
    for (size_t k = 0; k < size; k++) gdye[k] = 2 * (last[k] - target[k]) / Scalar(size);
    std::memset(gvx.data(), 0, size * sizeof(Scalar));
    std::memset(gvy.data(), 0, size * sizeof(Scalar));
    for (int t = steps - 1; t >= 0; t--) {
      const Scalar *U = &ux[t * size], *V = &uy[t * size], *S = &dye[t * size];
      Scalar *gX = gvx.data(), *gY = gvy.data(), *gU = gux.data(), *gV = guy.data(), *gT = gdye.data(), *gS = gnext.data();
      std::memset(gU, 0, size * sizeof(Scalar));
      std::memset(gV, 0, size * sizeof(Scalar));
      std::memset(gS, 0, size * sizeof(Scalar));
      for (int i = 0, k = 0; i < n; i++)
        for (int j = 0; j < n; j++, k++) {
          const Scalar x = i - U[k], y = j - V[k];
          const Scalar fa = std::floor(x), fb = std::floor(y), s = x - fa, r = y - fb;
          const int a = wrap(int(fa), n), b = wrap(int(fb), n), c = a + 1 == n ? 0 : a + 1, d = b + 1 == n ? 0 : b + 1;
          const int ab = a * n + b, ad = a * n + d, cb = c * n + b, cd = c * n + d;
          const Scalar w0 = (1 - s) * (1 - r), w1 = (1 - s) * r, w2 = s * (1 - r), w3 = s * r;
          const Scalar hx = gX[k], hy = gY[k], ht = gT[k];
          gU[ab] += w0 * hx, gU[ad] += w1 * hx, gU[cb] += w2 * hx, gU[cd] += w3 * hx;
          gV[ab] += w0 * hy, gV[ad] += w1 * hy, gV[cb] += w2 * hy, gV[cd] += w3 * hy;
          gS[ab] += w0 * ht, gS[ad] += w1 * ht, gS[cb] += w2 * ht, gS[cd] += w3 * ht;
          const Scalar e0 = hx * U[ab] + hy * V[ab] + ht * S[ab], e1 = hx * U[ad] + hy * V[ad] + ht * S[ad];
          const Scalar e2 = hx * U[cb] + hy * V[cb] + ht * S[cb], e3 = hx * U[cd] + hy * V[cd] + ht * S[cd];
          gU[k] -= (1 - r) * (e2 - e0) + r * (e3 - e1);
          gV[k] -= (1 - s) * (e1 - e0) + s * (e3 - e2);
        }
      gdye.swap(gnext);
      // u = v - grad p: every stencil is turned round, so that each cell gathers.
      Scalar *gP = gp.data(), *gQ = gq.data(), *gD = gdiv.data();
      cells([=](int k, int a, int b, int r, int l, int) { gP[k] = Scalar(0.5) * (gU[a] - gU[b] + gV[r] - gV[l]); });
      std::memset(gD, 0, size * sizeof(Scalar));
      for (int s = sweeps; s > 0; s--) {
        cells([=](int k, int a, int b, int r, int l, int) {
          gD[k] -= gP[k] / 4;
          gQ[k] = (gP[a] + gP[b] + gP[r] + gP[l]) / 4;
        });
        std::swap(gP, gQ);
      }
      cells([=](int k, int a, int b, int r, int l, int) {
        gX[k] = gU[k] - Scalar(0.5) * (gD[a] - gD[b]);
        gY[k] = gV[k] - Scalar(0.5) * (gD[r] - gD[l]);
      });
    }
    std::memcpy(out, gvx.data(), size * sizeof(Scalar));
    std::memcpy(out + size, gvy.data(), size * sizeof(Scalar));
  }
};

}  // namespace

API void* smoke_new(int n, int steps, int sweeps, const Scalar* dye, const Scalar* target) {
  return new Smoke(n, steps, sweeps, dye, target);
}
API void smoke_free(void* smoke) { delete static_cast<Smoke*>(smoke); }
API double smoke_loss(void* smoke, const Scalar* v) {
  static_cast<Smoke*>(smoke)->forward(v);
  return static_cast<Smoke*>(smoke)->loss();
}
API double smoke_gradient(void* smoke, const Scalar* v, Scalar* gradient) {
  const double loss = smoke_loss(smoke, v);
  static_cast<Smoke*>(smoke)->backward(gradient);
  return loss;
}
