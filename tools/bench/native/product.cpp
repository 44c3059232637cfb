// A*B*C. Matrices: A, B, C.
#include "eigen_case.hpp"

struct Case : EigenCase {
  void prepare() override { out.resize(1); }
  void run() override {
    out[0] = in[0] * in[1] * in[2];
  }
};
EIGEN_CASE(Case)
