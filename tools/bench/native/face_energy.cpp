// Energies of triangles by the map J of each face, which has DIM rows and two columns: the sum of area · psi(J). With DIM = 3
// psi is St. Venant and Kirchhoff's, mu |E|^2 + lambda/2 tr(E)^2 with E = (J'J - 1)/2; with DIM = 2 it is the symmetric
// Dirichlet energy |J|^2 (1 + 1/det^2). Reals: positions, areas at rest, gradients at rest (3x2 a face), and for DIM = 3
// (mu, lambda). Integers: faces. WHAT = 0: vector 0 is the energy; 1: vector 0 is its gradient; 2: matrix 0 is its whole
// Hessian. All formulas are by hand, all sizes are fixed; where entries go is found before.
#include <algorithm>
#include <set>

#include "baseline.hpp"

#ifndef DIM
#define DIM 3
#endif
#ifndef WHAT
#define WHAT 2
#endif

struct Case : Baseline {
  int faces = 0;
  std::vector<Scalar> result;
  Rows H;
  // Of each face and each pair of its corners the first place in each row of their block.
  std::vector<int> places;

  void prepare() override {
    faces = (int)reals[1].size();
    const int n = (int)reals[0].size() / DIM;
    result.assign(WHAT == 0 ? 1 : reals[0].size(), 0);
    if (WHAT != 2) return;
    std::vector<std::set<int>> beside(n);
    for (int f = 0; f < faces; f++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) beside[integers[0][3 * f + i]].insert(integers[0][3 * f + j]);
    H.rows = H.cols = DIM * n;
    H.ptr.push_back(0);
    for (int v = 0; v < n; v++)
      for (int p = 0; p < DIM; p++) {
        for (int w : beside[v])
          for (int q = 0; q < DIM; q++) H.idx.push_back(DIM * w + q);
        H.ptr.push_back((int)H.idx.size());
      }
    H.val.assign(H.idx.size(), 0);
    for (int f = 0; f < faces; f++)
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          for (int p = 0; p < DIM; p++) {
            const int row = DIM * integers[0][3 * f + i] + p, col = DIM * integers[0][3 * f + j];
            const auto begin = H.idx.begin() + H.ptr[row], end = H.idx.begin() + H.ptr[row + 1];
            places.push_back((int)(std::lower_bound(begin, end, col) - H.idx.begin()));
          }
  }

  void run() override {
    if (WHAT == 2)
      std::fill(H.val.begin(), H.val.end(), Scalar(0));
    else
      std::fill(result.begin(), result.end(), Scalar(0));
    Scalar sum = 0;
    for (int f = 0; f < faces; f++) {
      const int* corner = &integers[0][3 * f];
      const Scalar* b = &reals[2][6 * f];
      const Scalar area = reals[1][f];
      Scalar J[DIM][2] = {};
      for (int i = 0; i < 3; i++)
        for (int p = 0; p < DIM; p++) {
          const Scalar x = reals[0][DIM * corner[i] + p];
          J[p][0] += b[2 * i] * x;
          J[p][1] += b[2 * i + 1] * x;
        }
      face(J, b, area, corner, &places[WHAT == 2 ? 9 * DIM * f : 0], sum);
    }
    if (WHAT == 0) result[0] = sum;
  }

#if DIM == 3
  void face(const Scalar (&J)[3][2], const Scalar* b, Scalar area, const int* corner, const int* at, Scalar& sum) {
    const Scalar mu = reals[3][0], lambda = reals[3][1];
    Scalar c[3] = {};
    for (int p = 0; p < 3; p++) c[0] += J[p][0] * J[p][0], c[1] += J[p][0] * J[p][1], c[2] += J[p][1] * J[p][1];
    const Scalar e0 = (c[0] - 1) / 2, e1 = c[1] / 2, e2 = (c[2] - 1) / 2, trace = e0 + e2;
    if (WHAT == 0) {
      sum += area * (mu * (e0 * e0 + 2 * e1 * e1 + e2 * e2) + lambda / 2 * trace * trace);
      return;
    }
    const Scalar s0 = 2 * mu * e0 + lambda * trace, s1 = 2 * mu * e1, s2 = 2 * mu * e2 + lambda * trace;
    if (WHAT == 1) {
      for (int p = 0; p < 3; p++) {
        const Scalar P0 = area * (J[p][0] * s0 + J[p][1] * s1), P1 = area * (J[p][0] * s1 + J[p][1] * s2);
        for (int i = 0; i < 3; i++) result[3 * corner[i] + p] += P0 * b[2 * i] + P1 * b[2 * i + 1];
      }
      return;
    }
    Scalar along[3][3], JJ[3][3];
    for (int p = 0; p < 3; p++) {
      for (int i = 0; i < 3; i++) along[i][p] = J[p][0] * b[2 * i] + J[p][1] * b[2 * i + 1];
      for (int q = 0; q < 3; q++) JJ[p][q] = J[p][0] * J[q][0] + J[p][1] * J[q][1];
    }
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const Scalar *u = b + 2 * i, *v = b + 2 * j;
        const Scalar within = u[0] * (s0 * v[0] + s1 * v[1]) + u[1] * (s1 * v[0] + s2 * v[1]);
        const Scalar inner = mu * (u[0] * v[0] + u[1] * v[1]);
        for (int p = 0; p < 3; p++)
          for (int q = 0; q < 3; q++)
            H.val[at[3 * (3 * i + j) + p] + q] +=
                area * ((p == q ? within : 0) + inner * JJ[p][q] + mu * along[j][p] * along[i][q] +
                        lambda * along[i][p] * along[j][q]);
      }
  }
