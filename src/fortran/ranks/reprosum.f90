! SPDX-License-Identifier: BSD-3-Clause
! The exactly rounded sums of several fields over MPI ranks, with the argument list of shr_reprosum_calc, which CESM's and E3SM's programs
! call: `use accrue_reprosum` in the place of `use shr_reprosum_mod`.
!
!   call shr_reprosum_calc(arr, arr_gsum, nsummands, dsummands, nflds, commid=comm)
!
! arr_gsum(k) = sum over all ranks of arr(1:nsummands, k), rounded once to nearest: the same bits for any number of ranks and threads, any
! split, and as one process has them. One message for one field, two for more. Each rank runs on as many threads as OpenMP has.
!
! What asks for the original's algorithm is taken and has nothing to do: ddpdd_sum, arr_gbl_max, arr_max_levels, gbl_max_nsummands,
! gbl_count, repro_sum_validate, and shr_reprosum_recompute. What is asked about it is answered, with a third message. NaN and infinities
! give what IEEE's additions give; where the caller says that there are none (allow_infnan=.false., or shr_reprosum_setopts) a sum that
! is not finite ends the program. Source of the argument list: CESM's share code, shr_reprosum_mod.
module accrue_reprosum
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite, ieee_is_nan
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit, real64
  use accrue_c_calls
  use mpi
  implicit none
  private
  public :: shr_reprosum_setopts, shr_reprosum_calc, shr_reprosum_tolExceeded

  logical, public, save :: shr_reprosum_recompute = .false.
  ! The relative difference of a plain sum that shr_reprosum_tolExceeded allows; below zero nothing is compared.
  real(real64), public, save :: shr_reprosum_reldiffmax = -1

  logical, save :: infnan_allowed = .true.

