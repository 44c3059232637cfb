// L^k. Matrices: L. Integers: k.
#include "eigen_case.hpp"

struct Case : EigenCase {
  void prepare() override { out.resize(1); }
  void run() override {
    const SparseMatrix& L = in[0];
    switch (integers[0][0]) {
      case 2: out[0] = L * L; break;
      case 3: out[0] = L * L * L; break;
      default: out[0] = L * L * L * L;
    }
  }
};
EIGEN_CASE(Case)
