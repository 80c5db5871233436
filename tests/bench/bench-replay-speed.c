/* SPDX-License-Identifier: GPL-3.0-or-later */
/* (b) How fast and how exactly the engines replay at full speed: cached 4 KiB reads, sequential and
 * random, 1 to 4 threads, compared with the program itself, by engine and order.
 *
 * Every run is a separate process and lasts at least 200 ms, with the same number of requests per
 * thread in program and replay. A block is the program, the program again (the effect of noise
 * alone) and each replay once, in random order; each is compared with the program's run of the
 * block. The replays take the trace that the program wrote in the previous block; the compiled
 * engine makes its program before the block. At least BENCH_PAIRS blocks (40) run, and further
 * blocks until the 95 % interval of every median of `event` is within 1 % or BENCH_MAX_PAIRS (120)
 * are done. Shown are the median of the ratio, its 95 % interval (by order statistics, without an
 * assumption on the distribution), and the quartiles; for two threads also the rate of an ideal
 * replayer that keeps the temporal order (ideal_order.h), without and with the time that a cache
 * line takes between CPUs at that moment (line_way.h).
 *
 * BENCH_THREADS, BENCH_WORKLOADS, BENCH_ENGINES and BENCH_ORDERS select cases, as words of a list.
 * With BENCH_SAMPLES=FILE the blocks of earlier runs are read from it and the blocks of this run
 * are added, so that a machine is not needed for long at a time. */
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
#include "tests/bench/line_way.h"

extern char **environ;

static const struct replayer {
	const char *engine, *order;
} replayers[] = {{"event", "temporal"},  {"event", "fs"},           {"event", "thread"},
		 {"event", "none"},      {"compiled", "temporal"},  {"compiled", "fs"},
		 {"compiled", "thread"}, {"compiled", "none"},      {"coordinator", "temporal"},
		 {"coordinator", "fs"},  {"coordinator", "thread"}, {"coordinator", "none"}};

enum {
	PROGRAM,
	AGAIN,
	FIRST_REPLAY,
	N_REPLAYERS = sizeof replayers / sizeof *replayers,
	N_KINDS = FIRST_REPLAY + N_REPLAYERS,
	MAX_PAIRS = 2000,
	MOST_THREADS = 4
};

struct figures {
	double response_ns, rate; /* mean of a run; requests per second */
	uint64_t n;
};

/* for a block with two threads: rate of an ideal replayer divided by the program's rate; the same,
 * including the time of a cache line; that time */
struct ideal {
	double free, fetching, way_ns;
};

struct bench {
	const char *validate, *workload;
	char *dir, *files, *input, *output, *next, *programs;
	int level;
	uint64_t n_requests; /* of a thread; 0: unknown */
	unsigned int seed;
};

static void fail(const char *what)
{
	fprintf(stderr, "bench-replay-speed: %s\n", what);
	exit(3);
}

/* Whether the environment's list `name` contains the word, or the list does not exist. */
static bool chosen(const char *name, const char *word)
{
	const char *list = getenv(name);
	size_t n = strlen(word);
	if (!list || !*list)
		return true;
	for (const char *p = list; *p; p += strcspn(p, " ,"), p += strspn(p, " ,"))
		if (!strncmp(p, word, n) && strchr(" ,", p[n]))
			return true;
	return false;
}

static bool replays(int kind)
{
	const struct replayer *r = &replayers[kind - FIRST_REPLAY];
	return chosen("BENCH_ENGINES", r->engine) && chosen("BENCH_ORDERS", r->order);
}

/* A replay by the coordinator takes at least ten times as long, and its difference is large. So it
 * runs only in every eighth block. */
static bool takes_part(int kind, int i_block)
{
	return replays(kind) &&
	       (strcmp(replayers[kind - FIRST_REPLAY].engine, "coordinator") || i_block % 8 == 0);
}

static bool compiles(int kind)
{
	return !strcmp(replayers[kind - FIRST_REPLAY].engine, "compiled");
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
	const char *const argv[] = {b->validate,
				    "microbench",
				    b->workload,
				    "--level",
				    level,
				    "--requests",
				    n_requests,
				    "--min-duration",
				    b->n_requests ? "0" : "230ms",
				    "--dir",
				    b->files,
				    "-o",
				    output,
				    "--no-sync-output",
				    prepare ? "--prepare" : "--no-prepare",
				    NULL};
	run(argv);
	return figures_of(output);
}

static void replay(const struct bench *b, int kind, bool compile_only)
{
	const struct replayer *r = &replayers[kind - FIRST_REPLAY];
	const char *argv[20] = {b->validate,        "replay", "--engine", r->engine, "--order",
				r->order,           "--dir",  b->files,   "-o",      b->output,
				"--no-sync-output", b->input};
	int n = 12;
	if (compiles(kind)) {
		argv[n++] = "--program-cache";
		argv[n++] = b->programs;
	}
	if (compile_only)
		argv[n++] = "--compile-only";
	run(argv);
}

