! SPDX-License-Identifier: BSD-3-Clause
! The exactly rounded sums of two- and three-dimensional fields over MPI ranks, with the argument lists of MOM6's reproducing_sum:
! `use accrue_reproducing_sum` in the place of those names of `use MOM_coms`.
!
!   total = reproducing_sum(array2d, isr, ier, jsr, jer)
!   total = reproducing_sum(array3d, isr, ier, jsr, jer, sums=layers)
!
! total = sum over all ranks of array(isr:ier, jsr:jer), rounded once to nearest; sums(k) that of layer k. The same bits for any number
! of ranks and threads, any split, and as one process has them. Indices count from 1, and are the whole extents where they are left
! out. Two messages for any number of layers, one for a 2-D field; the ranks are those of MPI_COMM_WORLD until reproducing_sum_over says
! otherwise, and of this process alone with only_on_PE. Each runs on as many threads as OpenMP has. With unscale the sum is that of
! unscale * array, over unscale.
!
! NaN and infinities give what IEEE's additions give, and end no program: err is then 4 for NaN and 1 for a sum that is infinite, 0 for
! others. Nothing else can overflow, and overflow_check has nothing to do. EFP_type is an exact sum, whatever its exponents; what its
! components are is not MOM6's. Source of the argument lists: MOM6's MOM_coms.
module accrue_reproducing_sum
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_is_nan
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use accrue_c_calls
  use mpi
  implicit none
  private
  public :: reproducing_sum, reproducing_sum_EFP, reproducing_sum_over, EFP_sum_across_PEs, EFP_list_sum_across_PEs
  public :: EFP_type, EFP_plus, EFP_minus, EFP_to_real, real_to_EFP, EFP_real_diff, operator(+), operator(-), assignment(=)
  public :: query_EFP_overflow_error, reset_EFP_overflow_error

  ! An exact sum: zero where it has not been set.
  type :: EFP_type
    private
    integer(c_int64_t), allocatable :: words(:)  ! as accrue_partial_words has them
  end type

  interface reproducing_sum
    module procedure reproducing_sum_2d, reproducing_sum_3d
  end interface
  interface reproducing_sum_EFP
    module procedure reproducing_EFP_sum_2d
  end interface
  interface EFP_sum_across_PEs
    module procedure EFP_list_sum_across_PEs, EFP_val_sum_across_PEs
  end interface
  interface operator(+)
    module procedure EFP_plus
  end interface
  interface operator(-)
    module procedure EFP_minus
  end interface
  interface assignment(=)
    module procedure EFP_assign
  end interface

  integer, save :: ranks = MPI_COMM_WORLD
  logical, save :: overflowed = .false.

