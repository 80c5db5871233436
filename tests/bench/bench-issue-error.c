/* SPDX-License-Identifier: GPL-3.0-or-later */
/* (c) Issue error of a timestamp replay: begin minus intended time, by method of waiting and by
 * scheduler.
 *
 * The traces are constructed: cached reads of 1 to 4 threads, one read of each thread exactly every
 * gap, the threads in turn. The gaps are 10 us, 50 us and 1 ms with reads of 4 KiB; and half load:
 * reads of 64 KiB at the rate that keeps as many CPUs as threads busy for half of the time (from
 * their mean response at full speed). Every replay is a separate process; methods alternate,
 * BENCH_ROUNDS times (5). The percentiles are of all rounds together. Further columns: busy CPUs;
 * run-queue delay per request; and late ends of sleeps. The part that is due to the machine is the
 * result of `bare`, a loop of this program that only reads the clock and makes the same calls, and
 * alternates with the replays. For each method: the share of CPU-delayed requests,
 * with the percentiles of the others (bare_issue.h), and the share that the replay reports itself
 * (doc/replay-engines.md: by 5 us, and not in a call). BENCH_THREADS, BENCH_GAP (10us, 50us, 1ms,
 * half) and BENCH_METHODS (names separated by commas) select cases. On a machine with other load,
 * p99.9, the maximum, and p99 of the long gaps show that load. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/run_facts.h"
#include "capture/trace.h"
#include "common/files.h"
#include "common/xalloc.h"
#include "tests/bench/bare_issue.h"

extern char **environ;

enum { N_BLOCKS = 64, MOST_THREADS = 4, N_GAPS = 4, HALF_LOAD = 3, N_REQUESTS_MOST = 12000 };
#define RUN_NS 200000000

static const struct {
	const char *name;
	int64_t gap_ns;
	uint32_t block_bytes;
} gaps[N_GAPS] = {
    {"10us", 10000, 4096}, {"50us", 50000, 4096}, {"1ms", 1000000, 4096}, {"half", 0, 65536}};

static const struct method {
	const char *name, *option[5];
} methods[] = {
    {"hybrid", {"--wait=hybrid", "--pre-spin"}},
    {"hybrid alone", {"--wait=hybrid", "--no-pre-spin"}},
    {"spin", {"--wait=spin"}},
    {"nanosleep", {"--wait=nanosleep"}},
    {"fifo hybrid", {"--wait=hybrid", "--pre-spin", "--scheduler=fifo:10"}},
    {"fifo alone", {"--wait=hybrid", "--no-pre-spin", "--scheduler=fifo:10"}},
    {"fifo spin", {"--wait=spin", "--scheduler=fifo:10"}},
    {"rr hybrid", {"--wait=hybrid", "--pre-spin", "--scheduler=rr:10"}},
    {"deadline", {"--wait=hybrid", "--pre-spin", "--scheduler=deadline"}},
};
enum { N_METHODS = sizeof methods / sizeof *methods };

struct sample {
	double *error_ns;
	bool *hit; /* hit[n] */
	size_t n, cap, hits_cap;
	double cpu_ns, wall_ns, runqueue_ns;
	uint64_t n_late, n_relays, n_told; /* n_told: CPU-delayed requests, according to replays */
	int64_t spun_ns, taken_ns, longest_ns; /* of bare */
	uint64_t n_taken, n_untold;
};

struct bench {
	const char *validate;
	char *dir, *files, *input, *output;
	int n_rounds;
	struct clock clock;
};

static void fail(const char *what)
{
	fprintf(stderr, "bench-issue-error: %s\n", what);
	exit(3);
}

/* BENCH_METHODS is a list separated by commas; all methods if it is not set. */
static bool chosen(const char *name)
{
	const char *list = getenv("BENCH_METHODS");
	const size_t n = strlen(name);
	for (const char *p = list ? list : ""; *p; p += strcspn(p, ","), p += *p == ',')
		if (!strncmp(p, name, n) && (!p[n] || p[n] == ','))
			return true;
	return !list;
}

