/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the metrics of a pair of traces: pairs of requests per second and peak memory, for each
 * metric alone and for all, by the number of pairs, to show the growth of the cost. Pairs are
 * generated while they are read, so that disk and page cache have no effect; then they are read
 * from uncompressed files. Each figure is from a separate process. The time to generate or read
 * them is measured alone and shown, and is part of every figure.
 *
 * The replay is in order except for effects of four threads: a few requests overtake their
 * neighbours ("near"), or threads drift apart by thousands of requests ("drift").
 *
 * usage: bench-metrics [--quick] [--only TEXT] [N...]
 * N: numbers of pairs, default 1000000 10000000 100000000; --quick, or BENCH_QUICK=1 in the
 * environment: without the last.
 * --only: cases whose name contains TEXT, and no comparison with the targets.
 * BENCH_FILE_REQUESTS=10000000 (the most read from files; 0: no files) BENCH_DIR=directory with 200
 * bytes per request (/dev/shm) */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/xalloc.h"
#include "validate/metrics/metrics.h"

enum { BATCH = 4096, N_THREADS = 4, MAX_SIZES = 8 };

struct shape {
	const char *name;
	int64_t jitter_ns; /* of a replayed begin */
	int64_t drift;	   /* a thread falls behind by this time, in ns, and catches up */
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
			q->begin_ns += thread == 1
					   ? g->shape->drift *
						 (phase < 0x8000 ? phase : 0xffff - phase) / 0x8000
					   : 0;
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

/* --- cases --------------------------------------------------------------- */

#define STREAMING (PART_RESPONSE | PART_SCHEDULE | PART_FIDELITY | PART_CONCURRENCY)

struct benched {
	const char *name;
	unsigned int parts, points, scopes, n_threads;
	enum metrics_match match;
};

#define ORDER(point, scope) PART_ORDER, 1u << POINT_##point, 1u << SCOPE_##scope, 1, MATCH_NUMBER
static const struct benched cases[] = {
    {"nothing: the requests alone", 0, 0, 0, 1, MATCH_NUMBER},
    {"response times", PART_RESPONSE, 0, 0, 1, MATCH_NUMBER},
    {"schedule and issue error", PART_SCHEDULE, 0, 0, 1, MATCH_NUMBER},
    {"fidelity", PART_FIDELITY, 0, 0, 1, MATCH_NUMBER},
    {"concurrency", PART_CONCURRENCY, 0, 0, 1, MATCH_NUMBER},
    {"lifetime concurrency", PART_LIFETIME, 0, 0, 1, MATCH_NUMBER},
    {"order at issue, all", ORDER(ISSUE, ALL)},
    {"order at issue, by object", ORDER(ISSUE, OBJECT)},
    {"order at issue, by thread", ORDER(ISSUE, THREAD)},
    {"order at completion, all", ORDER(COMPLETE, ALL)},
    {"matching by key", 0, 0, 0, 1, MATCH_KEY},
    {"all streaming", STREAMING, 0, 0, 1, MATCH_NUMBER},
    {"everything", PART_ALL, 0, 7, 1, MATCH_NUMBER},
    {"everything, 2 threads", PART_ALL, 0, 7, 2, MATCH_NUMBER},
};
#define N_CASES (sizeof cases / sizeof *cases)
enum { CASE_STREAMING = N_CASES - 3, CASE_EVERYTHING, CASE_THREADS };

struct figure {
	double s, mib;
};

static bool is_wanted(const struct benched *b, const char *only)
{
	return !only || strstr(b->name, only);
}

static int compute(const struct metrics_origin *r, const struct metrics_origin *x,
		   const struct benched *b)
{
	static struct metrics m;
	struct metrics_options o = METRICS_DEFAULTS;
	struct err e = ERR_INIT;
	o.match = b->match;
	o.parts = b->parts;
	o.points = b->points;
	o.scopes = b->scopes;
	o.n_threads = b->n_threads;
	int rc = metrics_compute(&m, r, x, &o, &e);
	if (rc)
		fprintf(stderr, "bench-metrics: %s: %s\n", b->name, e.msg);
	return rc ? 3 : 0;
}

/* A case, in its own process. */
static int run_case(const struct metrics_origin *r, const struct metrics_origin *x,
		    const struct benched *b, struct figure *f)
{
	static struct figure *shared;
	if (!shared)
		shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 3;
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		struct rusage u;
		int64_t start = clock_monotonic_ns();
		int rc = compute(r, x, b);
		shared->s = (double)(clock_monotonic_ns() - start) / 1e9;
		getrusage(RUSAGE_SELF, &u);
		shared->mib = (double)u.ru_maxrss / 1024;
		_exit(rc);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	*f = *shared;
	return status ? 3 : 0;
}

struct sizes {
	uint64_t n[MAX_SIZES];
	size_t n_sizes;
};

struct pair_paths {
	char r[300], x[300];
};

static void print_head(const char *title, const struct sizes *z)
{
	printf("\n%s\n%-28s", title, "million pairs/s, peak MiB");
	for (size_t i = 0; i < z->n_sizes; i++)
		printf("   of %4.6g million", (double)z->n[i] / 1e6);
	puts("   growth");
}

/* Prints a row: one case for all sizes, and the cost per pair for the largest size divided by that
 * for the smallest. */
static int run_row(const struct shape *shape, const struct pair_paths *files, const struct sizes *z,
		   const struct benched *b, struct figure *last)
{
	double first = 0, cost = 0;
	printf("%-28s", b->name);
	for (size_t i = 0; i < z->n_sizes; i++) {
		struct made_up reference = {.n = z->n[i], .state = 88172645463325252ull}, replay = reference;
		struct metrics_origin r = {"reference", &reference, made_up_open},
				      x = {"replay", &replay, made_up_open};
		replay.shape = shape;
		if (files) {
			r = metrics_file(files[i].r);
			x = metrics_file(files[i].x);
		}
		if (run_case(&r, &x, b, last))
			return 3;
		cost = last->s / (double)z->n[i];
		first = i ? first : cost;
		printf("  %7.2f %7.1f", (double)z->n[i] / last->s / 1e6, last->mib);
		fflush(stdout);
	}
	printf("%9.2f\n", cost / first);
	return 0;
}

/* The targets, for the largest number of pairs. */
static void print_aim(const char *what, uint64_t n, double s, double aim)
{
	double rate = (double)n / s / 1e6;
	printf("%-44s %6.2f million/s, aim %g: %s\n", what, rate, aim,
	       rate >= aim ? "reached" : "missed");
}

static int run_shape(const char *title, const struct shape *shape, const struct sizes *z,
		     size_t from, const char *only)
{
	struct figure f[N_CASES];
	uint64_t n = z->n[z->n_sizes - 1];
	print_head(title, z);
	for (size_t i = from; i < N_CASES; i++)
		if (is_wanted(&cases[i], only) && run_row(shape, NULL, z, &cases[i], &f[i]))
			return 3;
	if (from || only)
		return 0;
	print_aim("everything, 1 thread, made up:", n, f[CASE_EVERYTHING].s, 3);
	printf("%-44s %6.1f MiB, aim below 1024: %s\n",
	       "peak memory, everything, 2 threads:", f[CASE_THREADS].mib,
	       f[CASE_THREADS].mib < 1024 ? "reached" : "missed");
	return 0;
}

/* --- files --------------------------------------------------------------- */

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
		rc = trace_writer_object(w, OBJECT_PATH,
					 (const char *[]){"f0", "f1", "f2", "f3"}[i], &id, e);
	while (!rc && s.next(s.context, &r, &n, e) > 0)
		rc = trace_writer_append(w, r, n, e);
	s.close(s.context);
	return rc ? rc : trace_writer_close(w, e);
}

