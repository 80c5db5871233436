/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Three threads write, and then meet at a barrier: receives N times. Before each write, the last
 * thread computes for 20 ms and sends a message. The second thread receives the message, and then
 * computes for 20 ms. MPI_Recv() is in a library that this source gives with -DLIBRARY. It polls
 * thousands of times until the message is there. */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

int MPI_Recv(void *to, int n, void *type, int from, int tag, void *communicator, void *status);

#ifdef LIBRARY
int MPI_Recv(void *to, int n, void *type, int from, int tag, void *communicator, void *status)
{
	(void)n, (void)type, (void)from, (void)tag, (void)communicator, (void)status;
	while (!atomic_exchange((_Atomic int *)to, 0))
		poll(NULL, 0, 0);
	return 0;
}
#else
static pthread_barrier_t barrier;
static _Atomic int message;
static int n_writes;

static void compute(void)
{
	struct timespec a, b;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &a);
	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &b);
	while ((b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec < 20000000);
}

static void *run(void *name)
{
	int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);
	const int k = *(const char *)name - '0';
	for (int i = 0; i < n_writes; i++) {
		if (k == 1)
			MPI_Recv(&message, 0, 0, 0, 0, 0, 0);
		if (k)
			compute();
		if (pwrite(fd, "x", 1, i) != 1)
			exit(2);
		if (k == 2)
			message = 1;
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static char names[3][2] = {"0", "1", "2"};
	pthread_t t[3];
	n_writes = argc > 1 ? atoi(argv[1]) : 3;
	pthread_barrier_init(&barrier, NULL, 3);
	for (int k = 0; k < 3; k++)
		if (pthread_create(&t[k], NULL, run, names[k]))
			return 2;
	for (int k = 0; k < 3; k++)
		pthread_join(t[k], NULL);
	return 0;
}
#endif
