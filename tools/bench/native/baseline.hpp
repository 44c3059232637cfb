// What every baseline library exports: arrays in, run, arrays out. Compiled once with SCALAR=float, once with double.
#pragma once
#include <memory>
#include <vector>

#ifndef SCALAR
#define SCALAR double
#endif
using Scalar = SCALAR;

// A sparse matrix in compressed rows, as it crosses the boundary.
struct Rows {
  int rows = 0, cols = 0;
  std::vector<int> ptr, idx;
  std::vector<Scalar> val;
};

// One benchmark case. Slots number the inputs and outputs of a kind; each case says at its head what they hold.
struct Baseline {
  virtual ~Baseline() = default;
  virtual void setMatrix(int slot, Rows m) { at(matrices, slot) = std::move(m); }
  virtual void setReals(int slot, std::vector<Scalar> v) { at(reals, slot) = std::move(v); }
  virtual void setIntegers(int slot, std::vector<int> v) { at(integers, slot) = std::move(v); }
  // Called once after the inputs are set and before the first run; not timed.
  virtual void prepare() {}
  virtual void run() = 0;
  // The values alone, before they are assembled to a matrix; where a case has such a stage.
  virtual void runValues() { run(); }
  virtual Rows matrix(int slot) const = 0;
  virtual std::vector<Scalar> vector(int) const { return {}; }

 protected:
  std::vector<Rows> matrices;
  std::vector<std::vector<Scalar>> reals;
  std::vector<std::vector<int>> integers;

 private:
  template <class T>
  static T& at(std::vector<T>& v, int slot) {
    if ((int)v.size() <= slot) v.resize(slot + 1);
    return v[slot];
  }
};

// Each case defines this.
std::unique_ptr<Baseline> makeBaseline();

#if defined(_WIN32)
#define EXPORT extern "C" __declspec(dllexport)
#else
#define EXPORT extern "C" __attribute__((visibility("default")))
#endif

// Functions that can run out of memory return 0, else 1: no exception may leave the library.
template <class F>
int guarded(F f) {
  try {
    f();
    return 1;
  } catch (...) {
    return 0;
  }
}

EXPORT void* baseline_create() {
  try {
    return makeBaseline().release();
  } catch (...) {
    return nullptr;
  }
}
EXPORT void baseline_destroy(void* h) { delete (Baseline*)h; }
EXPORT int baseline_set_matrix(void* h, int slot, int rows, int cols, const int* ptr, const int* idx, const Scalar* val) {
  return guarded([&] {
    const int nnz = ptr[rows];
    ((Baseline*)h)->setMatrix(slot, {rows, cols, {ptr, ptr + rows + 1}, {idx, idx + nnz}, {val, val + nnz}});
  });
}
EXPORT int baseline_set_reals(void* h, int slot, int n, const Scalar* v) {
  return guarded([&] { ((Baseline*)h)->setReals(slot, {v, v + n}); });
}
EXPORT int baseline_set_integers(void* h, int slot, int n, const int* v) {
  return guarded([&] { ((Baseline*)h)->setIntegers(slot, {v, v + n}); });
}
EXPORT int baseline_prepare(void* h) {
  return guarded([&] { ((Baseline*)h)->prepare(); });
}
EXPORT int baseline_run(void* h) {
  return guarded([&] { ((Baseline*)h)->run(); });
}
EXPORT int baseline_run_values(void* h) {
  return guarded([&] { ((Baseline*)h)->runValues(); });
}
// Sizes of a result matrix: rows, columns, non-zeros.
EXPORT int baseline_matrix_size(void* h, int slot, int* size) {
  return guarded([&] {
    const Rows m = ((Baseline*)h)->matrix(slot);
    size[0] = m.rows, size[1] = m.cols, size[2] = (int)m.idx.size();
  });
}
EXPORT int baseline_get_matrix(void* h, int slot, int* ptr, int* idx, Scalar* val) {
  return guarded([&] {
    const Rows m = ((Baseline*)h)->matrix(slot);
    for (size_t i = 0; i < m.ptr.size(); i++) ptr[i] = m.ptr[i];
    for (size_t k = 0; k < m.idx.size(); k++) idx[k] = m.idx[k], val[k] = m.val[k];
  });
}
EXPORT int baseline_length(void* h, int slot) { return (int)((Baseline*)h)->vector(slot).size(); }
EXPORT int baseline_get_reals(void* h, int slot, Scalar* out) {
  return guarded([&] {
    const std::vector<Scalar> v = ((Baseline*)h)->vector(slot);
    for (size_t i = 0; i < v.size(); i++) out[i] = v[i];
  });
}