contains

  ! The ranks of this communicator take part in what is called from here on. Ranks outside it may use others.
  subroutine reproducing_sum_over(comm)
    integer, intent(in) :: comm
    ranks = comm
  end subroutine

  function reproducing_sum_2d(array, isr, ier, jsr, jer, EFP_sum, reproducing, overflow_check, err, only_on_PE, unscale) result(sum)
    real(real64), intent(in), target :: array(:, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    type(EFP_type), intent(out), optional :: EFP_sum
    logical, intent(in), optional :: reproducing, overflow_check, only_on_PE
    integer, intent(out), optional :: err
    real(real64), intent(in), optional :: unscale
    real(real64) :: sum
    type(c_ptr) :: partials(1)
    if (.not. is_true(reproducing, .true.)) then
      sum = plain_sum(array, bounds_of(shape(array), isr, ier, jsr, jer), .not. is_true(only_on_PE, .false.), unscale)
      call note(sum, err)
      if (present(EFP_sum)) EFP_sum = real_to_EFP(sum)
      return
    end if
    partials(1) = layer_sum(array, bounds_of(shape(array), isr, ier, jsr, jer), unscale)
    call finish(partials, .not. is_true(only_on_PE, .false.), sum, EFP_sum=EFP_sum, err=err, unscale=unscale)
  end function

  function reproducing_EFP_sum_2d(array, isr, ier, jsr, jer, overflow_check, err, only_on_PE, unscale) result(EFP_sum)
    real(real64), intent(in), target :: array(:, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    logical, intent(in), optional :: overflow_check, only_on_PE
    integer, intent(out), optional :: err
    real(real64), intent(in), optional :: unscale
    type(EFP_type) :: EFP_sum
    real(real64) :: sum
    sum = reproducing_sum_2d(array, isr, ier, jsr, jer, EFP_sum, err=err, only_on_PE=only_on_PE, unscale=unscale)
  end function

  function reproducing_sum_3d(array, isr, ier, jsr, jer, sums, EFP_sum, EFP_lay_sums, err, only_on_PE, unscale) result(sum)
    real(real64), intent(in), target :: array(:, :, :)
    integer, intent(in), optional :: isr, ier, jsr, jer
    real(real64), intent(out), optional :: sums(:)
    type(EFP_type), intent(out), optional :: EFP_sum, EFP_lay_sums(:)
    integer, intent(out), optional :: err
    logical, intent(in), optional :: only_on_PE
    real(real64), intent(in), optional :: unscale
    real(real64) :: sum
    type(c_ptr) :: partials(size(array, 3))
    integer :: bounds(4), k
    bounds = bounds_of(shape(array), isr, ier, jsr, jer)
    if (present(sums)) call refuse(size(sums) < size(array, 3), 'sums has fewer elements than layers')
    if (present(EFP_lay_sums)) call refuse(size(EFP_lay_sums) < size(array, 3), 'EFP_lay_sums has fewer elements than layers')
    do k = 1, size(array, 3)
      partials(k) = layer_sum(array(:, :, k), bounds, unscale)
    end do
    call finish(partials, .not. is_true(only_on_PE, .false.), sum, sums, EFP_sum, EFP_lay_sums, err, unscale)
  end function

  ! Each becomes the sum over all ranks of those at its place.
  subroutine EFP_list_sum_across_PEs(EFPs, nval, errors)
    type(EFP_type), intent(inout) :: EFPs(:)
    integer, intent(in) :: nval
    logical, intent(out), optional :: errors(:)
    type(c_ptr) :: partials(nval)
    real(real64) :: values(nval)
    integer :: k
    call refuse(nval > size(EFPs), 'fewer sums than nval says')
    do k = 1, nval
      partials(k) = opened(EFPs(k))
    end do
    call join(partials)
    do k = 1, nval
      call check(partial_finish(partials(k), values(k)), 'EFP_sum_across_PEs', ranks)
      call note(values(k))
      EFPs(k) = closed(partials(k))
    end do
    if (present(errors)) errors(:nval) = .not. ieee_is_finite(values)
  end subroutine

  subroutine EFP_val_sum_across_PEs(EFP, error)
    type(EFP_type), intent(inout) :: EFP
    logical, intent(out), optional :: error
    type(EFP_type) :: list(1)
    logical :: errors(1)
    list(1) = EFP
    call EFP_list_sum_across_PEs(list, 1, errors)
    EFP = list(1)
    if (present(error)) error = errors(1)
  end subroutine

  ! Whether a sum was not finite since the last reset.
  logical function query_EFP_overflow_error()
    query_EFP_overflow_error = overflowed
  end function
  subroutine reset_EFP_overflow_error()
    overflowed = .false.
  end subroutine

  function EFP_plus(EFP1, EFP2) result(sum)
    type(EFP_type), intent(in) :: EFP1, EFP2
    type(EFP_type) :: sum
    type(c_ptr) :: first, second
    first = opened(EFP1)
    second = opened(EFP2)
    call check(partial_merge(first, second), 'EFP_plus', ranks)
    call partial_destroy(second)
    sum = closed(first)
  end function

  function EFP_minus(EFP1, EFP2) result(difference)
    type(EFP_type), intent(in) :: EFP1, EFP2
    type(EFP_type) :: difference, negative
    integer :: n
    negative = EFP2
    if (allocated(negative%words)) then  ! digits, then the counts of inf, -inf and NaN, and how far the digits have grown
      n = size(negative%words)
      negative%words = [-EFP2%words(:n - 4), EFP2%words(n - 2), EFP2%words(n - 3), EFP2%words(n - 1:)]
    end if
    difference = EFP_plus(EFP1, negative)
  end function

  subroutine EFP_assign(EFP1, EFP2)
    type(EFP_type), intent(out) :: EFP1
    type(EFP_type), intent(in) :: EFP2
    if (allocated(EFP2%words)) allocate (EFP1%words, source=EFP2%words)
  end subroutine

  ! Rounded once, to nearest.
  real(real64) function EFP_to_real(EFP1) result(value)
    type(EFP_type), intent(in) :: EFP1
    type(c_ptr) :: partial
    partial = opened(EFP1)
    call check(partial_finish(partial, value), 'EFP_to_real', ranks)
    call partial_destroy(partial)
    call note(value)
  end function

  ! EFP1 - EFP2, rounded once.
  real(real64) function EFP_real_diff(EFP1, EFP2)
    type(EFP_type), intent(in) :: EFP1, EFP2
    EFP_real_diff = EFP_to_real(EFP_minus(EFP1, EFP2))
  end function

  function real_to_EFP(val, overflow) result(EFP)
    real(real64), intent(in) :: val
    logical, intent(inout), optional :: overflow
    type(EFP_type) :: EFP
    real(real64), target :: values(1, 1)
    values = val
    EFP = closed(layer_sum(values, [1, 1, 1, 1]))
    call note(val)
    if (present(overflow) .and. .not. ieee_is_finite(val)) overflow = .true.
  end function

  ! The first and last i, the first and last j.
  function bounds_of(extents, isr, ier, jsr, jer) result(bounds)
    integer, intent(in) :: extents(:)
    integer, intent(in), optional :: isr, ier, jsr, jer
    integer :: bounds(4)
    bounds = [1, extents(1), 1, extents(2)]
    if (present(isr)) bounds(1) = isr
    if (present(ier)) bounds(2) = ier
    if (present(jsr)) bounds(3) = jsr
    if (present(jer)) bounds(4) = jer
    call refuse(any(bounds(1:3:2) < 1) .or. any(bounds(2:4:2) > extents(:2)), 'isr to ier or jsr to jer reach beyond the array')
  end function

  subroutine refuse(wrong, what)
    logical, intent(in) :: wrong
    character(*), intent(in) :: what
    integer :: ierr
    if (.not. wrong) return
    write (error_unit, '(2a)') 'reproducing_sum: ', what
    call MPI_Abort(ranks, 1, ierr)
  end subroutine

  pure logical function is_true(option, default)
    logical, intent(in), optional :: option
    logical, intent(in) :: default
    is_true = default
    if (present(option)) is_true = option
  end function

  ! The sum of a layer on this rank, or of unscale times it: a partial result.
  type(c_ptr) function layer_sum(array, bounds, unscale) result(partial)
    real(real64), intent(in), target :: array(:, :)
    integer, intent(in) :: bounds(4)
    real(real64), intent(in), optional :: unscale
    real(real64), allocatable, target :: scaled(:, :)
    type(f64_array) :: x
    type(c_ptr) :: space
    if (is_scale(unscale)) then
      scaled = unscale * array(bounds(1):bounds(2), bounds(3):bounds(4))
      x = array_of(scaled, [1, size(scaled, 1), 1, size(scaled, 2)])
    else
      x = array_of(array, bounds)
    end if
    space = space_over()
    call check(partial_create(of_sums, f64, c_null_ptr, partial), 'reproducing_sum', ranks)
    call check(partial_add(partial, space, x, c_null_ptr, c_null_ptr), 'reproducing_sum', ranks)
    call space_destroy(space)
  end function

  pure logical function is_scale(unscale)
    real(real64), intent(in), optional :: unscale
    is_scale = .false.
    if (present(unscale)) is_scale = unscale /= 1
  end function
  ! What takes the scale back; 1 for a scale of zero.
  pure real(real64) function inverse_of(unscale)
    real(real64), intent(in), optional :: unscale
    inverse_of = 1
    if (.not. is_scale(unscale)) return
    if (abs(unscale) > 0) inverse_of = 1 / unscale
  end function

  ! Elements (bounds(1):bounds(2), bounds(3):bounds(4)) where they stand, the first index fastest.
  type(f64_array) function array_of(array, bounds) result(x)
    real(real64), intent(in), target :: array(:, :)
    integer, intent(in) :: bounds(4)
    integer :: extents(2)
    extents = max(bounds(2:4:2) - bounds(1:3:2) + 1, 0)
    x%rank = 2
    x%extents(:2) = extents(2:1:-1)
    x%strides(:2) = 1
    if (any(extents == 0)) return
    x%data = c_loc(array(bounds(1), bounds(3)))
    if (extents(1) > 1) x%strides(2) = distance(x%data, c_loc(array(bounds(1) + 1, bounds(3))))
    if (extents(2) > 1) x%strides(1) = distance(x%data, c_loc(array(bounds(1), bounds(3) + 1)))
  end function
  ! In elements.
  integer(c_int64_t) function distance(from, to)
    type(c_ptr), intent(in) :: from, to
    distance = (transfer(to, 0_c_intptr_t) - transfer(from, 0_c_intptr_t)) / (storage_size(1.0_real64) / 8)
  end function

  real(real64) function plain_sum(array, bounds, across, unscale) result(total)
    real(real64), intent(in) :: array(:, :)
    integer, intent(in) :: bounds(4)
    logical, intent(in) :: across
    real(real64), intent(in), optional :: unscale
    real(real64) :: mine, factor
    integer :: ierr
    factor = 1
    if (is_scale(unscale)) factor = unscale
    mine = sum(factor * array(bounds(1):bounds(2), bounds(3):bounds(4)))
    total = mine
    if (across) call MPI_Allreduce(mine, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, ranks, ierr)
    total = total * inverse_of(unscale)
  end function

  ! Each partial result becomes what all ranks know.
  subroutine join(partials)
    type(c_ptr), intent(in) :: partials(:)
    type(c_ptr) :: space
    space = space_over(ranks)
    call check(partial_join(space, partials, size(partials, kind=c_size_t)), 'reproducing_sum', ranks)
    call space_destroy(space)
  end subroutine

  ! What is asked of the layers' partial results, which are gone then.
  subroutine finish(partials, across, sum, sums, EFP_sum, EFP_lay_sums, err, unscale)
    type(c_ptr), intent(in) :: partials(:)
    logical, intent(in) :: across
    real(real64), intent(out) :: sum
    real(real64), intent(out), optional :: sums(:)
    type(EFP_type), intent(inout), optional :: EFP_sum, EFP_lay_sums(:)
    integer, intent(out), optional :: err
    real(real64), intent(in), optional :: unscale
    type(EFP_type) :: none
    type(c_ptr) :: whole
    integer :: k
    if (across) call join(partials)
    whole = opened(none)
    do k = 1, size(partials)
      call check(partial_merge(whole, partials(k)), 'reproducing_sum', ranks)
      if (present(sums)) then
        call check(partial_finish(partials(k), sums(k)), 'reproducing_sum', ranks)
        sums(k) = sums(k) * inverse_of(unscale)
      end if
      if (present(EFP_lay_sums)) then
        EFP_lay_sums(k) = closed(partials(k))
      else
        call partial_destroy(partials(k))
      end if
    end do
    call check(partial_finish(whole, sum), 'reproducing_sum', ranks)
    sum = sum * inverse_of(unscale)
    call note(sum, err)
    if (present(EFP_sum)) then
      EFP_sum = closed(whole)
    else
      call partial_destroy(whole)
    end if
  end subroutine

  subroutine note(value, err)
    real(real64), intent(in) :: value
    integer, intent(out), optional :: err
    if (.not. ieee_is_finite(value)) overflowed = .true.
    if (.not. present(err)) return
    err = 0
    if (.not. ieee_is_finite(value)) err = merge(4, 1, ieee_is_nan(value))
  end subroutine

  ! A partial result with what the sum knows.
  type(c_ptr) function opened(EFP) result(partial)
    type(EFP_type), intent(in) :: EFP
    integer(c_int64_t), pointer :: words(:)
    call check(partial_create(of_sums, f64, c_null_ptr, partial), 'EFP_type', ranks)
    if (.not. allocated(EFP%words)) return
    words => words_of(partial)
    words = EFP%words
  end function
  ! The sum that a partial result knows, which is gone then.
  type(EFP_type) function closed(partial) result(EFP)
    type(c_ptr), intent(in) :: partial
    EFP%words = words_of(partial)
    call partial_destroy(partial)
  end function
  function words_of(partial) result(words)
    type(c_ptr), intent(in) :: partial
    integer(c_int64_t), pointer :: words(:)
    type(c_ptr) :: first
    integer(c_size_t) :: count
    call check(partial_words(partial, first, count), 'EFP_type', ranks)
    call c_f_pointer(first, words, [count])
  end function
end module