/* As many pairs as fit. */
static uint64_t that_fit(const char *dir, uint64_t n)
{
	struct statvfs v;
	uint64_t room = statvfs(dir, &v) ? 0 : (uint64_t)v.f_bavail * v.f_frsize / 210;
	if (room < n)
		printf("\n%s has room for no more than %llu pairs of the %llu\n", dir,
		       (unsigned long long)room, (unsigned long long)n);
	return room < n ? room : n;
}

static int write_pair(const struct pair_paths *p, const struct shape *shape, uint64_t n)
{
	struct err e = ERR_INIT;
	struct made_up reference = {.n = n, .state = 88172645463325252ull}, replay = reference;
	replay.shape = shape;
	int rc = write_file(p->r, &reference, &e);
	rc = rc ? rc : write_file(p->x, &replay, &e);
	if (rc)
		fprintf(stderr, "bench-metrics: %s\n", e.msg);
	return rc ? 3 : 0;
}

static int run_file_rows(const struct pair_paths *paths, const struct sizes *z, const char *dir,
			 const char *only)
{
	struct figure f[N_CASES];
	char title[400];
	uint64_t n = z->n[z->n_sizes - 1];
	int rc = 0;
	for (size_t i = 0; i < z->n_sizes && !rc; i++)
		rc = write_pair(&paths[i], &near, z->n[i]);
	snprintf(title, sizeof title, "near, from uncompressed files in %s", dir);
	print_head(title, z);
	for (size_t i = 0; i < N_CASES && !rc; i++)
		rc = is_wanted(&cases[i], only) ? run_row(&near, paths, z, &cases[i], &f[i]) : 0;
	if (rc || only)
		return rc;
	print_aim("all streaming, 1 thread, from files:", n, f[CASE_STREAMING].s, 10);
	print_aim("everything, 1 thread, from files:", n, f[CASE_EVERYTHING].s, 3);
	return 0;
}

