// A'*A + A. Matrices: A.
#include "eigen_case.hpp"

struct Case : EigenCase {
  void prepare() override { out.resize(1); }
  void run() override {
    const SparseMatrix& A = in[0];
    out[0] = A.transpose() * A + A;
  }
};
EIGEN_CASE(Case)
