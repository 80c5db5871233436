/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The metrics of a pair of traces: pairs of requests a second, and peak memory. Pairs are made up while they are read, 1,
 * 10 and 100 million of them, so that no disk and no page cache counts; and one pair is read from files. Each case is a
 * process of its own. What making them up takes is measured alone and shown, and is part of every figure.
 *
 * The replay is in order but for what four threads do to each other: a few requests overtake their neighbours ("near"),
 * or threads drift apart by thousands of requests ("drift").
 *
 * usage: bench-metrics [N...]   numbers of pairs, default 1000000 10000000 100000000
 * BENCH_FILE_REQUESTS=10000000 (0: no files) BENCH_DIR=where 200 bytes a request fit (default /dev/shm) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/xalloc.h"
#include "validate/metrics/metrics.h"

enum { BATCH = 4096, N_THREADS = 4 };

struct shape {
	const char *name;
	int64_t jitter_ns; /* of a replayed begin */
	int64_t drift;	   /* one thread falls behind and catches up by so many ns */
};
static const struct shape near = {"near", 700, 0}, drift = {"drift", 700, 2000000};

struct made_up {
	const struct shape *shape; /* NULL: the reference */
	uint64_t n, i, state;
	int64_t now_ns;
	struct trace_record r[BATCH];
};

static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static int made_up_next(void *context, const struct trace_record **r, size_t *n, struct err *e)
{
	struct made_up *g = context;
	(void)e;
	*r = g->r;
	for (*n = 0; *n < BATCH && g->i < g->n; g->i++, ++*n) {
		struct trace_record *q = &g->r[*n];
		uint64_t x = draw(&g->state); /* the same in both traces */
		uint32_t thread = (uint32_t)(g->i % N_THREADS);
		g->now_ns += 300 + (int64_t)(x & 127);
		q->seq = g->i;
		q->begin_ns = g->now_ns;
		q->tid = 1000 + thread;
		q->object = thread;
		q->offset = (x >> 20 & 0xffff) * 4096;
		if (g->shape) {
			int64_t phase = (int64_t)(g->i >> 4 & 0xffff);
			q->begin_ns += g->shape->jitter_ns * (int64_t)(x >> 7 & 63) / 64;
			q->begin_ns += thread == 1 ? g->shape->drift * (phase < 0x8000 ? phase : 0xffff - phase) / 0x8000 : 0;
		}
		q->end_ns = q->begin_ns + 400 + (int64_t)(x >> 13 & 255) + (x >> 50 ? 0 : 100000);
	}
	return *n > 0;
}

static int made_up_open(const struct metrics_origin *o, struct metrics_source *s, struct err *e)
{
	(void)e;
	struct made_up *g = xcalloc(1, sizeof *g);
	memcpy(g, o->context, offsetof(struct made_up, r));
	for (int i = 0; i < BATCH; i++)
		g->r[i] = (struct trace_record){.intended_ns = TIME_NONE,
						.dispatch_ns = TIME_NONE,
						.length = 4096,
						.rvalue = 4096,
						.pid = 1000,
						.fd = 3,
						.heap = HEAP_NONE,
						.op = OP_PREAD,
						.commit = TRACE_COMMIT};
	*s = (struct metrics_source){.name = o->name, .context = g, .next = made_up_next, .close = free};
	return 0;
}

/* --- cases ---------------------------------------------------------------------------------------------------------- */

struct benched {
	const char *name;
	unsigned int parts, points, scopes, n_threads;
};

static const struct benched cases[] = {
    {"making them up", 0, 0, 0, 1},
    {"response", PART_RESPONSE, 0, 0, 1},
    {"schedule", PART_SCHEDULE, 0, 0, 1},
    {"fidelity", PART_FIDELITY, 0, 0, 1},
    {"concurrency", PART_CONCURRENCY, 0, 0, 1},
    {"lifetime", PART_LIFETIME, 0, 0, 1},
    {"order, issue, all", PART_ORDER, 1u << POINT_ISSUE, 1u << SCOPE_ALL, 1},
    {"order, issue, thread", PART_ORDER, 1u << POINT_ISSUE, 1u << SCOPE_THREAD, 1},
    {"order, complete, all", PART_ORDER, 1u << POINT_COMPLETE, 1u << SCOPE_ALL, 1},
    {"all but order and lifetime", PART_RESPONSE | PART_SCHEDULE | PART_FIDELITY | PART_CONCURRENCY, 0, 0, 1},
    {"everything, 1 thread", PART_ALL, 0, 7, 1},
    {"everything, 2 threads", PART_ALL, 0, 7, 2},
};
#define N_CASES (sizeof cases / sizeof *cases)

