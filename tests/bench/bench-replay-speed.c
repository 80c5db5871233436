/* SPDX-License-Identifier: GPL-3.0-or-later */
/* (b) How fast and how true the event engine replays at full speed: cached 4 KiB sequential reads, 1 and 2 threads, against the
 * program itself, for each order.
 *
 * Every run is a process of its own and lasts 200 ms or more, with as many requests a thread in the program as in the replay. A
 * block is the program, the program again (what noise alone does) and a replay in each order, shuffled; each is compared
 * with the block's program run. The replays take the trace that the program wrote in the block before. At least BENCH_PAIRS
 * blocks (40), then on until every median's 95 % interval is within 1 % or BENCH_MAX_PAIRS (120) are done. Shown: median of
 * the ratio, its 95 % interval (by order statistics, so that no distribution is assumed), and the quartiles; for two threads
 * also what an ideal replayer could reach that keeps the temporal order (ideal_order.h). */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/trace.h"
#include "common/files.h"
#include "common/xalloc.h"
#include "replay/replay.h"
#include "tests/bench/ideal_order.h"

extern char **environ;

enum { PROGRAM, AGAIN, FIRST_ORDER, N_ORDERS = ORDER_NONE + 1, N_KINDS = FIRST_ORDER + N_ORDERS, MAX_PAIRS = 2000 };

struct figures {
	double response_ns, rate; /* mean of a run; requests per second */
	uint64_t n;
};

struct bench {
	const char *validate;
	char *dir, *files, *input, *output, *next;
	int level;
	uint64_t n_requests; /* of a thread; 0: not known yet */
	unsigned int seed;
};

static void fail(const char *what)
{
	fprintf(stderr, "bench-replay-speed: %s\n", what);
	exit(3);
}

static void run(const char *const argv[])
{
	pid_t pid;
	int status, null = STDOUT_FILENO;
	posix_spawn_file_actions_t quiet;
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, null, "/dev/null", 1 /* O_WRONLY */, 0);
	if (posix_spawn(&pid, argv[0], &quiet, NULL, (char *const *)(uintptr_t)argv, environ))
		fail("cannot start the program (VALIDATE names it)");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	posix_spawn_file_actions_destroy(&quiet);
	if (status)
		fail("a run failed");
}

static struct figures figures_of(const char *path)
{
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	size_t n;
	double sum = 0, count = 0;
	int64_t first = INT64_MAX, last = INT64_MIN;
	if (trace_open(&t, path, &e))
		fail(e.msg);
	while (trace_next_batch(t, &r, &n, &e) > 0)
		for (size_t i = 0; i < n; i++) {
			sum += (double)(r[i].end_ns - r[i].begin_ns);
			count++;
			first = r[i].begin_ns < first ? r[i].begin_ns : first;
			last = r[i].end_ns > last ? r[i].end_ns : last;
		}
	trace_close(t);
	return (struct figures){sum / count, count / (double)(last - first) * 1e9, (uint64_t)count};
}

static struct figures program(const struct bench *b, const char *output, bool prepare)
{
	char level[16], n_requests[32];
	snprintf(level, sizeof level, "%d", b->level);
	snprintf(n_requests, sizeof n_requests, "%" PRIu64, b->n_requests ? b->n_requests : 5000);
	const char *const argv[] = {b->validate, "microbench", "sequential-read", "--level", level, "--requests", n_requests,
				    "--min-duration", b->n_requests ? "0" : "230ms", "--dir", b->files, "-o", output,
				    "--no-sync-output", prepare ? "--prepare" : "--no-prepare", NULL};
	run(argv);
	return figures_of(output);
}

static struct figures replay(const struct bench *b, int order)
{
	const char *const argv[] = {b->validate, "replay", "--order", replay_order_names[order], "--dir", b->files, "-o", b->output,
				    "--no-sync-output", b->input, NULL};
	run(argv);
	return figures_of(b->output);
}

static void block(struct bench *b, struct figures *f, double *ideal)
{
	int turn[N_KINDS];
	for (int i = 0; i < N_KINDS; i++)
		turn[i] = i;
	for (int i = N_KINDS - 1; i > 0; i--) {
		b->seed = b->seed * 1664525u + 1013904223u; /* Numerical Recipes' generator */
		int k = (int)((b->seed >> 8) % (unsigned int)(i + 1)), was = turn[i];
		turn[i] = turn[k];
		turn[k] = was;
	}
	for (int i = 0; i < N_KINDS; i++) {
		if (turn[i] == PROGRAM)
			f[PROGRAM] = program(b, b->next, false);
		else if (turn[i] == AGAIN)
			f[AGAIN] = program(b, b->output, false);
		else
			f[turn[i]] = replay(b, turn[i] - FIRST_ORDER);
	}
	*ideal = b->level == 2 ? ideal_rate(b->input, b->next) : 0;
	char *was = b->input;
	b->input = b->next;
	b->next = was;
}

/* --- figures ------------------------------------------------------------------------------------------------------- */

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

struct spread {
	double median, low, high, quartile[2];
};

