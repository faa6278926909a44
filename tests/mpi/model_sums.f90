! SPDX-License-Identifier: BSD-3-Clause
! The argument lists of climate and ocean programs over ranks: the results of one process that has all elements, bit for bit, on every
! rank; what they answer beside; NaN and infinities.
program model_sums
  use, intrinsic :: ieee_arithmetic
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use accrue
  use accrue_reproducing_sum
  use accrue_reprosum
  use mpi
  implicit none
  integer, parameter :: fields = 6, columns = 301, rows = 40
  integer :: rank, ranks, ierr, failures

  failures = 0
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call test_reprosum()
  call test_reprosum_answers()
  call test_layers()
  call test_extended_sums()
  call test_not_finite()
  call MPI_Finalize(ierr)
  if (failures /= 0) error stop 'results differ'

contains

  ! Of any size and sign, the same on every rank.
  elemental real(real64) function value(i, k)
    integer, intent(in) :: i, k
    value = scale(real(mod(i * 7919 + k * 104729, 10007) - 5003, real64), mod(i * k, 61) - 30)
  end function
  integer function first_of(n, r)
    integer, intent(in) :: n, r
    first_of = merge(n, n / ranks * r + merge(n / (3 * ranks), 0, mod(r, 2) == 1), r == ranks)
  end function
  elemental logical function same(a, b)
    real(real64), intent(in) :: a, b
    same = transfer(a, 0_int64) == transfer(b, 0_int64)
  end function
  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    failures = failures + 1
    print '(a, i0, 2a)', 'rank ', rank, ': ', what
  end subroutine

  subroutine test_reprosum()
    real(real64) :: all_of_them(columns, fields), sums(fields), one(1)
    real(real64), allocatable :: mine(:, :)
    integer :: i, k, n, stats(6), split
    do k = 1, fields
      all_of_them(:, k) = value([(i, i = 1, columns)], k)
    end do
    n = first_of(columns, rank + 1) - first_of(columns, rank)
    allocate (mine(n + 3, fields), source=ieee_value(1.0_real64, ieee_quiet_nan))  ! what is beyond nsummands takes no part
    mine(:n, :) = all_of_them(first_of(columns, rank) + 1:first_of(columns, rank) + n, :)
    stats = [10, 20, 30, 40, 50, 60]
    !! [reprosum]
    call shr_reprosum_calc(mine, sums, n, n + 3, fields, repro_sum_stats=stats, allow_infnan=.false.)
    !! [reprosum]
    call expect(all(same(sums, accrue_sum(all_of_them, dim=1))), 'sums of fields')
    call expect(all(stats == [10, 21, 30, 40, 50, 60]), 'statistics')
    call shr_reprosum_calc(mine(:, 2:2), one, n, n + 3, 1, ddpdd_sum=.true., commid=MPI_COMM_WORLD, repro_sum_stats=stats)
    call expect(same(one(1), sums(2)), 'the sum of one field')
    call expect(stats(1) == 11, 'statistics of one field')
    ! Part of the ranks, each half by itself.
    call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, split, ierr)
    call shr_reprosum_calc(all_of_them(1:1, 1:1), one, merge(1, 0, rank < 2), 1, 1, commid=split)
    call expect(same(one(1), all_of_them(1, 1)), 'the sum over a communicator')
    call MPI_Comm_free(split, ierr)
  end subroutine

  subroutine test_reprosum_answers()
    real(real64) :: arr(2, 3), sums(3), largest(3), rel_diff(2, 3)
    integer :: levels(3), count
    arr = reshape([3.0_real64, -5.0_real64, 0.0_real64, 0.0_real64, 1e300_real64, 1e-300_real64], [2, 3])
    call shr_reprosum_calc(arr, sums, merge(1, 2, rank == 0), 2, 3, arr_gbl_max_out=largest, arr_max_levels_out=levels, &
                           gbl_max_nsummands_out=count, rel_diff=rel_diff)
    call expect(count == merge(1, 2, ranks == 1), 'the largest number of summands')
    call expect(same(largest(1), merge(4.0_real64, 8.0_real64, ranks == 1)) .and. same(largest(2), 0.0_real64), 'bounds')
    call expect(levels(1) == 2 .and. levels(2) == 1 .and. (ranks == 1 .or. levels(3) > 30), 'levels')
    call expect(all(same(rel_diff, 0.0_real64)), 'no comparison was asked for')
    call expect(.not. shr_reprosum_tolExceeded('sums', 3, .false., rel_diff=rel_diff), 'a tolerance that is not set')
    call shr_reprosum_setopts(repro_sum_rel_diff_max_in=1e-10_real64)
    arr(:, 1) = [1e20_real64, 1.0_real64]
    arr(:, 2) = -arr(:, 1)
    if (rank == 0) arr(:, 1:2) = 1
    call shr_reprosum_calc(arr, sums, 2, 2, 3, rel_diff=rel_diff)
    call expect(all(rel_diff(1, :2) < 1e-10_real64), 'plain sums that are near')
    call expect(.not. shr_reprosum_tolExceeded('sums', 3, .false., rel_diff=rel_diff), 'a tolerance that is met')
    call shr_reprosum_calc(reshape([1e20_real64, 1.0_real64, -1e20_real64], [3, 1]), sums(1:1), 3, 3, 1, rel_diff=rel_diff(:, 1:1))
    call expect(same(sums(1), real(ranks, real64)), 'a sum that cancels')
    call expect(shr_reprosum_tolExceeded('sums', 1, .false., rel_diff=rel_diff(:, 1:1)), 'a tolerance that is not met')
    call shr_reprosum_setopts(repro_sum_rel_diff_max_in=-1.0_real64)
  end subroutine

  ! Ranks have columns of a field with a halo of two, which takes no part.
  subroutine test_layers()
    real(real64) :: field(columns, rows, fields), sums(fields), expected(fields), total, total_of_all
    real(real64), allocatable :: mine(:, :, :)
    integer :: i, j, k, n, first, err
    do k = 1, fields
      do j = 1, rows
        field(:, j, k) = value([(i, i = 1, columns)], j * k)
      end do
      expected(k) = accrue_sum(field(:, :, k))
    end do
    total_of_all = accrue_sum(field)
    first = first_of(columns, rank)
    n = first_of(columns, rank + 1) - first
    allocate (mine(n + 4, rows + 4, fields), source=1e30_real64)
    mine(3:n + 2, 3:rows + 2, :) = field(first + 1:first + n, :, :)
    !! [layers]
    total = reproducing_sum(mine, 3, n + 2, 3, rows + 2, sums=sums, err=err)
    !! [layers]
    call expect(same(total, total_of_all) .and. all(same(sums, expected)) .and. err == 0, 'layers and their total')
    call expect(same(reproducing_sum(mine, 3, n + 2, 3, rows + 2), total_of_all), 'a total alone')
    call expect(same(reproducing_sum(mine(:, :, 2), isr=3, ier=n + 2, jsr=3, jer=rows + 2), expected(2)), 'one layer')
    call expect(same(reproducing_sum(mine(3:n + 2, 3:rows + 2, 2)), expected(2)), 'a section')
    call expect(same(reproducing_sum(field(::2, ::3, 1), only_on_PE=.true.), accrue_sum(field(::2, ::3, 1))), 'this rank alone')
    call expect(same(reproducing_sum(mine, 3, n + 2, 3, rows + 2, unscale=0.25_real64), total_of_all), 'a power of two as scale')
    total = reproducing_sum(mine(3:n + 2, 3:rows + 2, 2), unscale=3.0_real64)
    call expect(same(total, accrue_sum(3 * field(:, :, 2)) * (1 / 3.0_real64)), 'another scale')
    total = reproducing_sum(mine(3:n + 2, 3:rows + 2, 1), reproducing=.false.)
    call expect(abs(total - expected(1)) < 1e-9_real64 * accrue_sum_abs(field(:, :, 1)), 'a plain sum')
  end subroutine

  subroutine test_extended_sums()
    type(EFP_type) :: a, b, none, layers(fields), all_layers, list(2)
    real(real64) :: field(3, 4, fields), total
    logical :: overflow, errors(2)
    integer :: i, k
    do k = 1, fields
      field(:, :, k) = reshape(value([(i, i = 1, 12)], k + rank), [3, 4])
    end do
    total = reproducing_sum(field, EFP_sum=a, EFP_lay_sums=layers)
    all_layers = none
    do k = 1, fields
      all_layers = all_layers + layers(k)
    end do
    call expect(same(EFP_to_real(a), total) .and. same(EFP_to_real(all_layers), total), 'a sum kept, and layers added')
    call expect(same(EFP_real_diff(a, all_layers), 0.0_real64), 'nothing between two ways')
    overflow = .false.
    b = a + real_to_EFP(1e-300_real64, overflow)
    call expect(same(EFP_real_diff(b, a), 1e-300_real64) .and. same(EFP_real_diff(a, b), -1e-300_real64), 'what a double loses')
    call expect(same(EFP_to_real(a - b + b), total) .and. .not. overflow, 'there and back')
    call expect(same(EFP_to_real(none), 0.0_real64), 'a sum of nothing')
    list(1) = reproducing_sum_EFP(field(:, :, 1), only_on_PE=.true.)
    list(2) = real_to_EFP(real(rank + 1, real64))
    call EFP_sum_across_PEs(list, 2, errors)
    call expect(same(EFP_to_real(list(1)), EFP_to_real(layers(1))), 'sums of ranks, joined')
    call expect(same(EFP_to_real(list(2)), real(ranks * (ranks + 1) / 2, real64)) .and. .not. any(errors), 'a second one')
    b = real_to_EFP(2.0_real64)
    call EFP_sum_across_PEs(b)
    call expect(same(EFP_to_real(b), 2.0_real64 * ranks), 'one sum, joined')
  end subroutine

  subroutine test_not_finite()
    real(real64) :: arr(2, 2), sums(2), infinity, nan
    integer :: err
    infinity = ieee_value(1.0_real64, ieee_positive_inf)
    nan = ieee_value(1.0_real64, ieee_quiet_nan)
    arr = 1
    if (rank == ranks - 1) arr(1, :) = [infinity, nan]
    call shr_reprosum_calc(arr, sums, 2, 2, 2)
    call expect(same(sums(1), infinity) .and. ieee_is_nan(sums(2)), 'infinity and NaN in a field')
    call reset_EFP_overflow_error()
    sums(1) = reproducing_sum(arr(:, 1:1), err=err)
    call expect(same(sums(1), infinity) .and. err == 1 .and. query_EFP_overflow_error(), 'infinity in a layer')
    call reset_EFP_overflow_error()
    sums(1) = reproducing_sum(arr, err=err)
    call expect(ieee_is_nan(sums(1)) .and. err == 4 .and. query_EFP_overflow_error(), 'NaN in a layer')
    call expect(same(EFP_to_real(real_to_EFP(1.0_real64) - real_to_EFP(infinity)), -infinity), 'less infinity')
    call reset_EFP_overflow_error()
    call expect(.not. query_EFP_overflow_error(), 'nothing since')
    sums(1) = reproducing_sum(reshape([1e308_real64, 1e308_real64, -1.5e308_real64, 0.0_real64], [2, 2]), err=err)
    call expect((same(sums(1), 5e307_real64) .or. ranks > 1) .and. (err == 0 .or. ranks > 3), 'large terms that cancel')
  end subroutine
end program
