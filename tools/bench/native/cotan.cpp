// Cotan Laplacian and barycentric mass. Reals: vertices. Integers: faces. Out: matrices L and M.
#include "eigen_case.hpp"

struct Case : EigenCase {
  Points V;
  Indices F;
  std::vector<Triplet> laplacian, mass;

  void prepare() override {
    V = points(0), F = indices(0, 3);
    out.assign(2, SparseMatrix(V.rows(), V.rows()));
  }
  void runValues() override {
    laplacian.clear(), mass.clear();
    laplacian.reserve(12 * F.rows()), mass.reserve(3 * F.rows());
    for (int f = 0; f < F.rows(); f++) {
      // Column k is the edge opposite corner k.
      Matrix3 edges;
      for (int k = 0; k < 3; k++) edges.col(k) = V.row(F(f, (k + 2) % 3)) - V.row(F(f, (k + 1) % 3));
      const Scalar doubleArea = edges.col(0).cross(edges.col(1)).norm();
      for (int k = 0; k < 3; k++) {
        const int from = F(f, (k + 1) % 3), to = F(f, (k + 2) % 3);
        const Scalar cot = -edges.col((k + 1) % 3).dot(edges.col((k + 2) % 3)) / doubleArea;
        laplacian.emplace_back(from, to, cot);
        laplacian.emplace_back(to, from, cot);
        laplacian.emplace_back(from, from, -cot);
        laplacian.emplace_back(to, to, -cot);
        mass.emplace_back(F(f, k), F(f, k), doubleArea / 6);
      }
    }
  }
  void run() override {
    runValues();
    out[0].setFromTriplets(laplacian.begin(), laplacian.end());
    out[1].setFromTriplets(mass.begin(), mass.end());
  }
};
EIGEN_CASE(Case)
