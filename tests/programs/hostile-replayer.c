/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hostile-replayer FAULT TRACE DEVICE: replays like simple-replayer, but at full speed and with a
 * fault that a replayer may have. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 1000 };

struct request {
	double due;
	unsigned long long sector, n;
	char op;
};

static struct request request[MOST];
static char buffer[1 << 20];

static double now_us(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

static void make(const struct request *r, int device, const char *fault)
{
	double begin = now_us();
	off_t at = (off_t)r->sector * 512;
	long got = r->op == 'W' ? pwrite(device, buffer, r->n * 512, at)
				: pread(device, buffer, r->n * 512, at);
	double end = now_us();
	if (!strcmp(fault, "nan"))
		printf("nan,%.3f,%c,%llu,%llu\n", end, r->op, r->sector, r->n);
	else if (!strcmp(fault, "inf"))
		printf("%.3f,inf,%c,%llu,%llu\n", begin, r->op, r->sector, r->n);
	else if (!strcmp(fault, "negative"))
		printf("%.3f,%.3f,%c,-%llu,%llu\n", begin, end, r->op, r->sector + 8, r->n);
	else if (!strcmp(fault, "backwards"))
		printf("%.3f,%.3f,%c,%llu,%llu\n", end + 5, begin, r->op, r->sector, r->n);
	else if (!strcmp(fault, "garbage"))
		printf("%c%c\001 lorem ipsum %ld\n", 0xff, 0xfe, got);
	else
		printf("%.3f,%.3f,%c,%llu,%llu\n", begin, end, r->op, r->sector, r->n);
}

/* Before the replay. */
static void misbehave(const char *fault)
{
	if (!strcmp(fault, "nothing"))
		exit(0);
	if (!strcmp(fault, "status"))
		exit(fputs("there is no such thing\n", stderr) < 0 ? 0 : 7);
	if (!strcmp(fault, "crash"))
		raise(SIGSEGV);
	if (!strcmp(fault, "hang")) {
		signal(SIGTERM, SIG_IGN);
		for (;;)
			pause();
	}
	if (!strcmp(fault, "flood"))
		for (long i = 0; i < 1 << 20; i++) /* 1 GiB, 1 KiB at a time */
			fprintf(stderr, "%01023ld\n", i);
	while (!strcmp(fault, "endless-times"))
		printf("%01023d\n", 0);
	if (!strcmp(fault, "daemon") && fork() == 0) {
		setsid();
		if (fork())
			_exit(0);
		signal(SIGTERM, SIG_IGN);
		for (;;)
			pause();
	}
	/* kills the process that started it, so that no process seems to be left to end it */
	if (!strcmp(fault, "orphan")) {
		int pid = fork();
		FILE *f = pid ? fopen(getenv("ORPHAN"), "w") : NULL;
		if (pid && f && fprintf(f, "%d\n", pid) > 0 && !fclose(f))
			kill(getppid(), SIGKILL);
		setsid();
		for (;;)
			pause();
	}
	if (!strcmp(fault, "outside"))
		fclose(fopen(getenv("OUTSIDE"), "w"));
	if (!strcmp(fault, "closed"))
		fclose(stdout);
	for (int i = 0; !strcmp(fault, "binary") && i < 100000; i++)
		fputc(i, stderr);
	if (!strcmp(fault, "removes") && remove(getenv("REMOVED")))
		exit(9);
	if (!strcmp(fault, "truncates") && truncate(getenv("TRUNCATED"), 2000))
		exit(9);
	if (!strcmp(fault, "replaces") && rename(getenv("ANOTHER"), getenv("REPLACED")))
		exit(9);
	if (!strcmp(fault, "stops")) /* who started it */
		kill(getppid(), SIGSTOP);
	if (!strcmp(fault, "fills")) {
		int file = open(getenv("FILLED"), O_WRONLY | O_CREAT, 0600);
		while (write(file, buffer, sizeof buffer) > 0 || write(file, buffer, 1) > 0)
			;
	}
}

int main(int argc, char **argv)
{
	const char *fault = argc == 4 ? argv[1] : "";
	FILE *trace = argc == 4 ? fopen(argv[2], "r") : NULL;
	int device = argc == 4 ? open(argv[3], O_RDWR) : -1, n = 0;
	if (!trace || device < 0)
		return 1;
	misbehave(fault);
	while (n < MOST && fscanf(trace, "%lf ; %llu ; %llu ; %c ; %*[^\n]", &request[n].due,
				  &request[n].sector, &request[n].n, &request[n].op) == 4)
		n++;
	const int rounds = !strcmp(fault, "twice") ? 2 : 1;
	for (int k = 0, i = 0; k < rounds * n; k++, i = k % n) {
		if (!strcmp(fault, "skip") && i % 10 == 9)
			continue;
		make(&request[!strcmp(fault, "reorder") ? n - 1 - i : i], device, fault);
		if (!strcmp(fault, "repeat") && i % 20 == 0)
			make(&request[i], device, fault);
		if (!strcmp(fault, "crash-late") && i == n / 2)
			abort();
	}
	return 0;
}
