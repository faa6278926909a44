! SPDX-License-Identifier: BSD-3-Clause
! Fortran over ranks: the results of one process that has all elements, on every rank.
program fortran_ranks
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use accrue
  use mpi
  implicit none
  integer, parameter :: levels = 5, columns = 301
  real(real64) :: field(columns, levels), expected(levels), total, total_of_all
  integer :: rank, ranks, first, last, ierr, stat, place(1), place_of_all(1), i, k
  logical :: right

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  do k = 1, levels
    do i = 1, columns
      field(i, k) = scale(real(mod(i * 7919 + k * 104729, 10007) - 5003, real64), mod(i * k, 61) - 30)
    end do
  end do
  first = columns * rank / ranks + 1
  last = columns * (rank + 1) / ranks

  expected = accrue_sum(field, dim=1)
  total_of_all = accrue_sum(field)
  place_of_all = accrue_maxloc(field(:, 1))
  call accrue_use('serial', comm=MPI_COMM_WORLD)
  right = all(transfer(accrue_sum(field(first:last, :), dim=1), [0_int64]) == transfer(expected, [0_int64]))
  total = accrue_sum(field(first:last, :))
  right = right .and. transfer(total, 0_int64) == transfer(total_of_all, 0_int64)
  place = accrue_maxloc(field(first:last, 1))
  right = right .and. place(1) == place_of_all(1)
  total = accrue_product(field(first:last, 1), stat=stat)
  right = right .and. stat /= 0
  ! What is wrong on one rank alone all are told: a dimension, another number of results.
  expected = accrue_sum(field, dim=merge(3, 1, rank == ranks - 1), stat=stat)
  right = right .and. stat /= 0
  if (ranks > 1) then
    total = sum(accrue_sum(field(:, :merge(0, levels, rank == ranks - 1)), dim=1, stat=stat))
    right = right .and. stat /= 0
  end if
  total = accrue_sum(field(first:last, :), stat=stat)
  right = right .and. stat == 0
  if (.not. right) error stop 'a rank has other results than one process'
  call MPI_Finalize(ierr)
end program
