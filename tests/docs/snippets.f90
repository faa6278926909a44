! SPDX-License-Identifier: BSD-3-Clause
! The code that docs/fortran.md shows, compiled and run.
program snippets
  use, intrinsic :: iso_fortran_env, only: real64
  !! [first]
  use accrue
  !! [first]
  implicit none
  real(real64) :: a(3, 4), x(99), y(50), total, e, rows(3), t
  logical :: ocean(3, 4)
  integer :: near(1), stat
  character(200) :: message
  type(accrue_partial) :: p, q
  call random_number(a)
  call random_number(x)
  call random_number(y)
  ocean = a > 0.5
  !! [calls]
  total = accrue_sum(a)                     ! any rank, sections too
  rows  = accrue_sum(a, dim=2)
  near  = accrue_minloc(x, mask=x > 0)
  e     = accrue_dot(x(1:99:2), y(1:50))
  t     = accrue_mean(a, mask=ocean)
  !! [calls]
  if (abs(total - sum(a)) > 1e-13 .or. any(near /= minloc(x)) .or. abs(sum(rows) - total) > 1e-13) error stop 'calls'
  if (abs(e - dot_product(x(1:99:2), y)) > 1e-12 .or. abs(t - sum(a, ocean) / count(ocean)) > 1e-13) error stop 'calls'
  !! [porting-before]
  total = sum(a)
  rows  = sum(a, dim=2, mask=ocean)
  near  = minloc(x, mask=x > 0)
  e     = dot_product(x(1:99:2), y)
  !! [porting-before]
  t = e
  !! [porting-after]
  total = accrue_sum(a)
  rows  = accrue_sum(a, dim=2, mask=ocean)
  near  = accrue_minloc(x, mask=x > 0)
  e     = accrue_dot_product(x(1:99:2), y)
  !! [porting-after]
  if (abs(total - sum(a)) > 1e-13 .or. any(abs(rows - sum(a, 2, ocean)) > 1e-13) .or. abs(e - t) > 1e-12) error stop 'porting'
  if (any(near /= minloc(x, mask=x > 0))) error stop 'porting'
  !! [errors]
  total = accrue_mean(x(1:0), stat=stat, errmsg=message)
  if (stat /= 0) print *, trim(message)
  call accrue_use('openmp', threads=4)
  !! [errors]
  if (stat /= 4) error stop 'errors'
  !! [partials]
  p = accrue_partial_of('sum', x(1:40))
  q = accrue_partial_of('sum', x(41:))
  p = p + q
  call accrue_finish(p, total)
  q = accrue_partial_from_bytes('sum', p%bytes, x(1))  ! from a file or a message
  !! [partials]
  if (total /= accrue_sum(x)) error stop 'partials'
end program
