// A*B. Matrices: A, B.
#include "eigen_case.hpp"

struct Case : EigenCase {
  void prepare() override { out.resize(1); }
  void run() override { out[0] = in[0] * in[1]; }
};
EIGEN_CASE(Case)
