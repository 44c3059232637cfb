#include "kernels/all.h"

#include <cstdio>
#include <vector>

using namespace kernels;

int main() {
  // Storage is as large as the layout says; views find entries in it.
  alignas(64) double Q[tensor::Q::Size] = {};
  std::vector<double> I(tensor::I::Size), A(tensor::A::Size);
  for (int l = 0; l < 20; ++l)
    for (int q = 0; q < 9; ++q) tensor::I::view(I.data())(l, q) = 1.0 / (1 + l + q);
  for (int q = 0; q < 9; ++q)
    for (int p = 0; p < 9; ++p) tensor::A::view(A.data())(q, p) = q == p ? 2.0 : 0.5;

  kernel::volume volume;
  volume.Q = Q;
  volume.I = I.data();
  volume.A = A.data();
  volume.dt = 0.25;
  volume.execute(); // K is within the code

  double sum = 0;
  for (int k = 0; k < 20; ++k)
    for (int p = 0; p < 9; ++p) sum += (k + 1) * tensor::Q::view(Q)(k, p);
  std::printf("%.12e %llu %llu\n", sum, kernel::volume::NonZeroFlops, kernel::volume::HardwareFlops);
  return 0;
}
