/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mapped FILE: reads and writes a mapped file page by page, from two threads, and reads it by calls
 * in between. FILE has 256 pages. Prints how many pages it read and wrote in mapped memory, and how
 * many by calls. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE = 4096 };

static volatile char *map;
static unsigned int sum;

static void *second(void *unused)
{
	(void)unused;
	for (int i = 100; i < 110; i++) /* no call in this thread: only its page faults show it */
		sum += (unsigned char)map[i * 3 % 256 * PAGE + 17];
	return NULL;
}

int main(int argc, char **argv)
{
	static char buffer[16 * PAGE];
	pthread_t thread;
	int fd = argc > 1 ? open(argv[1], O_RDWR) : -1;
	if (fd < 0)
		return 1;
	posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	map = mmap(NULL, 256 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	volatile char *part = mmap(NULL, 16 * PAGE, PROT_READ, MAP_PRIVATE, fd, 128 * PAGE);
	mmap(NULL, 64 * PAGE, PROT_READ, MAP_SHARED, fd, 0); /* never touched: no I/O */
	if (map == MAP_FAILED || part == MAP_FAILED)
		return 1;
	madvise((void *)map, 256 * PAGE, MADV_RANDOM);
	madvise((void *)part, 16 * PAGE, MADV_RANDOM);
	for (int i = 0; i < 20; i++)
		sum += (unsigned char)map[i * 2 * PAGE];
	for (int i = 60; i < 70; i++)
		map[i * PAGE + 5] = (char)i;
	map[0] = 1; /* read before */
	if (pread(fd, buffer, sizeof buffer, 160 * PAGE) != sizeof buffer ||
	    pread(fd, buffer, PAGE, 200 * PAGE) != PAGE ||
	    pread(fd, buffer, PAGE, 200 * PAGE) != PAGE)
		return 1;
	close(fd);
	sum += (unsigned char)part[3 * PAGE];
	if (pthread_create(&thread, NULL, second, NULL) || pthread_join(thread, NULL))
		return 1;
	munmap((void *)part, 16 * PAGE);
	msync((void *)map, 256 * PAGE, MS_SYNC);
	printf("sum %u\n", sum);
	return 0;
}