#else
  void face(const Scalar (&J)[2][2], const Scalar* b, Scalar area, const int* corner, const int* at, Scalar& sum) {
    const Scalar det = J[0][0] * J[1][1] - J[0][1] * J[1][0], inverse = 1 / det, square = inverse * inverse;
    const Scalar size = J[0][0] * J[0][0] + J[0][1] * J[0][1] + J[1][0] * J[1][0] + J[1][1] * J[1][1];
    if (WHAT == 0) {
      sum += area * size * (1 + square);
      return;
    }
    // The derivative of det by J.
    const Scalar C[2][2] = {{J[1][1], -J[1][0]}, {-J[0][1], J[0][0]}};
    const Scalar two = 2 * area * (1 + square), cubed = area * square * inverse;
    if (WHAT == 1) {
      for (int p = 0; p < 2; p++) {
        const Scalar P0 = two * J[p][0] - 2 * size * cubed * C[p][0], P1 = two * J[p][1] - 2 * size * cubed * C[p][1];
        for (int i = 0; i < 3; i++) result[2 * corner[i] + p] += P0 * b[2 * i] + P1 * b[2 * i + 1];
      }
      return;
    }
    Scalar Ju[3][2], Cu[3][2];
    for (int i = 0; i < 3; i++)
      for (int p = 0; p < 2; p++) {
        Ju[i][p] = J[p][0] * b[2 * i] + J[p][1] * b[2 * i + 1];
        Cu[i][p] = C[p][0] * b[2 * i] + C[p][1] * b[2 * i + 1];
      }
    const Scalar fourth = 6 * size * cubed * inverse;
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        const Scalar *u = b + 2 * i, *v = b + 2 * j;
        const Scalar within = two * (u[0] * v[0] + u[1] * v[1]);
        const Scalar turn = 2 * size * cubed * (u[0] * v[1] - u[1] * v[0]);
        for (int p = 0; p < 2; p++)
          for (int q = 0; q < 2; q++)
            H.val[at[2 * (3 * i + j) + p] + q] += (p == q ? within : p == 0 ? -turn : turn) -
                                                  4 * cubed * (Ju[i][p] * Cu[j][q] + Cu[i][p] * Ju[j][q]) +
                                                  fourth * Cu[i][p] * Cu[j][q];
      }
  }
#endif

  Rows matrix(int) const override { return H; }
  std::vector<Scalar> vector(int) const override { return result; }
};

std::unique_ptr<Baseline> makeBaseline() { return std::make_unique<Case>(); }
