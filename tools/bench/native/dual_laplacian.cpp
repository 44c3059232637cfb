// Dual Laplacian and mass of tetrahedra. Reals: vertices. Integers: tetrahedra. Out: matrices L and M.
#include "eigen_case.hpp"

struct Case : EigenCase {
  Points V;
  Indices T;
  std::vector<Triplet> tripletsL, tripletsM;

  static Vector3 circumcentre(const Vector3& a, const Vector3& b, const Vector3& c) {
    const Scalar la = (b - c).squaredNorm(), lb = (a - c).squaredNorm(), lc = (a - b).squaredNorm();
    const Scalar wa = la * (lb + lc - la), wb = lb * (lc + la - lb), wc = lc * (la + lb - lc);
    const Scalar sum = wa + wb + wc;
    return (wa / sum) * a + (wb / sum) * b + (wc / sum) * c;
  }
  static Vector3 circumcentre(const Vector3* p) {
    Matrix3 A;
    Vector3 b;
    for (int k = 0; k < 3; k++) {
      A.row(k) = p[k + 1] - p[0];
      b(k) = p[k + 1].squaredNorm() - p[0].squaredNorm();
    }
    return Scalar(0.5) * (A.inverse() * b);
  }
  static Scalar volume(const Vector3& a, const Vector3& b, const Vector3& c, const Vector3& d) {
    Matrix3 A;
    A.row(0) = b - a, A.row(1) = c - a, A.row(2) = d - a;
    return A.determinant() / 6;
  }

  void prepare() override {
    V = points(0), T = indices(0, 4);
    out.assign(2, SparseMatrix(V.rows(), V.rows()));
  }
  void runValues() override {
    static const int turn[4][4] = {{-1, 2, 3, 1}, {3, -1, 0, 2}, {1, 3, -1, 0}, {2, 0, 1, -1}};
    tripletsL.clear(), tripletsM.clear();
    tripletsL.reserve(48 * T.rows()), tripletsM.reserve(24 * T.rows());
    for (int k = 0; k < T.rows(); k++) {
      const Vector3 p[4] = {V.row(T(k, 0)), V.row(T(k, 1)), V.row(T(k, 2)), V.row(T(k, 3))};
      const Vector3 centre = circumcentre(p);
      for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 4; j++) {
          if (i == j) continue;
          const Vector3 faceCentre = circumcentre(p[i], p[j], p[turn[i][j]]);
          const Vector3 middle = Scalar(0.5) * (p[i] + p[j]);
          const Scalar vol = volume(p[i], middle, faceCentre, centre);
          const Scalar w = 6 * vol / (p[i] - p[j]).squaredNorm();
          const int a = T(k, i), b = T(k, j);
          tripletsL.emplace_back(a, b, w);
          tripletsL.emplace_back(b, a, w);
          tripletsL.emplace_back(a, a, -w);
          tripletsL.emplace_back(b, b, -w);
          tripletsM.emplace_back(a, a, vol);
          tripletsM.emplace_back(b, b, vol);
        }
      }
    }
  }
  void run() override {
    runValues();
    out[0].setFromTriplets(tripletsL.begin(), tripletsL.end());
    out[1].setFromTriplets(tripletsM.begin(), tripletsM.end());
  }
};
EIGEN_CASE(Case)
