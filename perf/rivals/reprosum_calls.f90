! SPDX-License-Identifier: BSD-3-Clause
! The reproducible sum of CESM and E3SM, for C++.
subroutine rival_reprosum(x, sums, n, fields, comm) bind(c)
  use, intrinsic :: iso_c_binding
  use shr_reprosum_mod, only: shr_reprosum_calc
  implicit none
  integer(c_int), value :: n, fields, comm
  real(c_double), intent(in) :: x(n, fields)
  real(c_double), intent(out) :: sums(fields)
  call shr_reprosum_calc(x, sums, n, n, fields, commid=comm)
end subroutine
