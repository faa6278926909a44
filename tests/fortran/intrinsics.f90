! SPDX-License-Identifier: BSD-3-Clause
! The Fortran module against the intrinsics, on random arrays, sections, masks and dimensions: integers and extrema equal, floating sums
! within the intrinsics' own error of them, and equal to sums in 128 bits, which hold these exactly, rounded once.
program intrinsics
  use accrue
  use, intrinsic :: iso_fortran_env
  implicit none
  integer :: failures = 0

  call real_arrays()
  call single_arrays()
  call integer_arrays()
  call complex_arrays()
  call places()
  call exactness()
  call partial_results()
  call mistakes()
  call accrue_use('serial')
  call real_arrays()
  if (failures /= 0) error stop 'some checks failed'
  print '(a)', 'all calls from Fortran work'

contains

  subroutine check(ok, what)
    logical, intent(in) :: ok
    character(*), intent(in) :: what
    if (ok) return
    failures = failures + 1
    write (error_unit, '(2a)') 'wrong: ', what
  end subroutine

  ! Sums of n terms up to 1 by the intrinsic are off by n * n * epsilon at most.
  logical function near(x, y, n)
    real(real64), intent(in) :: x, y
    integer, intent(in) :: n
    near = abs(x - y) <= real(n, real64)**2 * epsilon(x)
  end function

  subroutine real_arrays()
    real(real64) :: a(7, 5, 3), b(7, 5, 3), c(2, 2, 2, 2, 2, 2, 2), v(100)
    logical :: m(7, 5, 3), none(7, 5, 3)
    integer :: d
    type(accrue_moment_values) :: q
    call random_number(a)
    call random_number(b)
    call random_number(c)
    call random_number(v)
    m = b > 0.3
    none = .false.
    call check(near(accrue_sum(a), sum(a), 105), 'sum')
    call check(near(accrue_sum(a, m), sum(a, m), 105), 'sum, mask')
    call check(near(accrue_sum(a, mask=.false.), 0.0_real64, 1), 'sum, scalar mask')
    call check(near(accrue_sum(a, mask=.true.), sum(a), 105), 'sum, true mask')
    call check(near(accrue_sum(a(7:1:-2, :, 2)), sum(a(7:1:-2, :, 2)), 105), 'sum of a section')
    call check(accrue_sum(a(7:1:-2, :, 2)) == accrue_sum([a(7:1:-2, :, 2)]), 'sum of a section and its copy')
    call check(near(accrue_sum(a(2:6:2, 5:1:-1, :), mask=m(2:6:2, 5:1:-1, :)), &
                    sum(a(2:6:2, 5:1:-1, :), m(2:6:2, 5:1:-1, :)), 105), 'both sections')
    call check(near(accrue_sum(c), sum(c), 128), 'sum of rank 7')
    call check(accrue_sum(a, m) == real(sum(real(a, real128), m), real64), 'sum, mask, rounded once')
    call check(all(accrue_sum(a(:, 5:1:-2, :), 3) == real(sum(real(a(:, 5:1:-2, :), real128), 3), real64)), &
               'sums along, rounded once')
    call check(accrue_dot(v, v(100:1:-1)) == real(dot_product(real(v, real128), real(v(100:1:-1), real128)), real64), &
               'dot, rounded once')
    call check(accrue_mean(v) == real(sum(real(v, real128)) / 100, real64), 'mean, rounded once')
    do d = 1, 3
      call check(all(abs(accrue_sum(a, d) - sum(a, d)) < 1e-13), 'sum along')
      call check(all(shape(accrue_sum(a, d)) == shape(sum(a, d))), 'shape of sum along')
      call check(all(abs(accrue_sum(a, dim=d, mask=m) - sum(a, dim=d, mask=m)) < 1e-13), 'sum along, mask')
      call check(all(accrue_minval(a, d) == minval(a, d)), 'minval along')
      call check(all(accrue_maxval(a(::2, 2:, :), d) == maxval(a(::2, 2:, :), d)), 'maxval along, section')
      call check(all(accrue_minloc(a, d) == minloc(a, d)), 'minloc along')
      call check(all(accrue_maxloc(a, dim=d, mask=m) == maxloc(a, dim=d, mask=m)), 'maxloc along, mask')
      call check(all(accrue_maxloc(a, dim=d, mask=none) == 0), 'maxloc along, nothing')
      call check(all(accrue_minval(a, dim=d, mask=none) == minval(a, dim=d, mask=none)), 'minval along, nothing')
      call check(all(abs(accrue_norm2(a, d) - norm2(a, d)) < 1e-13), 'norm2 along')
    end do
    do d = 1, 7
      call check(all(abs(accrue_sum(c, d) - sum(c, d)) < 1e-13), 'sum of rank 7 along')
    end do
    m(:, 2, 1) = .false.  ! one line without elements
    call check(all(accrue_minval(a, 1, m) == minval(a, 1, m)), 'minval, one line empty')
    call check(all(accrue_minloc(a, 1, m) == minloc(a, 1, m)), 'minloc, one line empty')
    call check(accrue_minval(a) == minval(a), 'minval')
    call check(accrue_maxval(a, m) == maxval(a, m), 'maxval, mask')
    call check(accrue_minval(a, none) == minval(a, none), 'minval of nothing')
    call check(accrue_maxval(v(1:0)) == maxval(v(1:0)), 'maxval of nothing')
    call check(near(accrue_dot(v(1:99:2), v(50:1:-1)), dot_product(v(1:99:2), v(50:1:-1)), 50), 'dot')
    call check(near(accrue_dot_product(v, v), dot_product(v, v), 100), 'dot_product')
    call check(abs(accrue_norm2(v) - norm2(v)) < 1e-14 * 100, 'norm2')
    call check(abs(accrue_product(v(1:20)) / product(v(1:20)) - 1) < 1e-13, 'product')
    call check(near(accrue_mean(v), sum(v) / 100, 10), 'mean')
    call check(near(accrue_sum_abs(-v), sum(v), 100), 'sum_abs')
    call check(near(accrue_sum_squares(v), sum(v**2), 100), 'sum_squares')
    call check(accrue_sum(v, 1) == accrue_sum(v), 'sum of rank 1 along 1')
    call check(accrue_minloc(v, dim=1) == minloc(v, dim=1), 'minloc of rank 1 along 1')
    q = accrue_moments(v)
    call check(q%count == 100 .and. q%mean == accrue_mean(v), 'moments')
    call check(near(q%variance, sum((v - sum(v) / 100)**2) / 99, 10), 'variance')
  end subroutine

  subroutine single_arrays()
    real(real32) :: a(40, 30)
    type(accrue_moment_values) :: q
    call random_number(a)
    call check(abs(accrue_sum(a) - sum(real(a, real64))) <= spacing(sum(a)), 'sum of real32')
    call check(all(abs(accrue_sum(a, 2) - sum(a, 2)) < 1e-4), 'sum of real32 along')
    call check(accrue_minval(a) == minval(a), 'minval of real32')
    call check(all(accrue_maxloc(a) == maxloc(a)), 'maxloc of real32')
    q = accrue_moments(a, mask=a > 0.5)
    call check(q%count == count(a > 0.5) .and. abs(q%mean - 0.75) < 0.1, 'moments of real32')
  end subroutine

  subroutine integer_arrays()
    real :: r(9, 8)
    integer(int8) :: i8(9, 8)
    integer(int16) :: i16(9, 8)
    integer(int32) :: i32(9, 8)
    integer(int64) :: i64(9, 8)
    call random_number(r)
    i8 = int(200 * r - 100, int8)
    i16 = i8
    i32 = i8 * 1000
    i64 = i32 * 100000_int64
    call check(accrue_sum(i8) == sum(int(i8, int64)), 'sum of int8')
    call check(accrue_sum(i16, i16 > 3) == sum(int(i16, int64), i16 > 3), 'sum of int16')
    call check(all(accrue_sum(i32, 2) == sum(int(i32, int64), 2)), 'sum of int32')
    call check(accrue_sum(i64) == sum(i64), 'sum of int64')
    call check(accrue_minval(i8) == minval(i8) .and. accrue_maxval(i64) == maxval(i64), 'extrema of integers')
    call check(all(accrue_minloc(i32) == minloc(i32)), 'minloc of int32')
    call check(all(accrue_maxloc(i8, i8 < 50) == maxloc(i8, i8 < 50)), 'maxloc of int8, mask')
    call check(all(accrue_minloc(i16, 1) == minloc(i16, 1)), 'minloc of int16 along')
    call check(accrue_dot(i16(:, 1), i16(:, 2)) == dot_product(int(i16(:, 1), int64), int(i16(:, 2), int64)), 'dot of int16')
    call check(accrue_minval(i32(1:0, :)) == minval(i32(1:0, :)), 'minval of no int32')
    call check(accrue_maxval(i32(1:0, :)) == maxval(i32(1:0, :)), 'maxval of no int32')
    call check(abs(accrue_mean(i32) - sum(real(i32, real64)) / 72) < 1e-9, 'mean of int32')
  end subroutine

  subroutine complex_arrays()
    real(real64) :: r(50), s(50)
    complex(real64) :: z(50)
    complex(real32) :: w(5, 10)
    call random_number(r)
    call random_number(s)
    z = cmplx(r, s, real64)
    w = reshape(cmplx(r, s, real32), [5, 10])
    call check(abs(accrue_sum(z) - sum(z)) < 1e-12, 'sum of complex')
    call check(abs(accrue_dot_product(z, z(50:1:-1)) - dot_product(z, z(50:1:-1))) < 1e-12, 'dot_product of complex')
    call check(abs(accrue_dot(z, z(50:1:-1)) - sum(z * z(50:1:-1))) < 1e-12, 'dot of complex')
    call check(all(abs(accrue_sum(w, 1) - sum(w, 1)) < 1e-4), 'sum of complex along')
    call check(abs(accrue_norm2(z) - sqrt(sum(abs(z)**2))) < 1e-12, 'norm2 of complex')
  end subroutine

  subroutine places()
    real(real64) :: a(4, 3, 2), x(20)
    integer :: at(3)
    type :: particle
      real(real64) :: mass, charge
    end type
    type(particle) :: p(10)
    real(real64), allocatable :: low(:)
    integer :: k
    call random_number(a)
    call random_number(x)
    at = accrue_minloc(a)
    call check(size(accrue_minloc(a)) == 3 .and. all(at == minloc(a)), 'minloc of rank 3')
    call check(all(accrue_maxloc(a(:, ::2, :), a(:, ::2, :) < 0.5) == &
                   maxloc(a(:, ::2, :), a(:, ::2, :) < 0.5)), 'maxloc, section, mask')
    call check(all(accrue_minloc(x, mask=x > 0.5) == minloc(x, mask=x > 0.5)), 'minloc, mask')
    call check(all(accrue_minloc(x, mask=x > 2) == 0), 'minloc of nothing')
    do k = 1, 10
      p(k) = particle(k, -k)
    end do
    call check(accrue_sum(p%charge) == -55, 'sum of a component')
    allocate(low(-3:3))
    low = [3, 2, 1, 0, 1, 2, 3]
    call check(all(accrue_minloc(low) == minloc(low)), 'minloc counts from 1 whatever the bounds')
  end subroutine

  subroutine exactness()
    real(real64) :: x(2001), y(2000)
    integer :: k
    do k = 1, 2000
      x(k) = (-1)**k * 2.0_real64**mod(k / 2, 100)
    end do
    x(2001) = 1
    call check(accrue_sum(x) == 1, 'a sum that cancels')
    y = x(1:2000)
    call check(accrue_dot(y, y(2000:1:-1)) == accrue_dot(y(2000:1:-1), y), 'a dot either way')
    call accrue_use('openmp', threads=3)
    call check(accrue_sum(x) == 1, 'on three threads')
  end subroutine

  subroutine partial_results()
    type(accrue_partial) :: p, q, both
    real(real64) :: x(1000), total
    integer(int64) :: n
    integer(int32) :: i(6) = [1, 2, 3, 4, 5, 6]
    real(real32) :: narrow
    integer :: stat
    call random_number(x)
    p = accrue_partial_of('sum', x(:300))
    q = accrue_partial_of('sum', x(301:))
    both = p + q
    p = both
    call accrue_finish(p, total)
    call check(total == accrue_sum(x), 'partial sums')
    p = accrue_partial_of('dot', x, x) + accrue_partial_of('dot', x(1:0), x(1:0))
    call accrue_finish(p, total)
    call check(total == accrue_dot(x, x), 'partial dots')
    p = accrue_partial_of('sum', i, mask=i > 2)
    call accrue_finish(p, n)
    call check(n == 18, 'partial sums of integers')
    p = accrue_partial_of('median', x, stat=stat)
    call check(stat == 1, 'a name of no reduction')
    q = accrue_partial_from_bytes('sum', both%bytes, x(1))
    call accrue_finish(q, total)
    call check(total == accrue_sum(x), 'partial sums from bytes')
    q = accrue_partial_from_bytes('sum', both%bytes, i(1), stat=stat)
    call check(stat == 11, 'bytes of another type')
    call accrue_finish(both, n, stat=stat)
    call check(stat == 1, 'a result of another type')
    call accrue_finish(both, narrow, stat=stat)
    call check(stat == 1, 'a result of another kind')
    call accrue_merge(both, accrue_partial_of('sum', i), stat)
    call check(stat == 1, 'merging with another type')
    p = accrue_partial_of('minval', x)
    call accrue_merge(p, accrue_partial_of('minval', [-1.0_real64]))
    call accrue_finish(p, total)
    call check(total == -1, 'partial minima')
  end subroutine

  subroutine mistakes()
    real(real64) :: a(3, 4), r
    integer(int64) :: large(2) = huge(1_int64)
    integer(int64) :: n
    integer :: stat
    character(200) :: text
    a = 1
    text = ''
    n = accrue_sum(large, stat=stat, errmsg=text)
    call check(stat == 6 .and. index(text, 'accrue') > 0, 'an integer total beyond 64 bits')
    associate (none => accrue_sum(a, 3, stat=stat))
      call check(size(none) == 0, 'no results')
    end associate
    call check(stat == 1, 'no such dimension')
    n = accrue_minval([large], dim=0, stat=stat)
    call check(stat == 1, 'dimension 0')
    r = accrue_sum(a, mask=reshape([.true., .false.], [1, 2]), stat=stat)
    call check(stat == 3, 'a mask of another shape')
    r = accrue_dot(a, a(1:2, :), stat=stat)
    call check(stat == 3, 'two shapes')
    r = accrue_mean(a(1:0, :), stat=stat)
    call check(stat == 4, 'a mean of nothing')
    r = accrue_sum(a, stat=stat)
    call check(stat == 0 .and. r == 12, 'stat of what works')
    call accrue_use('abacus', stat=stat, errmsg=text)
    call check(stat == 1 .and. index(text, 'abacus') > 0, 'no such space')
  end subroutine
end program