static int run_files(const struct sizes *all, uint64_t most, const char *only)
{
	struct pair_paths paths[MAX_SIZES];
	struct sizes z = {{0}, 0};
	uint64_t sum = 0;
	const char *dir = getenv("BENCH_DIR") ? getenv("BENCH_DIR") : "/dev/shm";
	for (size_t i = 0; i < all->n_sizes; i++) {
		if (all->n[i] > most || that_fit(dir, sum + all->n[i]) < sum + all->n[i])
			continue;
		struct pair_paths *p = &paths[z.n_sizes];
		snprintf(p->r, sizeof p->r, "%s/validate-bench-%d-%zu-r.trace", dir, (int)getpid(),
			 i);
		snprintf(p->x, sizeof p->x, "%s/validate-bench-%d-%zu-x.trace", dir, (int)getpid(),
			 i);
		sum += z.n[z.n_sizes++] = all->n[i];
	}
	int rc = z.n_sizes ? run_file_rows(paths, &z, dir, only) : 0;
	for (size_t i = 0; i < z.n_sizes; i++) {
		unlink(paths[i].r);
		unlink(paths[i].x);
	}
	return rc;
}

int main(int argc, char **argv)
{
	const char *files = getenv("BENCH_FILE_REQUESTS"), *quick_text = getenv("BENCH_QUICK"),
		   *only = NULL;
	bool quick = quick_text && *quick_text && strcmp(quick_text, "0");
	struct sizes z = {{0}, 0};
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++) {
		quick |= !strcmp(argv[i], "--quick");
		if (!strcmp(argv[i], "--only") && i + 1 < argc) {
			only = argv[++i];
			continue;
		}
		if (!strcmp(argv[i], "--quick"))
			continue;
		uint64_t n = strtoull(argv[i], NULL, 10);
		if (!n || z.n_sizes == MAX_SIZES) {
			fprintf(stderr,
				"usage: bench-metrics [--quick] [--only TEXT] [N...], at most %d "
				"numbers of pairs\n",
				MAX_SIZES);
			return 2;
		}
		z.n[z.n_sizes++] = n;
	}
	if (!z.n_sizes)
		z = (struct sizes){{1000000, 10000000, 100000000}, quick ? 2 : 3};
	int rc = run_shape("near: requests overtake their neighbours; made up", &near, &z, 0, only);
	if (!rc)
		rc = run_shape(
		    "drift: a thread falls behind by thousands of requests and catches up; made up",
		    &drift, &z, CASE_STREAMING, only);
	return rc ? rc : run_files(&z, files ? strtoull(files, NULL, 10) : 10000000, only);
}
