# SPDX-License-Identifier: GPL-3.0-or-later
# As `mpi-idle writers` (mpi-idle.c), but the program loads the MPI library by ctypes: mpi-idle.py
# LIBRARY N. The communicator is that of OpenMPI.
import ctypes
import os
import sys
import time

mpi = ctypes.CDLL(sys.argv[1])
world = ctypes.c_void_p(ctypes.addressof(ctypes.c_char.in_dll(mpi, "ompi_mpi_comm_world")))
number = ctypes.c_int()
mpi.MPI_Init(None, None)
mpi.MPI_Comm_rank(world, ctypes.byref(number))
rank = number.value
mpi.MPI_Comm_size(world, ctypes.byref(number))
last = rank == number.value - 1
fd = os.open(f"part{rank}", os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o644)
for i in range(int(sys.argv[2])):
    if last:
        end = time.thread_time() + 0.02
        while time.thread_time() < end:
            pass
    os.pwrite(fd, bytes(4096), i * 4096)
    mpi.MPI_Barrier(world)
mpi.MPI_Finalize()
