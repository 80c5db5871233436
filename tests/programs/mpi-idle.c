/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks without requests: mpi-idle KIND [N]. bystander: the last rank computes for 20 ms, the
 * others write a block; then all meet at a barrier. master: rank 0 computes for 5 ms before it
 * sends a block's number to a worker, which writes the block; it waits for no worker. writers: as
 * bystander, but the last rank writes, too. sends: as writers, but instead of the barrier the last
 * rank sends a message, for which the others wait before they write. Each N times. With -DBY_DLSYM=FLAGS, the program is not linked with the MPI library: it opens the library
 * named by the variable MPI_LIBRARY with dlopen() and FLAGS, and finds all functions by dlsym().
 * With -DTOOL as well, this file is a library that replaces two functions and finds the replaced
 * functions in the same way, in the library of the variable TOOL_LIBRARY. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#ifdef TOOL
#define LIBRARY "TOOL_LIBRARY"
#else
#define LIBRARY "MPI_LIBRARY"
#endif

#ifdef BY_DLSYM
static void *find(const char *name)
{
	static void *library;
	const char *failure;
	if (!library)
		library = dlopen(getenv(LIBRARY), RTLD_NOW | (BY_DLSYM));
	void *found = library ? dlsym(library, name) : NULL;
	failure = dlerror();
	if (failure) {
		fprintf(stderr, "%s\n", failure);
		exit(2);
	}
	return found;
}
#define CALL(function) ((__typeof__(&function))find(#function))
#ifdef OPEN_MPI /* the objects to which the constants point */
#define ompi_mpi_comm_world (*(char *)find("ompi_mpi_comm_world"))
#define ompi_mpi_int (*(char *)find("ompi_mpi_int"))
#endif
#else
#define CALL(function) function
#endif

#ifdef TOOL
static int n_barriers;

int MPI_Barrier(MPI_Comm c)
{
	n_barriers++;
	return CALL(MPI_Barrier)(c);
}

int MPI_Finalize(void)
{
	printf("tool: %d barriers\n", n_barriers);
	fflush(stdout);
	return CALL(MPI_Finalize)();
}
#else
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
	const char *kind = argc > 1 ? argv[1] : "bystander";
	const int is_master = !strcmp(kind, "master"), sends = !strcmp(kind, "sends"),
		  all_write = sends || !strcmp(kind, "writers");
	int rank, n_ranks;
	char name[20];
	CALL(MPI_Init)(&argc, &argv);
	CALL(MPI_Comm_rank)(MPI_COMM_WORLD, &rank);
	CALL(MPI_Comm_size)(MPI_COMM_WORLD, &n_ranks);
	const int idle = is_master ? 0 : n_ranks - 1;
	snprintf(name, sizeof name, "part%d", rank);
	int fd = rank == idle && !all_write ? -1 : open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
	for (int i = 0; i < n; i++) {
		int number = i;
		if (is_master && rank == idle) {
			for (int w = 1; w < n_ranks; w++) {
				compute(5);
				CALL(MPI_Send)(&number, 1, MPI_INT, w, 0, MPI_COMM_WORLD);
			}
			continue;
		}
		if ((is_master || sends) && rank != idle)
			CALL(MPI_Recv)(&number, 1, MPI_INT, idle, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == idle)
			compute(20);
		if (fd >= 0 && pwrite(fd, block, sizeof block, (off_t)number * (off_t)sizeof block) !=
				   sizeof block)
			CALL(MPI_Abort)(MPI_COMM_WORLD, 1);
		for (int w = 0; sends && rank == idle && w < idle; w++)
			CALL(MPI_Send)(&number, 1, MPI_INT, w, 0, MPI_COMM_WORLD);
		if (!is_master && !sends)
			CALL(MPI_Barrier)(MPI_COMM_WORLD);
	}
	CALL(MPI_Finalize)();
	return 0;
}
#endif
