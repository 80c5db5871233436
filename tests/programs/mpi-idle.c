/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks without requests: mpi-idle KIND [N]. bystander: the last rank computes for 20 ms, the
 * others write a block; then all meet at a barrier. master: rank 0 computes for 5 ms before it
 * sends a block's number to a worker, which writes the block; it waits for no worker. Each N
 * times. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static char block[4096];

static void compute(double ms)
{
	struct timespec a, b;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	while ((double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6 < ms);
}

int main(int argc, char **argv)
{
	const int n = argc > 2 ? atoi(argv[2]) : 5;
	const int is_master = argc > 1 && !strcmp(argv[1], "master");
	int rank, n_ranks;
	char name[20];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
	const int idle = is_master ? 0 : n_ranks - 1;
	snprintf(name, sizeof name, "part%d", rank);
	int fd = rank == idle ? -1 : open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
	for (int i = 0; i < n; i++) {
		int number = i;
		if (is_master && rank == idle) {
			for (int w = 1; w < n_ranks; w++) {
				compute(5);
				MPI_Send(&number, 1, MPI_INT, w, 0, MPI_COMM_WORLD);
			}
			continue;
		}
		if (is_master)
			MPI_Recv(&number, 1, MPI_INT, idle, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == idle)
			compute(20);
		else if (pwrite(fd, block, sizeof block, (off_t)number * (off_t)sizeof block) !=
			 sizeof block)
			MPI_Abort(MPI_COMM_WORLD, 1);
		if (!is_master)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Finalize();
	return 0;
}
