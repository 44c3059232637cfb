program main
  use, intrinsic :: iso_c_binding
  use kernels
  implicit none
  ! Q is aligned: its columns are as far apart as whole vectors.
  real(c_double) :: q(q_size / 9, 9), i(20, 9), a(9, 9)
  integer :: k, p
  real(c_double) :: total

  q = 0
  do p = 1, 9
    do k = 1, 20
      i(k, p) = 1.0_c_double / (k + p - 1)
    end do
  end do
  a = 0.5_c_double
  do p = 1, 9
    a(p, p) = 2
  end do

  call kernels_volume(q, i, a, 0.25_c_double)

  total = 0
  do p = 1, 9
    do k = 1, 20
      total = total + k * q(k, p)
    end do
  end do
  print '(es20.12e2, 1x, i0, 1x, i0)', total, volume_nonzero_flops, volume_hardware_flops
end program
