// L^k by hand. Matrices: L. Integers: k.
#include "hand_spgemm.hpp"

struct Case : Baseline {
  std::vector<HandProduct> products;

  void prepare() override {
    products.resize(integers[0][0] - 1);
    for (size_t p = 0; p < products.size(); p++) products[p].symbolic(p ? products[p - 1].result : matrices[0], matrices[0]);
  }
  void run() override {
    for (size_t p = 0; p < products.size(); p++) products[p].numeric(p ? products[p - 1].result : matrices[0], matrices[0]);
  }
  Rows matrix(int) const override { return products.back().result; }
};

std::unique_ptr<Baseline> makeBaseline() { return std::make_unique<Case>(); }
