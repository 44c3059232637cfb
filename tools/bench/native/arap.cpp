// As-rigid-as-possible local step. Matrices: weights (no diagonal). Reals: deformed vertices, vertices at rest.
// Out: reals B, three a vertex.
#include "eigen_case.hpp"

struct Case : EigenCase {
  Points P, rest, B;
  std::vector<Matrix3> rotations;

  void prepare() override {
    P = points(0), rest = points(1);
    B.resize(P.rows(), 3);
    rotations.resize(P.rows());
  }
  void run() override {
    // Weights are symmetric, so column i lists the neighbours of vertex i.
    const SparseMatrix& W = in[0];
    for (int i = 0; i < P.rows(); i++) {
      Matrix3 S = Matrix3::Zero();
      for (SparseMatrix::InnerIterator it(W, i); it; ++it)
        S += it.value() * (rest.row(i) - rest.row(it.row())).transpose() * (P.row(i) - P.row(it.row()));
      Eigen::JacobiSVD<Matrix3> svd(S, Eigen::ComputeFullU | Eigen::ComputeFullV);
      Matrix3 V = svd.matrixV();
      if (V.determinant() * svd.matrixU().determinant() < 0) V.col(2) *= -1;
      rotations[i] = V * svd.matrixU().transpose();
    }
    for (int i = 0; i < P.rows(); i++) {
      Vector3 b = Vector3::Zero();
      for (SparseMatrix::InnerIterator it(W, i); it; ++it)
        b += Scalar(0.5) * it.value() * (rotations[i] + rotations[it.row()]) * (rest.row(i) - rest.row(it.row())).transpose();
      B.row(i) = b;
    }
  }
  std::vector<Scalar> vector(int) const override {
    const Eigen::Matrix<Scalar, Eigen::Dynamic, 3, Eigen::RowMajor> rows = B;
    return {rows.data(), rows.data() + rows.size()};
  }
};
EIGEN_CASE(Case)
