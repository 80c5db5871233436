/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A client of an object store, for tests of engine exec: reads a trace as CSV, issues each request
 * at its time to a store in memory, and prints start and end in us. With `fast` it ignores the
 * times. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void wait_until(int64_t due)
{
	struct timespec t = {due / 1000000000, due % 1000000000};
	while (now_ns() < due)
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* The length of a request: "path=k;offset=0;length=87". */
static size_t length_of(const char *args)
{
	const char *length = strstr(args, "length=");
	return length ? strtoul(length + 7, NULL, 10) % (1 << 20) : 0;
}

int main(int argc, char **argv)
{
	static char line[1 << 16], store[1 << 20], copy[1 << 20];
	FILE *trace = argc >= 2 ? fopen(argv[1], "r") : NULL;
	const int64_t start = now_ns();
	if (!trace || !fgets(line, sizeof line, trace))
		return 1;
	while (fgets(line, sizeof line, trace)) {
		char *at = line, *field[6];
		for (int i = 0; i < 6; i++)
			if (!(field[i] = strsep(&at, i < 5 ? "," : "")))
				return 2;
		if (argc < 3)
			wait_until(start + strtoll(field[2], NULL, 10));
		const int64_t begin = now_ns();
		if (!strcmp(field[4], "pwrite"))
			memcpy(store, copy, length_of(field[5]));
		else
			memcpy(copy, store, length_of(field[5]));
		printf("%.3f,%.3f\n", (double)(begin - start) / 1e3, (double)(now_ns() - start) / 1e3);
	}
	return 0;
}