static int n_processors(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) < 0 ? 1 : CPU_COUNT(&set);
}

/* --- the trace ----------------------------------------------------------- */

static void request_append(struct trace_writer *w, uint32_t i, uint32_t n_threads, int64_t gap_ns,
			   uint32_t block, uint32_t object)
{
	struct err e = ERR_INIT;
	int64_t at =
	    (int64_t)(i / n_threads) * gap_ns + (int64_t)(i % n_threads) * gap_ns / n_threads;
	const struct trace_record r = {.seq = i,
				       .begin_ns = at,
				       .end_ns = at + 500,
				       .intended_ns = TIME_NONE,
				       .dispatch_ns = TIME_NONE,
				       .offset = (uint64_t)block * (i * 97 % N_BLOCKS),
				       .length = block,
				       .rvalue = block,
				       .pid = 1,
				       .tid = 1 + i % n_threads,
				       .object = object,
				       .fd = 3,
				       .heap = HEAP_NONE,
				       .op = OP_PREAD};
	if (trace_writer_append(w, &r, 1, &e))
		fail(e.msg);
}

static uint32_t n_requests(uint32_t n_threads, int64_t gap_ns)
{
	const uint64_t n = (uint64_t)(RUN_NS / gap_ns) * n_threads;
	return n > N_REQUESTS_MOST ? N_REQUESTS_MOST : (uint32_t)n;
}

static void trace_make(const struct bench *b, uint32_t n_threads, int64_t gap_ns, uint32_t block)
{
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct fileset_entry file = {"file", (uint64_t)block * N_BLOCKS, false};
	const struct trace_meta meta = {
	    .level = LEVEL_SYSCALL, .clock = "made", .files = {.entry = &file, .n = 1}, .seed = 1};
	uint32_t object;
	const uint32_t n = n_requests(n_threads, gap_ns);
	if (trace_writer_open(&w, b->input, &meta, &(struct trace_write_options){.no_sync = true}, &e) ||
	    trace_writer_object(w, OBJECT_PATH, "file", &object, &e))
		fail(e.msg);
	for (uint32_t i = 0; i < n; i++)
		request_append(w, i, n_threads, gap_ns, block, object);
	if (trace_writer_close(w, &e))
		fail(e.msg);
}

/* --- a replay ------------------------------------------------------------ */

static void replay(const struct bench *b, const char *timing, const struct method *m)
{
	const char *argv[20] = {
	    b->validate, "replay", "--order=thread", "--prepare", "--no-sync-output",
	    timing,      "--dir",  b->files,         "-o",        b->output,
	    b->input};
	size_t n = 11;
	for (int i = 0; m && m->option[i]; i++)
		argv[n++] = m->option[i];
	pid_t pid;
	int status;
	posix_spawn_file_actions_t quiet;
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, b->validate, &quiet, NULL, (char *const *)(uintptr_t)argv, environ))
		fail("cannot start the program (VALIDATE names it)");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	posix_spawn_file_actions_destroy(&quiet);
	if (status)
		fail("a replay failed");
}

static void facts_add(struct sample *s, const json_t *extra)
{
	struct run_facts f;
	const json_t *told = json_object_get(extra, "replay");
	if (run_facts_from_json(&f, json_object_get(extra, "facts"), NULL))
		fail("a replay trace tells no facts");
	s->cpu_ns += (double)(f.cpu_user_ns + f.cpu_system_ns);
	s->wall_ns += (double)f.wall_ns;
	s->runqueue_ns += f.runqueue_wait_ns > 0 ? (double)f.runqueue_wait_ns : 0;
	s->n_late += (uint64_t)json_integer_value(json_object_get(told, "n_late_wakes"));
	s->n_relays += (uint64_t)json_integer_value(json_object_get(told, "n_pre_spin_wakes"));
	s->n_told += (uint64_t)json_integer_value(json_object_get(told, "n_held_up"));
}

