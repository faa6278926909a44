! SPDX-License-Identifier: BSD-3-Clause
! The module against MPFR, bit by bit, on random shapes, sections, masks and dimensions, and on numbers over hundreds of binades that cancel.
! random_arrays [SEED]
program random_arrays
  use accrue
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env
  implicit none

  interface
    real(c_double) function oracle_sum(x, n, absolute, bits) bind(c)
      import :: c_double, c_int
      real(c_double), intent(in) :: x(*)
      integer(c_int), value :: n, absolute, bits
    end function
    real(c_double) function oracle_mean(x, n, bits) bind(c)
      import :: c_double, c_int
      real(c_double), intent(in) :: x(*)
      integer(c_int), value :: n, bits
    end function
    real(c_double) function oracle_dot(x, y, n, root, bits) bind(c)
      import :: c_double, c_int
      real(c_double), intent(in) :: x(*), y(*)
      integer(c_int), value :: n, root, bits
    end function
    real(c_double) function oracle_variance(x, n, bits) bind(c)
      import :: c_double, c_int
      real(c_double), intent(in) :: x(*)
      integer(c_int), value :: n, bits
    end function
  end interface

  integer, parameter :: rounds = 150
  integer :: failures = 0, seed = 20261124, round, words
  character(20) :: argument

  if (command_argument_count() == 1) then
    call get_command_argument(1, argument)
    read (argument, *) seed
  else
    call system_clock(seed)
  end if
  print '(a, i0)', 'seed ', seed
  call random_seed(size=words)
  call random_seed(put=[(seed + 37 * round, round = 1, words)])
  do round = 1, rounds
    call double_precision()
    call single_precision()
  end do
  if (failures /= 0) error stop 'some results are not MPFR''s'
  print '(a)', 'all results are MPFR''s'

contains

  subroutine check(got, wanted, what)
    real(real64), intent(in) :: got, wanted
    character(*), intent(in) :: what
    if (transfer(got, 0_int64) == transfer(wanted, 0_int64)) return
    failures = failures + 1
    write (error_unit, '(2a, i0, 2es26.17)') what, ', round ', round, got, wanted
  end subroutine

  ! An integer from low to high.
  integer function between(low, high)
    integer, intent(in) :: low, high
    real(real64) :: r
    call random_number(r)
    between = low + int(r * (high - low + 1))
  end function

  ! A number of either sign, within so many binades of 1.
  elemental impure subroutine draw(x, binades)
    real(real64), intent(out) :: x
    integer, intent(in) :: binades
    real(real64) :: r
    call random_number(r)
    x = scale(2 * r - 1, between(-binades, binades))
  end subroutine

  subroutine double_precision()
    real(real64), allocatable :: a(:, :, :), b(:, :, :), x(:), y(:), along(:, :)
    complex(real64) :: z
    logical, allocatable :: m(:, :, :), of_line(:)
    type(accrue_moment_values) :: q
    integer :: s(3), step(3), first(3), last(3), d, i, j, binades
    s = [between(1, 40), between(1, 12), between(1, 6)]
    step = [between(1, 3), between(1, 2), 1]
    if (between(0, 1) == 1) step = -step
    first = merge(1, s, step > 0)
    last = merge(s, 1, step > 0)
    binades = between(0, 280)
    allocate (a(s(1), s(2), s(3)), b(s(1), s(2), s(3)), m(s(1), s(2), s(3)))
    call draw(a, binades)
    call draw(b, binades)
    if (between(0, 2) == 0) a(:, :, s(3):1:-1) = -a  ! much cancels
    m = b > 0 .or. between(0, 3) == 0
    associate (p => a(first(1):last(1):step(1), first(2):last(2):step(2), first(3):last(3):step(3)), &
               r => b(first(1):last(1):step(1), first(2):last(2):step(2), first(3):last(3):step(3)), &
               t => m(first(1):last(1):step(1), first(2):last(2):step(2), first(3):last(3):step(3)))
      x = pack(p, t)
      y = pack(r, t)
      call check(accrue_sum(p, t), oracle_sum(x, size(x), 0, 53), 'sum')
      call check(accrue_sum_abs(p, t), oracle_sum(x, size(x), 1, 53), 'sum_abs')
      call check(accrue_norm2(p, t), oracle_dot(x, x, size(x), 1, 53), 'norm2')
      call check(accrue_sum_squares(p, t), oracle_dot(x, x, size(x), 0, 53), 'sum_squares')
      call check(accrue_dot_product(p, r, t), oracle_dot(x, y, size(x), 0, 53), 'dot_product')
      call check(accrue_sum(p, logical(t, c_bool)), oracle_sum(x, size(x), 0, 53), 'sum under a mask of C')
      call check(accrue_dot_product(p, r, mask=logical(t, c_bool)), oracle_dot(x, y, size(x), 0, 53), 'dot_product, C''s mask')
      z = accrue_sum(cmplx(p, r, real64), t)
      call check(real(z), oracle_sum(x, size(x), 0, 53), 'real part of a sum')
      call check(aimag(z), oracle_sum(y, size(y), 0, 53), 'imaginary part of a sum')
      if (size(x) > 1) then
        q = accrue_moments(p, t)
        call check(accrue_mean(p, t), oracle_mean(x, size(x), 53), 'mean')
        call check(q%mean, oracle_mean(x, size(x), 53), 'mean of moments')
        call check(q%variance, oracle_variance(x, size(x), 53), 'variance')
      end if
      d = between(1, 3)
      along = accrue_sum(p, d, t)
      if (any(accrue_sum(p, d, logical(t, c_bool)) /= along)) call check(1d0, 0d0, 'sum along under a mask of C')
      if (any(accrue_minloc(p, logical(t, c_bool)) /= accrue_minloc(p, t))) call check(1d0, 0d0, 'minloc under a mask of C')
      do j = 1, size(along, 2)
        do i = 1, size(along, 1)
          if (d == 1) then
            x = p(:, i, j)
            of_line = t(:, i, j)
          else if (d == 2) then
            x = p(i, :, j)
            of_line = t(i, :, j)
          else
            x = p(i, j, :)
            of_line = t(i, j, :)
          end if
          x = pack(x, of_line)
          call check(along(i, j), oracle_sum(x, size(x), 0, 53), 'sum along')
        end do
      end do
    end associate
  end subroutine

  subroutine single_precision()
    real(real64), allocatable :: wide(:)
    real(real32), allocatable :: a(:), b(:)
    type(accrue_moment_values) :: q
    integer :: n, step
    n = between(2, 600)
    step = between(1, 3)
    allocate (wide(n))
    call draw(wide, between(0, 25))
    a = real(wide, real32)
    call draw(wide, 3)
    b = real(wide, real32)
    associate (x => real(a(::step), real64), y => real(b(::step), real64))
      call check(real(accrue_sum(a(::step)), real64), oracle_sum(x, size(x), 0, 24), 'sum of real32')
      call check(real(accrue_dot(a(::step), b(::step)), real64), oracle_dot(x, y, size(x), 0, 24), 'dot of real32')
      call check(real(accrue_norm2(a(::step)), real64), oracle_dot(x, x, size(x), 1, 24), 'norm2 of real32')
      call check(real(accrue_mean(a(::step)), real64), oracle_mean(x, size(x), 24), 'mean of real32')
      if (size(x) > 1) then
        q = accrue_moments(a(::step))
        call check(q%variance, oracle_variance(x, size(x), 24), 'variance of real32')
      end if
    end associate
  end subroutine
end program
