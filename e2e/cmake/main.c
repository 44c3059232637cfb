#include "kernels.h"

#include <stdio.h>

int main(void) {
  static double Q[kernels_Q_size], I[kernels_I_size], A[kernels_A_size];
  double sum = 0;
  for (int l = 0; l < 20; ++l)
    for (int q = 0; q < 9; ++q) I[l + 20 * q] = 1.0 / (1 + l + q);
  for (int q = 0; q < 9; ++q)
    for (int p = 0; p < 9; ++p) A[q + 9 * p] = q == p ? 2.0 : 0.5;
  kernels_volume(Q, I, A, 0.25);
  /* Q is aligned: its columns are as far apart as whole vectors. */
  for (int k = 0; k < 20; ++k)
    for (int p = 0; p < 9; ++p) sum += (k + 1) * Q[k + kernels_Q_size / 9 * p];
  printf("%.12e %d %d\n", sum, kernels_volume_nonzero_flops, kernels_volume_hardware_flops);
  return 0;
}
