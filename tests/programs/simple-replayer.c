/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The example of doc/adapters.md: a complete replayer. Each line of its input is "seconds ; sector
 * ; sectors ; R or W ; ...". It makes the requests one after another, none before its time, and
 * prints for each request its start and end in us, and its arguments. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static double now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

int main(int argc, char **argv)
{
	FILE *trace = argc == 3 ? fopen(argv[1], "r") : NULL;
	int device = argc == 3 ? open(argv[2], O_RDWR) : -1;
	double start = now_us(), due;
	unsigned long long sector, n;
	char op;
	void *buffer = calloc(1, 16 << 20);
	if (!trace || device < 0 || !buffer)
		return perror("simple-replayer TRACE DEVICE"), 1;
	while (fscanf(trace, "%lf ; %llu ; %llu ; %c ; %*[^\n]", &due, &sector, &n, &op) == 4) {
		while (now_us() - start < due * 1e6)
			usleep(50);
		double begin = now_us() - start;
		long got = op == 'W' ? pwrite(device, buffer, n * 512, (off_t)sector * 512)
				     : pread(device, buffer, n * 512, (off_t)sector * 512);
		printf("%.3f,%.3f,%c,%llu,%llu,%ld\n", begin, now_us() - start, op, sector, n, got);
	}
	return 0;
}
