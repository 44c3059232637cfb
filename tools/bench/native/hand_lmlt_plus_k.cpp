// L*M*L' + K by hand. Matrices: L, M, K.
#include "hand_spgemm.hpp"

struct Case : Baseline {
  HandTranspose transpose;
  HandProduct left, right;
  HandSum sum;

  void prepare() override {
    transpose.symbolic(matrices[0]);
    left.symbolic(matrices[0], matrices[1]);
    right.symbolic(left.result, transpose.result);
    sum.symbolic(right.result, matrices[2]);
  }
  void run() override {
    transpose.numeric(matrices[0]);
    left.numeric(matrices[0], matrices[1]);
    right.numeric(left.result, transpose.result);
    sum.numeric(right.result, matrices[2]);
  }
  Rows matrix(int) const override { return sum.result; }
};

std::unique_ptr<Baseline> makeBaseline() { return std::make_unique<Case>(); }
