! SPDX-License-Identifier: BSD-3-Clause
! Sums in Fortran.
program rows
  use accrue
  implicit none
  double precision :: a(2, 3) = reshape([1d100, 2d0, 1d0, 3d0, -1d100, 4d0], [2, 3])
  print '(2g0.6)', accrue_sum(a, dim=2)
  if (any(accrue_sum(a, dim=2) /= [1d0, 9d0]) .or. accrue_sum(a) /= 10) error stop 1
end program
