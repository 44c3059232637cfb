// A'*A + A by hand. Matrices: A.
#include "hand_spgemm.hpp"

struct Case : Baseline {
  HandTranspose transpose;
  HandProduct product;
  HandSum sum;

  void prepare() override {
    transpose.symbolic(matrices[0]);
    product.symbolic(transpose.result, matrices[0]);
    sum.symbolic(product.result, matrices[0]);
  }
  void run() override {
    transpose.numeric(matrices[0]);
    product.numeric(transpose.result, matrices[0]);
    sum.numeric(product.result, matrices[0]);
  }
  Rows matrix(int) const override { return sum.result; }
};

std::unique_ptr<Baseline> makeBaseline() { return std::make_unique<Case>(); }
