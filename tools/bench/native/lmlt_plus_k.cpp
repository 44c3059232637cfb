// L*M*L' + K. Matrices: L, M, K.
#include "eigen_case.hpp"

struct Case : EigenCase {
  void prepare() override { out.resize(1); }
  void run() override {
    const SparseMatrix &L = in[0], &M = in[1], &K = in[2];
    out[0] = SparseMatrix(L * M * L.transpose()) + K;
  }
};
EIGEN_CASE(Case)