static int compute(const struct metrics_origin *r, const struct metrics_origin *x, const struct benched *b, double *ratio)
{
	static struct metrics m;
	struct metrics_options o = METRICS_DEFAULTS;
	struct err e = ERR_INIT;
	o.match = MATCH_NUMBER;
	o.parts = b->parts;
	o.points = b->points;
	o.scopes = b->scopes;
	o.n_threads = b->n_threads;
	int rc = metrics_compute(&m, r, x, &o, &e);
	if (rc)
		fprintf(stderr, "bench-metrics: %s\n", e.msg);
	const struct disorder_total *t = &m.order[b->points == 1u << POINT_COMPLETE ? POINT_COMPLETE : POINT_ISSUE]
					      .total[b->scopes == 1u << SCOPE_THREAD ? SCOPE_THREAD : SCOPE_ALL];
	*ratio = t->n_received ? (double)t->n_reordered / (double)t->n_received : 0;
	return rc ? 3 : 0;
}

/* One case in a process of its own: its line. */
static int run_case(const struct metrics_origin *r, const struct metrics_origin *x, const struct benched *b, uint64_t n)
{
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		struct rusage u;
		double ratio = 0;
		int64_t start = clock_monotonic_ns();
		int rc = compute(r, x, b, &ratio);
		double s = (double)(clock_monotonic_ns() - start) / 1e9;
		getrusage(RUSAGE_SELF, &u);
		double cpu = (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
			     (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
		printf("%11llu  %-28s %8.3f s %8.3f s cpu %8.2f million/s %7.1f MiB", (unsigned long long)n, b->name, s,
		       cpu, (double)n / s / 1e6, (double)u.ru_maxrss / 1024);
		if (b->parts & PART_ORDER)
			printf("  reordered %.2f %%", 100 * ratio);
		putchar('\n');
		fflush(stdout);
		_exit(rc);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	return status ? 3 : 0;
}

static int run_shape(const struct shape *shape, uint64_t n, size_t first)
{
	struct made_up a = {.n = n, .state = 88172645463325252ull}, b = a;
	b.shape = shape;
	struct metrics_origin r = {"reference", &a, made_up_open}, x = {"replay", &b, made_up_open};
	int rc = 0;
	for (size_t i = first; i < N_CASES && !rc; i++)
		rc = run_case(&r, &x, &cases[i], n);
	return rc;
}

/* --- files ---------------------------------------------------------------------------------------------------------- */

static int write_file(const char *path, const struct made_up *made, struct err *e)
{
	struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "made up"};
	struct trace_write_options o = {.no_sync = true};
	struct trace_writer *w;
	struct metrics_origin origin = {path, made, made_up_open};
	struct metrics_source s;
	const struct trace_record *r;
	uint32_t id;
	size_t n;
	made_up_open(&origin, &s, e);
	int rc = trace_writer_open(&w, path, &meta, &o, e);
	for (int i = 0; i < N_THREADS && !rc; i++)
		rc = trace_writer_object(w, OBJECT_PATH, (const char *[]){"f0", "f1", "f2", "f3"}[i], &id, e);
	while (!rc && s.next(s.context, &r, &n, e) > 0)
		rc = trace_writer_append(w, r, n, e);
	s.close(s.context);
	return rc ? rc : trace_writer_close(w, e);
}

static int run_files(uint64_t n)
{
	char r_path[300], x_path[300];
	struct err e = ERR_INIT;
	const char *dir = getenv("BENCH_DIR");
	struct made_up a = {.n = n, .state = 88172645463325252ull}, b = a;
	b.shape = &near;
	snprintf(r_path, sizeof r_path, "%s/validate-bench-%d-r.trace", dir ? dir : "/dev/shm", (int)getpid());
	snprintf(x_path, sizeof x_path, "%s/validate-bench-%d-x.trace", dir ? dir : "/dev/shm", (int)getpid());
	printf("\nnear, from uncompressed files in %s:\n", dir ? dir : "/dev/shm");
	int rc = write_file(r_path, &a, &e);
	rc = rc ? rc : write_file(x_path, &b, &e);
	if (rc)
		fprintf(stderr, "bench-metrics: %s\n", e.msg);
	struct metrics_origin r = metrics_file(r_path), x = metrics_file(x_path);
	for (size_t i = 0; i < N_CASES && !rc; i++)
		if (!i || cases[i].n_threads > 1 || i + 3 >= N_CASES)
			rc = run_case(&r, &x, &cases[i], n);
	unlink(r_path);
	unlink(x_path);
	return rc ? 3 : 0;
}

int main(int argc, char **argv)
{
	static char *usual[] = {"", "1000000", "10000000", "100000000"};
	const char *files = getenv("BENCH_FILE_REQUESTS");
	int rc = 0;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc < 2) {
		argv = usual;
		argc = 4;
	}
	puts("pairs of requests, what is computed, time, processor time, pairs a second, peak of resident memory");
	puts("near: requests overtake their neighbours");
	for (int i = 1; i < argc && !rc; i++)
		rc = run_shape(&near, strtoull(argv[i], NULL, 10), 0);
	puts("\ndrift: a thread falls behind by thousands of requests and catches up");
	for (int i = 1; i < argc && !rc; i++)
		rc = run_shape(&drift, strtoull(argv[i], NULL, 10), N_CASES - 2);
	uint64_t n = files ? strtoull(files, NULL, 10) : 10000000;
	return !rc && n ? run_files(n) : rc;
}
