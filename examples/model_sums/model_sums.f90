! SPDX-License-Identifier: BSD-3-Clause
! What a climate model asks of its sums: the same bits for any number of ranks. Each has some columns of a field with layers.
program model_sums
  use, intrinsic :: iso_fortran_env, only: real64
  use accrue_reproducing_sum, only: reproducing_sum
  use accrue_reprosum, only: shr_reprosum_calc
  use mpi
  implicit none
  integer, parameter :: columns = 60, layers = 4
  real(real64) :: total, by_layer(layers), again(layers)
  real(real64), allocatable :: field(:, :, :)
  integer :: rank, ranks, first, last, i, k, ierr

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  first = columns * rank / ranks + 1
  last = columns * (rank + 1) / ranks
  allocate (field(first:last, 1, layers))
  do k = 1, layers
    do i = first, last
      field(i, 1, k) = (-1)**i * 10.0_real64**(mod(7 * i + k, 31) - 15)
    end do
  end do

  total = reproducing_sum(field, sums=by_layer)
  call shr_reprosum_calc(field, again, size(field, 1), size(field, 1), layers)
  if (any(again /= by_layer)) error stop 'the two modules differ'
  if (rank == 0) print '(a, z16.16, 4(1x, z16.16))', 'total and layers: ', total, by_layer
  call MPI_Finalize(ierr)
end program