static void issued_add(struct sample *s, const struct issued *r, size_t n, bool spins)
{
	bool *hit = xcalloc(n + 1, sizeof *hit);
	issued_hit(r, n, spins, hit);
	for (size_t i = 0; i < n; i++) {
		GROW(s->hit, s->n, s->hits_cap);
		GROW(s->error_ns, s->n, s->cap);
		s->hit[s->n] = hit[i];
		s->error_ns[s->n++] = (double)(r[i].begin - r[i].due);
	}
	free(hit);
}

/* Returns the mean response time. After one sleep before the start, the threads only spin. */
static double replay_read(const struct bench *b, uint32_t n_threads, struct sample *s)
{
	static struct issued issued[MOST_THREADS][N_REQUESTS_MOST];
	size_t n[MOST_THREADS] = {0}, n_all = 0;
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	double sum = 0;
	if (trace_open(&t, b->output, &e))
		fail(e.msg);
	while (trace_next(t, &r, &e) > 0) {
		const size_t i = r->tid - 1;
		sum += (double)(r->end_ns - r->begin_ns);
		n_all++;
		if (i < MOST_THREADS && n[i] < N_REQUESTS_MOST)
			issued[i][n[i]++] = (struct issued){r->intended_ns, r->begin_ns, r->end_ns};
	}
	json_t *extra = json_loads(trace_meta(t)->extra_json, 0, NULL);
	const json_t *sleeps = json_object_get(json_object_get(extra, "replay"), "n_timed_sleeps");
	for (uint32_t i = 0; i < n_threads && s; i++)
		issued_add(s, issued[i], n[i],
			   json_integer_value(sleeps) <= 2 * (json_int_t)n_threads);
	if (s)
		facts_add(s, extra);
	json_decref(extra);
	trace_close(t);
	return sum / (double)n_all;
}

/* --- the bare loop ------------------------------------------------------- */

static void bare(const struct bench *b, uint32_t n_threads, int64_t gap_ns, uint32_t block,
		 struct sample *s)
{
	char *path = xasprintf("%s/file", b->files);
	struct bare run = {.clock = &b->clock, .path = path, .n_threads = n_threads, .block_bytes = block, .n_blocks = N_BLOCKS,
			   .n = n_requests(n_threads, gap_ns) / n_threads, .gap_ns = gap_ns};
	struct bare_thread thread[MOST_THREADS];
	if (!bare_run(&run, thread))
		fail("the bare loop cannot read its file");
	for (uint32_t i = 0; i < n_threads; i++) {
		issued_add(s, thread[i].issued, run.n, true);
		s->spun_ns += thread[i].spun_ns;
		s->taken_ns += thread[i].taken_ns;
		s->longest_ns =
		    thread[i].longest_ns > s->longest_ns ? thread[i].longest_ns : s->longest_ns;
		s->n_taken += thread[i].n_taken;
		s->n_untold += thread[i].n_untold;
		free(thread[i].issued);
	}
	free(path);
}

/* --- the table ----------------------------------------------------------- */

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Sorts x[n], not empty. */
static void percentiles_show(double *x, size_t n)
{
	qsort(x, n, sizeof *x, compare_double);
	const size_t last = n - 1;
	printf("p50 %9.3f  p99 %10.3f  p99.9 %10.3f  max %10.3f us", x[last / 2] / 1e3,
	       x[last - last / 100] / 1e3, x[last - last / 1000] / 1e3, x[last] / 1e3);
}

