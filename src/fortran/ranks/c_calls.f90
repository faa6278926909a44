! SPDX-License-Identifier: BSD-3-Clause
! The C interface as the modules for ranks call it.
module accrue_c_calls
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use mpi, only: MPI_Abort
  implicit none
  private
  public :: f64_array, check, sum_slices_and_total, space_over, space_destroy
  public :: partial_create, partial_destroy, partial_add, partial_merge, partial_words, partial_finish, partial_join, of_sums, f64

  integer(c_int), parameter :: of_sums = 0  ! ACCRUE_SUM
  integer(c_int), parameter :: f64 = 0      ! ACCRUE_F64

  ! accrue_array.
  type, bind(c) :: f64_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int) :: element = f64
    integer(c_int) :: rank = 0
    integer(c_int64_t) :: extents(15) = 0
    integer(c_int64_t) :: strides(15) = 0
  end type

  interface
    integer(c_int) function sum_slices_and_total(space, x, dimension, sums, total) bind(c, name='accrue_sum_slices_and_total')
      import
      type(c_ptr), value :: space, total
      type(f64_array), intent(in) :: x
      integer(c_int), value :: dimension
      real(c_double), intent(out) :: sums(*)
    end function
    integer(c_int) function space_create_over_ranks(name, threads, comm, space) &
        bind(c, name='accrue_space_create_over_fortran_ranks')
      import
      type(c_ptr), value :: name
      integer(c_int), value :: threads, comm
      type(c_ptr), intent(out) :: space
    end function
    subroutine space_destroy(space) bind(c, name='accrue_space_destroy')
      import
      type(c_ptr), value :: space
    end subroutine
    integer(c_int) function space_create(name, space) bind(c, name='accrue_space_create')
      import
      type(c_ptr), value :: name
      type(c_ptr), intent(out) :: space
    end function
    integer(c_int) function partial_create(operation, element, options, p) bind(c, name='accrue_partial_create')
      import
      integer(c_int), value :: operation, element
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: p
    end function
    subroutine partial_destroy(p) bind(c, name='accrue_partial_destroy')
      import
      type(c_ptr), value :: p
    end subroutine
    integer(c_int) function partial_add(p, space, x, y, options) bind(c, name='accrue_partial_add')
      import
      type(c_ptr), value :: p, space, y, options
      type(f64_array), intent(in) :: x
    end function
    integer(c_int) function partial_merge(p, q) bind(c, name='accrue_partial_merge')
      import
      type(c_ptr), value :: p, q
    end function
    integer(c_int) function partial_words(p, words, count) bind(c, name='accrue_partial_words')
      import
      type(c_ptr), value :: p
      type(c_ptr), intent(out) :: words
      integer(c_size_t), intent(out) :: count
    end function
    integer(c_int) function partial_finish(p, result) bind(c, name='accrue_partial_finish')
      import
      type(c_ptr), value :: p
      real(c_double), intent(out) :: result
    end function
    integer(c_int) function partial_join(space, partials, count) bind(c, name='accrue_partial_join')
      import
      type(c_ptr), value :: space
      type(c_ptr), intent(in) :: partials(*)
      integer(c_size_t), value :: count
    end function
    type(c_ptr) function last_error() bind(c, name='accrue_last_error')
      import
    end function
    integer(c_size_t) function string_length(s) bind(c, name='strlen')
      import
      type(c_ptr), value :: s
    end function
  end interface

contains

  ! The best host space over the ranks of a communicator, or without one on this process alone. The caller destroys it.
  type(c_ptr) function space_over(comm) result(space)
    integer, intent(in), optional :: comm
    if (present(comm)) then
      call check(space_create_over_ranks(c_null_ptr, 0_c_int, int(comm, c_int), space), 'accrue', comm)
    else
      call check(space_create(c_null_ptr, space), 'accrue')
    end if
  end function

  ! Ends the program, on all ranks of the communicator, where a call has failed: for mistakes of the program, which have no status in the
  ! argument lists that these modules keep.
  subroutine check(status, call, comm)
    integer(c_int), intent(in) :: status
    character(*), intent(in) :: call
    integer, intent(in), optional :: comm
    character(kind=c_char), pointer :: sentence(:)
    type(c_ptr) :: text
    integer :: ierr
    if (status == 0) return
    text = last_error()
    call c_f_pointer(text, sentence, [string_length(text)])
    write (error_unit, '(*(a))') call, ': ', sentence
    if (present(comm)) call MPI_Abort(comm, 1, ierr)
    error stop 1
  end subroutine
end module