static struct spread spread_of(double *x, int n)
{
	qsort(x, (size_t)n, sizeof *x, compare_double);
	/* ranks around the median that hold it with 95 %: normal approximation of the binomial */
	int k = (int)floor((n - 1.96 * sqrt(n)) / 2);
	k = k < 0 ? 0 : k;
	return (struct spread){(x[(n - 1) / 2] + x[n / 2]) / 2, x[k], x[n - 1 - k], {x[n / 4], x[n - 1 - n / 4]}};
}

static struct spread ratio(const struct figures (*f)[N_KINDS], int n, int kind, bool rate)
{
	double *x = xmalloc((size_t)n * sizeof *x);
	for (int i = 0; i < n; i++)
		x[i] = rate ? f[i][kind].rate / f[i][PROGRAM].rate : f[i][kind].response_ns / f[i][PROGRAM].response_ns;
	struct spread s = spread_of(x, n);
	free(x);
	return s;
}

static double widest(const struct figures (*f)[N_KINDS], int n)
{
	double w = 0;
	for (int kind = AGAIN; kind < N_KINDS; kind++)
		for (int rate = 0; rate < 2 && kind != FIRST_ORDER + ORDER_TEMPORAL_SERIAL; rate++) {
			struct spread s = ratio(f, n, kind, rate);
			w = fmax(w, (s.high - s.low) / 2 / s.median);
		}
	return w;
}

static void show(const struct figures (*f)[N_KINDS], int n, int level)
{
	double *x = xmalloc((size_t)n * sizeof *x), *y = xmalloc((size_t)n * sizeof *y);
	for (int i = 0; i < n; i++) {
		x[i] = f[i][PROGRAM].response_ns;
		y[i] = f[i][PROGRAM].rate;
	}
	struct spread p = spread_of(x, n), q = spread_of(y, n);
	printf("%d thread%s, %d pairs, widest 95 %% interval of a median +-%.1f %%; the program: mean response %.0f ns (quartiles "
	       "%.0f to %.0f), %.0f requests/s\n",
	       level, level == 1 ? "" : "s", n, 100 * widest(f, n), p.median, p.quartile[0], p.quartile[1], q.median);
	printf("  %-16s  %-42s  %s\n", "", "mean response / program's", "requests/s / program's");
	for (int kind = AGAIN; kind < N_KINDS; kind++) {
		struct spread r = ratio(f, n, kind, false), s = ratio(f, n, kind, true);
		printf("  %-16s  %.4f [%.4f, %.4f] quartiles %.3f %.3f  %.4f [%.4f, %.4f] quartiles %.3f %.3f\n",
		       kind == AGAIN ? "program again" : replay_order_names[kind - FIRST_ORDER], r.median, r.low, r.high,
		       r.quartile[0], r.quartile[1], s.median, s.low, s.high, s.quartile[0], s.quartile[1]);
	}
	fflush(stdout);
	free(x);
	free(y);
}

static void measure(struct bench *b, int n_least, int n_most)
{
	static struct figures f[MAX_PAIRS][N_KINDS];
	static double ideal[MAX_PAIRS];
	int n = 0;
	b->n_requests = 0;
	b->n_requests = program(b, b->input, true).n / (uint64_t)b->level;
	program(b, b->input, false);
	block(b, f[0], &ideal[0]); /* not counted: the machine and the files get warm */
	do {
		block(b, f[n], &ideal[n]);
		n++;
	} while (n < n_least || (n < n_most && widest(f, n) > 0.01));
	show(f, n, b->level);
	if (b->level == 2) {
		struct spread s = spread_of(ideal, n);
		printf("  %-16s  %-42s  %.4f [%.4f, %.4f] quartiles %.3f %.3f\n", "temporal, ideal", "(waits only as the order says)",
		       s.median, s.low, s.high, s.quartile[0], s.quartile[1]);
		fflush(stdout);
	}
}

static int number(const char *name, int usual)
{
	const char *text = getenv(name);
	int n = text ? atoi(text) : usual;
	return n < 2 ? 2 : n > MAX_PAIRS ? MAX_PAIRS : n;
}

int main(void)
{
	struct err e = ERR_INIT;
	const char *base = getenv("BUILD");
	struct bench b = {.validate = getenv("VALIDATE"), .seed = (unsigned int)getpid()};
	if (!b.validate || !base)
		fail("VALIDATE and BUILD are not set: start it by tests/bench/run BUILD bench-replay-speed");
	b.dir = xasprintf("%s/bench-replay-speed.XXXXXX", base);
	if (!mkdtemp(b.dir))
		fail("cannot make a directory");
	b.files = xasprintf("%s/files", b.dir);
	b.input = xasprintf("%s/input", b.dir);
	b.next = xasprintf("%s/next", b.dir);
	b.output = xasprintf("%s/output", b.dir);
	if (dir_create(b.files, &e))
		fail(e.msg);
	int n_least = number("BENCH_PAIRS", 40), n_most = number("BENCH_MAX_PAIRS", 120);
	for (b.level = 1; b.level <= 2; b.level++)
		measure(&b, n_least, n_most < n_least ? n_least : n_most);
	if (dir_remove_tree(b.dir, &e))
		fail(e.msg);
	return 0;
}