static void shuffle(struct bench *b, int *turn, int n)
{
	for (int i = 0; i < n; i++)
		turn[i] = i;
	for (int i = n - 1; i > 0; i--) {
		b->seed = b->seed * 1664525u + 1013904223u; /* Numerical Recipes' generator */
		int k = (int)((b->seed >> 8) % (unsigned int)(i + 1)), was = turn[i];
		turn[i] = turn[k];
		turn[k] = was;
	}
}

static void block(struct bench *b, int i_block, struct figures *f, struct ideal *ideal)
{
	int turn[N_KINDS];
	for (int kind = FIRST_REPLAY; kind < N_KINDS; kind++)
		if (compiles(kind) && replays(kind))
			replay(b, kind, true);
	shuffle(b, turn, N_KINDS);
	for (int i = 0; i < N_KINDS; i++) {
		if (turn[i] == PROGRAM) {
			f[PROGRAM] = program(b, b->next, false);
		} else if (turn[i] == AGAIN) {
			f[AGAIN] = program(b, b->output, false);
		} else if (takes_part(turn[i], i_block)) {
			replay(b, turn[i], false);
			f[turn[i]] = figures_of(b->output);
		}
	}
	*ideal = (struct ideal){.way_ns = b->level == 2 ? line_way_ns() : 0};
	if (b->level == 2) {
		ideal->free = ideal_rate(b->input, b->next, 0);
		ideal->fetching = ideal_rate(b->input, b->next, (int64_t)(ideal->way_ns + 0.5));
	}
	char *was = b->input;
	b->input = b->next;
	b->next = was;
}

/* --- samples of earlier runs --------------------------------------------- */

/* Reads one line per block: workload, threads, ideal rates and the time of a cache line, then
 * response time and rate of each kind (0 0: it did not run). Returns the number of blocks. */
static int samples_read(const struct bench *b, struct figures (*f)[N_KINDS], struct ideal *ideal)
{
	FILE *in = getenv("BENCH_SAMPLES") ? fopen(getenv("BENCH_SAMPLES"), "re") : NULL;
	char workload[64];
	int level, n = 0;
	while (in && n < MAX_PAIRS &&
	       fscanf(in, "%63s %d %lf %lf %lf", workload, &level, &ideal[n].free,
		      &ideal[n].fetching, &ideal[n].way_ns) == 5) {
		for (int k = 0; k < N_KINDS; k++)
			if (fscanf(in, "%lf %lf", &f[n][k].response_ns, &f[n][k].rate) != 2)
				fail("BENCH_SAMPLES: not a file of samples");
		n += level == b->level && !strcmp(workload, b->workload);
	}
	if (in)
		fclose(in);
	return n;
}

static void samples_add(const struct bench *b, const struct figures *f, const struct ideal *ideal)
{
	FILE *out = getenv("BENCH_SAMPLES") ? fopen(getenv("BENCH_SAMPLES"), "ae") : NULL;
	if (!out)
		return;
	fprintf(out, "%s %d %g %g %g", b->workload, b->level, ideal->free, ideal->fetching,
		ideal->way_ns);
	for (int k = 0; k < N_KINDS; k++)
		fprintf(out, " %.9g %.9g", f[k].response_ns, f[k].rate);
	fputc('\n', out);
	if (fclose(out))
		fail("BENCH_SAMPLES cannot be written");
}

/* --- figures ------------------------------------------------------------- */

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
	/* ranks around the median between which it is with a probability of 95 %: normal
	 * approximation of the binomial distribution */
	int k = (int)floor((n - 1.96 * sqrt(n)) / 2);
	k = k < 0 ? 0 : k;
	return (struct spread){
	    (x[(n - 1) / 2] + x[n / 2]) / 2, x[k], x[n - 1 - k], {x[n / 4], x[n - 1 - n / 4]}};
}

/* Statistics of the `n` blocks in which this kind ran. *n_used: their number. */
static struct spread ratio(const struct figures (*f)[N_KINDS], int n, int kind, bool rate,
			   int *n_used)
{
	double *x = xmalloc((size_t)n * sizeof *x);
	int k = 0;
	for (int i = 0; i < n; i++)
		if (f[i][kind].rate > 0)
			x[k++] = rate ? f[i][kind].rate / f[i][PROGRAM].rate
				      : f[i][kind].response_ns / f[i][PROGRAM].response_ns;
	struct spread s = k ? spread_of(x, k) : (struct spread){0};
	free(x);
	*n_used = k;
	return s;
}

static double widest(const struct figures (*f)[N_KINDS], int n)
{
	double w = 0;
	int n_used;
	for (int kind = AGAIN; kind < N_KINDS; kind++)
		for (int rate = 0;
		     rate < 2 &&
		     (kind == AGAIN || !strcmp(replayers[kind - FIRST_REPLAY].engine, "event"));
		     rate++) {
			struct spread s = ratio(f, n, kind, rate, &n_used);
			w = n_used ? fmax(w, (s.high - s.low) / 2 / s.median) : w;
		}
	return w;
}

