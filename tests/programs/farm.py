# SPDX-License-Identifier: GPL-3.0-or-later
# A master process and its workers, using mpi4py: farm.py [N]. The master sends N block numbers to
# each worker, which computes, writes the block and answers; the master writes a line for each
# answer.
import os
import sys
import time

from mpi4py import MPI

n = int(sys.argv[1]) if len(sys.argv) > 1 else 10
world = MPI.COMM_WORLD
rank, workers = world.Get_rank(), range(1, world.Get_size())
flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
if rank == 0:
    log = os.open("answers", flags)
    for i in range(n):
        for worker in workers:
            world.send(i, dest=worker)
        for worker in workers:
            os.write(log, b"%d %d\n" % (worker, world.recv(source=worker)))
else:
    part = os.open("part%d" % rank, flags)
    for i in range(n):
        block = world.recv(source=0)
        end = time.thread_time() + 0.002 * rank
        while time.thread_time() < end:
            pass
        os.pwrite(part, bytes(4096), block * 4096)
        world.send(block, dest=0)
