! SPDX-License-Identifier: BSD-3-Clause
! The reproducing sums of MOM6, for C++: a level for each field.
subroutine rival_reproducing_sum(x, sums, n, fields) bind(c)
  use, intrinsic :: iso_c_binding
  use MOM_coms, only: reproducing_sum
  implicit none
  integer(c_int), value :: n, fields
  real(c_double), intent(in) :: x(n, 1, fields)
  real(c_double), intent(out) :: sums(fields)
  real(c_double) :: total
  if (fields == 1) then
    sums(1) = reproducing_sum(x(:, :, 1))
  else
    total = reproducing_sum(x, sums=sums)
  end if
end subroutine