static void show_program(const struct bench *b, const struct figures (*f)[N_KINDS], int n)
{
	double *x = xmalloc((size_t)n * sizeof *x), *y = xmalloc((size_t)n * sizeof *y);
	for (int i = 0; i < n; i++) {
		x[i] = f[i][PROGRAM].response_ns;
		y[i] = f[i][PROGRAM].rate;
	}
	struct spread p = spread_of(x, n), q = spread_of(y, n);
	printf("%s, %d thread%s, %d pairs, widest 95 %% interval of a median of event +-%.1f %%; "
	       "the program: mean response %.0f ns "
	       "(quartiles %.0f to %.0f), %.0f requests/s\n",
	       b->workload, b->level, b->level == 1 ? "" : "s", n, 100 * widest(f, n), p.median,
	       p.quartile[0], p.quartile[1], q.median);
	free(x);
	free(y);
}

static void show(const struct bench *b, const struct figures (*f)[N_KINDS], int n)
{
	show_program(b, f, n);
	printf("  %-12s %-9s %4s %-44s  %s\n", "", "", "n", "mean response / program's",
	       "requests/s / program's");
	for (int kind = AGAIN; kind < N_KINDS; kind++) {
		int n_used;
		struct spread r = ratio(f, n, kind, false, &n_used),
			      s = ratio(f, n, kind, true, &n_used);
		bool again = kind == AGAIN;
		if (n_used)
			printf("  %-12s %-9s %4d %.4f [%.4f, %.4f] quartiles %.3f %.3f  %.4f "
			       "[%.4f, %.4f] quartiles %.3f %.3f\n",
			       again ? "the program" : replayers[kind - FIRST_REPLAY].engine,
			       again ? "again" : replayers[kind - FIRST_REPLAY].order, n_used,
			       r.median, r.low, r.high, r.quartile[0], r.quartile[1], s.median,
			       s.low, s.high, s.quartile[0], s.quartile[1]);
	}
	fflush(stdout);
}

static void show_ideal(const struct ideal *ideal, int n)
{
	double *x = xmalloc((size_t)n * sizeof *x);
	static const char *const what[] = {"(waits only as the order says)",
					   "(and fetches a line to learn of the other)",
					   "a line's way between processors, ns"};
	for (int part = 0; part < 3; part++) {
		for (int i = 0; i < n; i++)
			x[i] = part == 0   ? ideal[i].free
			       : part == 1 ? ideal[i].fetching
					   : ideal[i].way_ns;
		const struct spread s = spread_of(x, n);
		printf("  %-12s %-9s %4d %-44s  %.4f [%.4f, %.4f] quartiles %.3f %.3f\n", "ideal",
		       "temporal", n, what[part], s.median, s.low, s.high, s.quartile[0],
		       s.quartile[1]);
	}
	fflush(stdout);
	free(x);
}

static void measure(struct bench *b, int n_least, int n_most)
{
	static struct figures f[MAX_PAIRS][N_KINDS];
	static struct ideal ideal[MAX_PAIRS];
	struct figures warm[N_KINDS];
	struct ideal unused;
	int n = samples_read(b, f, ideal), n_new = 0;
	b->n_requests = 0;
	b->n_requests = program(b, b->input, true).n / (uint64_t)b->level;
	program(b, b->input, false);
	block(b, 1, warm, &unused); /* not counted: machine and files warm up */
	do {
		memset(f[n], 0, sizeof f[n]);
		block(b, n, f[n], &ideal[n]);
		samples_add(b, f[n], &ideal[n]);
		n++;
		n_new++;
	} while (n < MAX_PAIRS && (n_new < n_least || (n_new < n_most && widest(f, n) > 0.01)));
	show(b, f, n);
	if (b->level == 2)
		show_ideal(ideal, n);
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
		fail("VALIDATE and BUILD are not set: start it by tests/bench/run BUILD "
		     "bench-replay-speed");
	b.dir = xasprintf("%s/bench-replay-speed.XXXXXX", base);
	if (!mkdtemp(b.dir))
		fail("cannot make a directory");
	b.files = xasprintf("%s/files", b.dir);
	b.input = xasprintf("%s/input", b.dir);
	b.next = xasprintf("%s/next", b.dir);
	b.output = xasprintf("%s/output", b.dir);
	b.programs = xasprintf("%s/programs", b.dir);
	if (dir_create(b.files, &e))
		fail(e.msg);
	int n_least = number("BENCH_PAIRS", 40), n_most = number("BENCH_MAX_PAIRS", 120);
	static const char *const workloads[] = {"sequential-read", "random-read", NULL};
	for (const char *const *w = workloads; *w; w++)
		for (b.level = 1; b.level <= MOST_THREADS; b.level++) {
			char threads[] = {(char)('0' + b.level), '\0'};
			b.workload = *w;
			if (chosen("BENCH_WORKLOADS", *w) && chosen("BENCH_THREADS", threads))
				measure(&b, n_least, n_most < n_least ? n_least : n_most);
		}
	if (dir_remove_tree(b.dir, &e))
		fail(e.msg);
	return 0;
}
