! SPDX-License-Identifier: BSD-3-Clause
! Exact sums in Fortran: of rows, of a section under a mask, and where the least is.
program rows
  use accrue
  implicit none
  double precision :: a(2, 3) = reshape([1d100, 2d0, 1d0, 3d0, -1d100, 4d0], [2, 3])
  print '(a, 2(1x, g0))', 'rows', accrue_sum(a, dim=2)
  print '(a, 1x, g0)', 'the second row beyond 2', accrue_sum(a(2, :), mask=a(2, :) > 2)
  print '(a, 2(1x, i0))', 'least at', accrue_minloc(a)
  if (any(accrue_sum(a, dim=2) /= [1d0, 9d0]) .or. accrue_sum(a) /= 10 .or. any(accrue_minloc(a) /= [1, 3])) error stop 1
end program
