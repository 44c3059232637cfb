// (A + B)*(A + B + C). Matrices: A, B, C.
#include "eigen_case.hpp"

struct Case : EigenCase {
  void prepare() override { out.resize(1); }
  void run() override {
    const SparseMatrix &A = in[0], &B = in[1], &C = in[2];
    out[0] = (A + B) * (A + B + C);
  }
};
EIGEN_CASE(Case)
