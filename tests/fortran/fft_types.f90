! Stands in for FFTXlib's module of this name: what examples/quantum-espresso reads of a descriptor.
module fft_types
  implicit none
  public

  type :: fft_type_descriptor
    integer :: nr1 = 0, nr2 = 0, nr3 = 0, nr1x = 0, nr2x = 0, nr3x = 0
    integer :: comm = 0, comm3 = 0, nproc2 = 1, mype = 0, mype2 = 0, mype3 = 0
    logical :: lpara = .true., use_pencil_decomposition = .true.
    integer, allocatable :: nr2p(:), nr3p(:), nsp(:), nsw(:), iss(:), ismap(:), iproc(:, :)
  end type
end module
