// Hessian of stretch and shear energy, lower triangle. Reals: vertices, areas at rest, gradients at rest (3x2 a face),
// (stretch, shear). Integers: faces. Out: matrix H.
//
// With -DDYNAMIC the small matrices have sizes known at run time only, as in the reference that the paper compares with;
// without it they have fixed sizes, which Eigen keeps out of the heap.
#include "eigen_case.hpp"

#ifdef DYNAMIC
using Matrix32 = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
#else
using Matrix32 = Eigen::Matrix<Scalar, 3, 2>;
#endif
using Matrix9 = Eigen::Matrix<Scalar, 9, 9>;
using Vector2 = Eigen::Matrix<Scalar, 2, 1>;

struct Case : EigenCase {
  Points X;
  Indices F;
  std::vector<Matrix32> B;
  std::vector<Triplet> triplets;

  void prepare() override {
    X = points(0), F = indices(0, 3);
    out.assign(1, SparseMatrix(3 * X.rows(), 3 * X.rows()));
    B.assign(F.rows(), Matrix32(3, 2));
    for (int f = 0; f < F.rows(); f++)
      for (int i = 0; i < 6; i++) B[f](i / 2, i % 2) = reals[2][6 * f + i];
  }
  void runValues() override {
    const Scalar stretch = reals[3][0], shear = reals[3][1];
    triplets.clear();
    triplets.reserve(54 * F.rows());
    for (int f = 0; f < F.rows(); f++) {
      const Scalar a = reals[1][f];
      Matrix32 J = Matrix32::Zero(3, 2);
      for (int i = 0; i < 3; i++) J += X.row(F(f, i)).transpose() * B[f].row(i);
      const Vector2 norm = J.colwise().norm();
      Matrix32 N = J;
      N.col(0) /= norm(0), N.col(1) /= norm(1);
      const Vector2 C = a * (norm - Vector2::Ones());
      const Scalar Cs = a * J.col(0).dot(J.col(1));

#ifdef DYNAMIC
      std::vector<Matrix32> dC(3);
#else
      Matrix32 dC[3];
#endif
      Matrix3 dCs;
      for (int i = 0; i < 3; i++) {
        dC[i].resize(3, 2);
        dC[i].col(0) = a * B[f](i, 0) * N.col(0);
        dC[i].col(1) = a * B[f](i, 1) * N.col(1);
        dCs.col(i) = a * (B[f](i, 0) * J.col(1) + B[f](i, 1) * J.col(0));
      }
      const Matrix3 Iu = a * (Matrix3::Identity() - N.col(0) * N.col(0).transpose()) / norm(0);
      const Matrix3 Iv = a * (Matrix3::Identity() - N.col(1) * N.col(1).transpose()) / norm(1);

      Matrix9 H;
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
          const Matrix3 d2u = B[f](i, 0) * B[f](j, 0) * Iu, d2v = B[f](i, 1) * B[f](j, 1) * Iv;
          const Scalar d2s = a * (B[f](i, 0) * B[f](j, 1) + B[f](i, 1) * B[f](j, 0));
          const Matrix3 stretching = dC[i] * dC[j].transpose() + d2u * C(0) + d2v * C(1);
          const Matrix3 shearing = dCs.col(i) * dCs.col(j).transpose() + d2s * Cs * Matrix3::Identity();
          H.template block<3, 3>(3 * i, 3 * j) = stretch * stretching + shear * shearing;
        }
      for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
          const int row = 3 * F(f, i / 3) + i % 3, col = 3 * F(f, j / 3) + j % 3;
          if (row >= col) triplets.emplace_back(row, col, H(i, j));
        }
    }
  }
  void run() override {
    runValues();
    out[0].setFromTriplets(triplets.begin(), triplets.end());
  }
};
EIGEN_CASE(Case)
