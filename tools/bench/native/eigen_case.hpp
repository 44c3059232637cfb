// A baseline over Eigen's default types, as a user gets them without asking: sparse matrices in compressed columns, vertices in a
// matrix of dynamic size (the convention of libigl).
#pragma once
#include <Eigen/Dense>
#include <Eigen/Sparse>
#include "baseline.hpp"

using SparseMatrix = Eigen::SparseMatrix<Scalar>;
using Triplet = Eigen::Triplet<Scalar>;
using Vector3 = Eigen::Matrix<Scalar, 3, 1>;
using Matrix3 = Eigen::Matrix<Scalar, 3, 3>;
using Points = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;
using Indices = Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic>;

struct EigenCase : Baseline {
  std::vector<SparseMatrix> in, out;

  void setMatrix(int slot, Rows m) override {
    if ((int)in.size() <= slot) in.resize(slot + 1);
    in[slot] = Eigen::Map<const Eigen::SparseMatrix<Scalar, Eigen::RowMajor>>(m.rows, m.cols, m.val.size(), m.ptr.data(),
                                                                           m.idx.data(), m.val.data());
  }
  Rows matrix(int slot) const override {
    const Eigen::SparseMatrix<Scalar, Eigen::RowMajor> m = out.at(slot);
    const int nnz = m.nonZeros();
    return {(int)m.rows(), (int)m.cols(),
            {m.outerIndexPtr(), m.outerIndexPtr() + m.rows() + 1},
            {m.innerIndexPtr(), m.innerIndexPtr() + nnz},
            {m.valuePtr(), m.valuePtr() + nnz}};
  }

 protected:
  Points points(int slot) const {
    return Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 3, Eigen::RowMajor>>(reals[slot].data(), reals[slot].size() / 3, 3);
  }
  Indices indices(int slot, int arity) const {
    return Eigen::Map<const Eigen::Matrix<int, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
        integers[slot].data(), integers[slot].size() / arity, arity);
  }
};

#define EIGEN_CASE(Name) \
  std::unique_ptr<Baseline> makeBaseline() { return std::make_unique<Name>(); }
