// Dual Laplacian and mass of tetrahedra of positive volume. Reals: vertices. Integers: tetrahedra. Out: matrices L and M.
#include "eigen_case.hpp"

struct Case : EigenCase {
  Points V;
  Indices T;
  std::vector<Triplet> laplacian, mass;

  // The centre of the sphere through the columns: 2 (p_k - p_0).(c - p_0) = |p_k - p_0|^2 for the three others.
  static Vector3 circumcentre(const Eigen::Matrix<Scalar, 3, 4>& p) {
    const Matrix3 A = p.rightCols(3).colwise() - p.col(0);
    const Vector3 squares = A.colwise().squaredNorm();
    return p.col(0) + A.transpose().inverse() * squares / 2;
  }

  void prepare() override {
    V = points(0), T = indices(0, 4);
    out.assign(2, SparseMatrix(V.rows(), V.rows()));
  }
  void runValues() override {
    // Opposite each corner, in the order whose normal points inside.
    static const int inwardFaces[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    laplacian.clear(), mass.clear();
    laplacian.reserve(48 * T.rows()), mass.reserve(24 * T.rows());
    Eigen::Matrix<Scalar, 3, 4> p;
    for (int tet = 0; tet < T.rows(); tet++) {
      for (int i = 0; i < 4; i++) p.col(i) = V.row(T(tet, i));
      const Vector3 centre = circumcentre(p);
      for (const int* face : inwardFaces) {
        const Vector3 a = p.col(face[0]), normal = (p.col(face[1]) - a).cross(p.col(face[2]) - a);
        const Scalar quarterHeight = normal.dot(centre - a) / (4 * normal.squaredNorm());
        for (int e = 0; e < 3; e++) {
          const int i = face[e], j = face[(e + 1) % 3], k = face[(e + 2) % 3];
          const Scalar weight = quarterHeight * (p.col(i) - p.col(k)).dot(p.col(j) - p.col(k));
          const Scalar cell = weight * (p.col(j) - p.col(i)).squaredNorm() / 6;
          const int row = T(tet, i), col = T(tet, j);
          laplacian.emplace_back(row, row, -weight);
          laplacian.emplace_back(col, col, -weight);
          laplacian.emplace_back(row, col, weight);
          laplacian.emplace_back(col, row, weight);
          mass.emplace_back(row, row, cell);
          mass.emplace_back(col, col, cell);
        }
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
