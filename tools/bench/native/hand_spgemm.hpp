// Sparse products as one writes them by hand when the patterns stay: the pattern of the result is found once (symbolic
// phase), every run computes values into it (numeric phase, Gustavson's algorithm with one dense row).
#pragma once
#include <algorithm>
#include "baseline.hpp"

struct HandProduct {
  Rows result;

  void symbolic(const Rows& A, const Rows& B) {
    result.rows = A.rows, result.cols = B.cols;
    result.ptr.assign(1, 0), result.idx.clear();
    std::vector<int> seen(B.cols, -1);
    for (int i = 0; i < A.rows; i++) {
      for (int k = A.ptr[i]; k < A.ptr[i + 1]; k++)
        for (int l = B.ptr[A.idx[k]]; l < B.ptr[A.idx[k] + 1]; l++)
          if (seen[B.idx[l]] != i) seen[B.idx[l]] = i, result.idx.push_back(B.idx[l]);
      std::sort(result.idx.begin() + result.ptr.back(), result.idx.end());
      result.ptr.push_back(result.idx.size());
    }
    result.val.assign(result.idx.size(), 0);
    row.assign(B.cols, 0);
  }
  void numeric(const Rows& A, const Rows& B) {
    Scalar* w = row.data();
    for (int i = 0; i < A.rows; i++) {
      for (int k = A.ptr[i]; k < A.ptr[i + 1]; k++) {
        const Scalar a = A.val[k];
        for (int l = B.ptr[A.idx[k]]; l < B.ptr[A.idx[k] + 1]; l++) w[B.idx[l]] += a * B.val[l];
      }
      for (int k = result.ptr[i]; k < result.ptr[i + 1]; k++) {
        result.val[k] = w[result.idx[k]];
        w[result.idx[k]] = 0;
      }
    }
  }

 private:
  std::vector<Scalar> row;
};

// A transpose with the place of every entry found once.
struct HandTranspose {
  Rows result;

  void symbolic(const Rows& A) {
    result.rows = A.cols, result.cols = A.rows;
    result.ptr.assign(A.cols + 1, 0);
    for (int j : A.idx) result.ptr[j + 1]++;
    for (int j = 0; j < A.cols; j++) result.ptr[j + 1] += result.ptr[j];
    result.idx.resize(A.idx.size()), result.val.resize(A.idx.size()), place.resize(A.idx.size());
    std::vector<int> next(result.ptr.begin(), result.ptr.end() - 1);
    for (int i = 0; i < A.rows; i++)
      for (int k = A.ptr[i]; k < A.ptr[i + 1]; k++) place[k] = next[A.idx[k]], result.idx[next[A.idx[k]]++] = i;
  }
  void numeric(const Rows& A) {
    for (size_t k = 0; k < place.size(); k++) result.val[place[k]] = A.val[k];
  }

 private:
  std::vector<int> place;
};

// A sum with the places of both summands found once.
struct HandSum {
  Rows result;

  void symbolic(const Rows& A, const Rows& B) {
    result.rows = A.rows, result.cols = A.cols;
    result.ptr.assign(1, 0), result.idx.clear(), placeA.clear(), placeB.clear();
    for (int i = 0; i < A.rows; i++) {
      int k = A.ptr[i], l = B.ptr[i];
      while (k < A.ptr[i + 1] || l < B.ptr[i + 1]) {
        const int a = k < A.ptr[i + 1] ? A.idx[k] : A.cols, b = l < B.ptr[i + 1] ? B.idx[l] : A.cols;
        const int j = std::min(a, b);
        if (a == j) placeA.push_back(result.idx.size()), k++;
        if (b == j) placeB.push_back(result.idx.size()), l++;
        result.idx.push_back(j);
      }
      result.ptr.push_back(result.idx.size());
    }
    result.val.assign(result.idx.size(), 0);
  }
  void numeric(const Rows& A, const Rows& B) {
    std::fill(result.val.begin(), result.val.end(), Scalar(0));
    for (size_t k = 0; k < placeA.size(); k++) result.val[placeA[k]] = A.val[k];
    for (size_t l = 0; l < placeB.size(); l++) result.val[placeB[l]] += B.val[l];
  }

 private:
  std::vector<int> placeA, placeB;
};