contains

  subroutine shr_reprosum_setopts(repro_sum_use_ddpdd_in, repro_sum_allow_infnan_in, repro_sum_rel_diff_max_in, &
                                  repro_sum_recompute_in, repro_sum_master, repro_sum_logunit)
    logical, intent(in), optional :: repro_sum_use_ddpdd_in, repro_sum_allow_infnan_in, repro_sum_recompute_in, repro_sum_master
    real(real64), intent(in), optional :: repro_sum_rel_diff_max_in
    integer, intent(in), optional :: repro_sum_logunit
    integer :: unit
    if (present(repro_sum_allow_infnan_in)) infnan_allowed = repro_sum_allow_infnan_in
    if (present(repro_sum_rel_diff_max_in)) shr_reprosum_reldiffmax = repro_sum_rel_diff_max_in
    if (present(repro_sum_recompute_in)) shr_reprosum_recompute = repro_sum_recompute_in
    if (.not. present(repro_sum_master)) return
    if (.not. repro_sum_master) return
    unit = output_unit
    if (present(repro_sum_logunit)) unit = repro_sum_logunit
    write (unit, '(a)') 'shr_reprosum: exact sums, rounded once, by accrue'
    if (present(repro_sum_use_ddpdd_in)) then
      if (repro_sum_use_ddpdd_in) write (unit, '(a)') 'shr_reprosum: double-double sums were asked for; exact ones come instead'
    end if
    if (.not. infnan_allowed) write (unit, '(a)') 'shr_reprosum: a sum that is NaN or infinite ends the program'
    if (shr_reprosum_reldiffmax >= 0) write (unit, '(a, es12.4)') 'shr_reprosum: compared with plain sums, tolerance', &
      shr_reprosum_reldiffmax
  end subroutine

  ! arr_gsum(k): as above. arr_gbl_max_out(k): a power of two that no finite summand of field k reaches, 0 where all are zero.
  ! arr_max_levels_out(k): the 64-bit words that the sum would take from its largest summands' bits to its smallest's.
  ! gbl_max_nsummands_out: the largest nsummands. repro_sum_stats: (1) and (2) count calls whose sums took one message and two, (4) those
  ! of plain sums, (5) and (6) those of the third message. rel_diff(1:2, k): the difference of a plain sum from the exact one, over it
  ! (where that is more than the difference) and as it is, where shr_reprosum_reldiffmax is not below zero; 0 otherwise.
  subroutine shr_reprosum_calc(arr, arr_gsum, nsummands, dsummands, nflds, allow_infnan, ddpdd_sum, arr_gbl_max, arr_gbl_max_out, &
                               arr_max_levels, arr_max_levels_out, gbl_max_nsummands, gbl_max_nsummands_out, gbl_count, &
                               repro_sum_validate, repro_sum_stats, rel_diff, commid)
    integer, intent(in) :: nsummands, dsummands, nflds
    real(real64), intent(in), target :: arr(dsummands, nflds)
    real(real64), intent(out) :: arr_gsum(nflds)
    logical, intent(in), optional :: allow_infnan, ddpdd_sum, repro_sum_validate
    real(real64), intent(in), optional :: arr_gbl_max(nflds)
    real(real64), intent(out), optional :: arr_gbl_max_out(nflds), rel_diff(2, nflds)
    integer, intent(in), optional :: arr_max_levels(nflds), gbl_max_nsummands, gbl_count, commid
    integer, intent(out), optional :: arr_max_levels_out(nflds), gbl_max_nsummands_out
    integer, intent(inout), optional :: repro_sum_stats(6)
    type(f64_array) :: fields
    type(c_ptr) :: space
    integer :: comm, counts(6)
    logical :: allowed

    comm = MPI_COMM_WORLD
    if (present(commid)) comm = commid
    fields%rank = 2
    fields%extents(:2) = [nflds, nsummands]
    fields%strides(:2) = [dsummands, 1]
    if (size(arr) > 0) fields%data = c_loc(arr)
    space = space_over(comm)
    call check(sum_slices_and_total(space, fields, 0_c_int, arr_gsum, c_null_ptr), 'shr_reprosum_calc', comm)
    call space_destroy(space)

    allowed = infnan_allowed
    if (present(allow_infnan)) allowed = allow_infnan
    if (.not. allowed .and. .not. all(ieee_is_finite(arr_gsum))) call end_for_infnan(arr_gsum, comm)

    counts = 0
    counts(merge(1, 2, nflds == 1)) = 1
    if (present(rel_diff)) then
      rel_diff = 0
      if (shr_reprosum_reldiffmax >= 0) then
        call compare(arr, arr_gsum, nsummands, nflds, comm, rel_diff)
        counts(4) = 1
      end if
    end if
    if (present(arr_gbl_max_out) .or. present(arr_max_levels_out) .or. present(gbl_max_nsummands_out)) then
      call tell_bounds(arr, nsummands, nflds, comm, arr_gbl_max_out, arr_max_levels_out, gbl_max_nsummands_out)
      if (present(gbl_max_nsummands_out)) counts(5) = 1
      if (present(arr_gbl_max_out) .or. present(arr_max_levels_out)) counts(6) = 1
    end if
    if (present(repro_sum_stats)) repro_sum_stats = repro_sum_stats + counts
  end subroutine

  ! Whether a plain sum differs by more than shr_reprosum_reldiffmax in any field, which `master` writes to logunit.
  logical function shr_reprosum_tolExceeded(name, nflds, master, logunit, rel_diff) result(exceeded)
    character(*), intent(in) :: name
    integer, intent(in) :: nflds
    logical, intent(in) :: master
    integer, intent(in), optional :: logunit
    real(real64), intent(in) :: rel_diff(2, nflds)
    integer :: unit, worst
    exceeded = .false.
    if (shr_reprosum_reldiffmax < 0 .or. nflds == 0) return
    exceeded = any(rel_diff(1, :) > shr_reprosum_reldiffmax)
    if (.not. (exceeded .and. master)) return
    unit = output_unit
    if (present(logunit)) unit = logunit
    worst = maxloc(rel_diff(1, :), dim=1)
    write (unit, '(2a, i0, a, i0, a, es12.4, a, es12.4)') trim(name), ': plain sums differ by more than the tolerance in ', &
      count(rel_diff(1, :) > shr_reprosum_reldiffmax), ' fields, most in field ', worst, ', relatively by', rel_diff(1, worst), &
      ', absolutely by', rel_diff(2, worst)
  end function

  subroutine end_for_infnan(sums, comm)
    real(real64), intent(in) :: sums(:)
    integer, intent(in) :: comm
    integer :: k, ierr
    do k = 1, size(sums)
      if (ieee_is_finite(sums(k))) cycle
      write (error_unit, '(a, i0, a)') 'shr_reprosum_calc: the sum of field ', k, &
        merge(' is NaN     ', ' is infinite', ieee_is_nan(sums(k))) // ', and allow_infnan is false'
      exit
    end do
    call MPI_Abort(comm, 1, ierr)
  end subroutine

  subroutine compare(arr, exact, nsummands, nflds, comm, rel_diff)
    real(real64), intent(in) :: arr(:, :), exact(:)
    integer, intent(in) :: nsummands, nflds, comm
    real(real64), intent(out) :: rel_diff(2, nflds)
    real(real64) :: mine(nflds), plain(nflds)
    integer :: ierr
    mine = sum(arr(:nsummands, :), dim=1)
    call MPI_Allreduce(mine, plain, nflds, MPI_DOUBLE_PRECISION, MPI_SUM, comm, ierr)
    rel_diff(2, :) = abs(plain - exact)
    rel_diff(1, :) = merge(rel_diff(2, :) / abs(exact), rel_diff(2, :), abs(exact) > rel_diff(2, :))
  end subroutine

  subroutine tell_bounds(arr, nsummands, nflds, comm, largest, levels, count)
    real(real64), intent(in) :: arr(:, :)
    integer, intent(in) :: nsummands, nflds, comm
    real(real64), intent(out), optional :: largest(nflds)
    integer, intent(out), optional :: levels(nflds), count
    integer, parameter :: none = minexponent(1.0_real64) - digits(1.0_real64) - 1
    integer :: mine(2 * nflds + 1), all(2 * nflds + 1)  ! largest exponents, negative smallest ones, summands
    integer :: i, k, ierr
    mine = none
    mine(2 * nflds + 1) = nsummands
    do k = 1, nflds
      do i = 1, nsummands
        if (arr(i, k) == 0 .or. .not. ieee_is_finite(arr(i, k))) cycle
        mine(k) = max(mine(k), exponent(arr(i, k)))
        if (mine(nflds + k) == none .or. -exponent(arr(i, k)) > mine(nflds + k)) mine(nflds + k) = -exponent(arr(i, k))
      end do
    end do
    ! Exponents of doubles are above `none`, and so are their negatives.
    call MPI_Allreduce(mine, all, 2 * nflds + 1, MPI_INTEGER, MPI_MAX, comm, ierr)
    if (present(count)) count = all(2 * nflds + 1)
    do k = 1, nflds
      if (present(largest)) then
        largest(k) = 0
        if (all(k) > none) largest(k) = scale(1.0_real64, all(k))
      end if
      if (present(levels)) then
        levels(k) = 1
        if (all(k) > none) levels(k) = (all(k) + all(nflds + k) + digits(1.0_real64) + bit_size(0) + 62) / 63
      end if
    end do
  end subroutine
end module
