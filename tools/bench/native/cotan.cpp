// Cotan Laplacian and barycentric mass. Reals: vertices. Integers: faces. Out: matrices L and M.
#include "eigen_case.hpp"

struct Case : EigenCase {
  Points V;
  Indices F;
  std::vector<Triplet> triplets, tripletsM;

  void prepare() override {
    V = points(0), F = indices(0, 3);
    out.assign(2, SparseMatrix(V.rows(), V.rows()));
  }
  void runValues() override {
    triplets.clear(), tripletsM.clear();
    triplets.reserve(12 * F.rows()), tripletsM.reserve(3 * F.rows());
    for (int f = 0; f < F.rows(); f++) {
      const Vector3 a = V.row(F(f, 0)) - V.row(F(f, 1)), b = V.row(F(f, 0)) - V.row(F(f, 2));
      const Scalar doubleArea = a.cross(b).norm();
      for (int j = 0; j < 3; j++) {
        const int j1 = F(f, (j + 1) % 3), j2 = F(f, (j + 2) % 3);
        const Vector3 e0 = V.row(F(f, j)) - V.row(j1), e1 = V.row(F(f, j)) - V.row(j2);
        const Scalar w = e0.dot(e1) / doubleArea;
        triplets.emplace_back(j1, j1, -w);
        triplets.emplace_back(j2, j2, -w);
        triplets.emplace_back(j1, j2, w);
        triplets.emplace_back(j2, j1, w);
        tripletsM.emplace_back(F(f, j), F(f, j), doubleArea / 6);
      }
    }
  }
  void run() override {
    runValues();
    out[0].setFromTriplets(triplets.begin(), triplets.end());
    out[1].setFromTriplets(tripletsM.begin(), tripletsM.end());
  }
};
EIGEN_CASE(Case)