static void show(struct sample *s, const char *what, const char *name)
{
	const size_t n = s->n;
	size_t n_free = 0;
	double *free_ns = xcalloc(n + 1, sizeof *free_ns);
	for (size_t i = 0; i < n; i++)
		if (!s->hit[i])
			free_ns[n_free++] = s->error_ns[i];
	printf("%s %-12s ", what, name);
	percentiles_show(s->error_ns, n);
	printf("  (%zu requests", n);
	if (s->wall_ns > 0)
		printf("; %.2f processors busy, ready %.2f us each, %llu late sleeps, %llu woken "
		       "by another",
		       s->cpu_ns / s->wall_ns, s->runqueue_ns / 1e3 / (double)n,
		       (unsigned long long)s->n_late, (unsigned long long)s->n_relays);
	else
		printf("; processors taken away for %.2f %% of the spinning, %.0f times a second, "
		       "%.1f us at most; %llu late by something else",
		       100 * (double)s->taken_ns / (double)s->spun_ns,
		       (double)s->n_taken * 1e9 / (double)s->spun_ns, (double)s->longest_ns / 1e3,
		       (unsigned long long)s->n_untold);
	printf(")\n%*s %6.2f %% CPU-delayed", (int)strlen(what), "",
	       100 * (double)(n - n_free) / (double)n);
	if (s->wall_ns > 0)
		printf(" (%.2f %% by the replay's own count)", 100 * (double)s->n_told / (double)n);
	printf("; the others ");
	if (n_free)
		percentiles_show(free_ns, n_free);
	putchar('\n');
	free(free_ns);
	free(s->error_ns);
	free(s->hit);
}

static void measure(const struct bench *b, uint32_t n_threads, int g)
{
	struct sample sample[N_METHODS] = {{.n = 0}}, alone = {.n = 0};
	int64_t gap_ns = gaps[g].gap_ns;
	char what[80];
	trace_make(b, 1, 20000, gaps[g].block_bytes);
	replay(b, "--timing=fullspeed", NULL); /* makes the file as well */
	if (g == HALF_LOAD) {
		double n =
		    n_processors() < (int)n_threads ? (double)n_processors() : (double)n_threads;
		gap_ns = (int64_t)(replay_read(b, 1, NULL) * n_threads / (0.5 * n));
	}
	snprintf(what, sizeof what, "%u thread%s gap %4s (%.1f us)", n_threads,
		 n_threads == 1 ? " " : "s", gaps[g].name, (double)gap_ns / 1e3);
	trace_make(b, n_threads, gap_ns, gaps[g].block_bytes);
	for (int round = 0; round < b->n_rounds; round++) {
		if ((int)n_threads <= n_processors())
			bare(b, n_threads, gap_ns, gaps[g].block_bytes, &alone);
		for (int i = 0; i < N_METHODS; i++) {
			int m = (i + round) % N_METHODS;
			if (!chosen(methods[m].name))
				continue;
			replay(b, "--timing=timestamp", &methods[m]);
			replay_read(b, n_threads, &sample[m]);
		}
	}
	if (alone.n)
		show(&alone, what, "bare");
	for (int m = 0; m < N_METHODS; m++)
		if (sample[m].n)
			show(&sample[m], what, methods[m].name);
	fflush(stdout);
}

int main(void)
{
	struct err e = ERR_INIT;
	const char *base = getenv("BUILD"), *text = getenv("BENCH_ROUNDS"),
		   *threads = getenv("BENCH_THREADS"), *gap = getenv("BENCH_GAP");
	struct bench b = {.validate = getenv("VALIDATE"), .n_rounds = text && atoi(text) > 0 ? atoi(text) : 5};
	if (!b.validate || !base)
		fail("VALIDATE and BUILD are not set: start it by tests/bench/run BUILD "
		     "bench-issue-error");
	if (clock_init(&b.clock, 20000000, &e))
		fail(e.msg);
	b.dir = xasprintf("%s/bench-issue-error.XXXXXX", base);
	if (!mkdtemp(b.dir))
		fail("cannot make a directory");
	b.files = xasprintf("%s/files", b.dir);
	b.input = xasprintf("%s/input", b.dir);
	b.output = xasprintf("%s/output", b.dir);
	if (dir_create(b.files, &e))
		fail(e.msg);
	for (uint32_t n = 1; n <= MOST_THREADS; n++)
		for (int g = 0; g < N_GAPS; g++)
			if ((!threads || (uint32_t)atoi(threads) == n) &&
			    (!gap || !strcmp(gap, gaps[g].name)))
				measure(&b, n, g);
	if (dir_remove_tree(b.dir, &e))
		fail(e.msg);
	return 0;
}
