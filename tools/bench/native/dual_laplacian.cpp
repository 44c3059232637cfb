// Dual Laplacian and mass of tetrahedra of positive volume. Reals: vertices. Integers: tetrahedra. Out: matrices L and M.
#include "eigen_case.hpp"

struct Case : EigenCase {
  Points V;
  Indices T;
  std::vector<Triplet> laplacian, mass;

  using Corners = Eigen::Matrix<Scalar, 3, 4>;

  // 2 (p_k - p_0).(c - p_0) = |p_k - p_0|^2 for the three other corners.
  static Vector3 centreOfSphere(const Corners& p) {
    const Matrix3 A = p.rightCols(3).colwise() - p.col(0);
    const Vector3 squares = A.colwise().squaredNorm();
    return p.col(0) + A.transpose().inverse() * squares / 2;
  }
  static Vector3 centreOfCircle(const Vector3& a, const Vector3& b, const Vector3& c) {
    const Vector3 x = b - a, y = c - a, n = x.cross(y);
    return a + (x.squaredNorm() * y.cross(n) + y.squaredNorm() * n.cross(x)) / (2 * n.squaredNorm());
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
    Corners p;
    for (int tet = 0; tet < T.rows(); tet++) {
      for (int i = 0; i < 4; i++) p.col(i) = V.row(T(tet, i));
      const Vector3 centre = centreOfSphere(p);
      for (const int* face : inwardFaces) {
        const Vector3 faceCentre = centreOfCircle(p.col(face[0]), p.col(face[1]), p.col(face[2]));
        for (int e = 0; e < 3; e++) {
          const int i = face[e], j = face[(e + 1) % 3], row = T(tet, i), col = T(tet, j);
          const Vector3 edge = p.col(j) - p.col(i), middle = (p.col(i) + p.col(j)) / 2;
          const Scalar alongEdge = (faceCentre - middle).cross(centre - middle).dot(edge) / 2;
          const Scalar weight = alongEdge / edge.squaredNorm(), cell = alongEdge / 6;
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
