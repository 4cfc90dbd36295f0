"""Plugins of fluidfft (the group ``fluidfft.plugins``): ``fft3d.mpi_with_weft`` and ``fft2d.mpi_with_weft``.

fluidfft finds them by these names where it is installed, and with it fluidsim: ``--type-fft fft3d.mpi_with_weft``. Nothing here is
imported by weft itself.
"""
