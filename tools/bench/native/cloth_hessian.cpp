// Hessian of stretch and shear energy, lower triangle. Reals: vertices, areas at rest, gradients at rest (3x2 a face),
// (stretch, shear). Integers: faces. Out: matrix H.
//
// With -DDYNAMIC the small matrices have sizes known at run time only, as in the reference that the paper compares with;
// without it they have fixed sizes, which Eigen keeps out of the heap.
#include "eigen_case.hpp"

#ifdef DYNAMIC
using Tangents = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
using Block = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
#else
using Tangents = Eigen::Matrix<Scalar, 3, 2>;
using Block = Matrix3;
#endif

struct Case : EigenCase {
  Points X;
  Indices F;
  std::vector<Tangents> gradients;
  std::vector<Triplet> triplets;

  void prepare() override {
    X = points(0), F = indices(0, 3);
    out.assign(1, SparseMatrix(3 * X.rows(), 3 * X.rows()));
    gradients.assign(F.rows(), Tangents(3, 2));
    for (int f = 0; f < F.rows(); f++)
      for (int i = 0; i < 3; i++)
        for (int t = 0; t < 2; t++) gradients[f](i, t) = reals[2][6 * f + 2 * i + t];
  }
  // Second derivative by the tangent u alone: of s/2 (|u| - 1)^2 + h/2 (u.v)^2.
  static Block byOneTangent(const Vector3& u, const Vector3& v, Scalar s, Scalar h) {
    const Scalar length = u.norm();
    return s * ((1 - 1 / length) * Matrix3::Identity() + u * u.transpose() / (length * length * length)) +
           h * v * v.transpose();
  }
  void runValues() override {
    triplets.clear();
    triplets.reserve(54 * F.rows());
    for (int f = 0; f < F.rows(); f++) {
      const Tangents& b = gradients[f];
      Block corners(3, 3);
      for (int i = 0; i < 3; i++) corners.col(i) = X.row(F(f, i));
      const Tangents tangents = corners * b;
      const Vector3 u = tangents.col(0), v = tangents.col(1);

      const Scalar squaredArea = reals[1][f] * reals[1][f];
      const Scalar s = reals[3][0] * squaredArea, h = reals[3][1] * squaredArea;
      const Block uu = byOneTangent(u, v, s, h), vv = byOneTangent(v, u, s, h);
      const Block uv = h * (v * u.transpose() + u.dot(v) * Matrix3::Identity());

      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          const Block H = b(i, 0) * b(j, 0) * uu + b(i, 1) * b(j, 1) * vv + b(i, 0) * b(j, 1) * uv +
                          b(i, 1) * b(j, 0) * uv.transpose();
          for (int p = 0; p < 3; p++)
            for (int q = 0; q < 3; q++) {
              const int row = 3 * F(f, i) + p, col = 3 * F(f, j) + q;
              if (row >= col) triplets.emplace_back(row, col, H(p, q));
            }
        }
    }
  }
  void run() override {
    runValues();
    out[0].setFromTriplets(triplets.begin(), triplets.end());
  }
};
EIGEN_CASE(Case)
