/* SPDX-License-Identifier: GPL-3.0-or-later */
/* (c) Issue error of a timestamp replay: begin less intended time, for gaps of 10 us, 50 us and 1 ms, by how a time is waited for.
 *
 * The traces are made: cached 4 KiB reads of one thread, one exactly every gap. Every replay is a process of its own; methods
 * take turns, BENCH_ROUNDS times (5). The percentiles are of all rounds together. On a machine that does other work p99.9
 * and maximum, and p99 of the long gaps, tell of that work. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/trace.h"
#include "common/files.h"
#include "common/strbuf.h"
#include "common/units.h"
#include "common/wait.h"
#include "common/xalloc.h"

extern char **environ;

enum { BLOCK = 4096, N_BLOCKS = 256, N_METHODS = 3, N_GAPS = 3 };

static const struct {
	int64_t gap_ns;
	uint32_t n;
} cases[N_GAPS] = {{10000, 50000}, {50000, 20000}, {1000000, 1000}};

struct sample {
	double *error_ns;
	size_t n, cap;
};

static void fail(const char *what)
{
	fprintf(stderr, "bench-issue-error: %s\n", what);
	exit(3);
}

static void trace_make(const char *path, int64_t gap_ns, uint32_t n)
{
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct fileset_entry file = {"file", (uint64_t)BLOCK * N_BLOCKS, false};
	const struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "made", .files = {&file, 1}, .seed = 1};
	uint32_t object;
	if (trace_writer_open(&w, path, &meta, &(struct trace_write_options){.no_sync = true}, &e) ||
	    trace_writer_object(w, OBJECT_PATH, "file", &object, &e))
		fail(e.msg);
	for (uint32_t i = 0; i < n; i++) {
		const struct trace_record r = {.seq = i, .begin_ns = i * gap_ns, .end_ns = i * gap_ns + 500, .intended_ns = TIME_NONE,
					       .dispatch_ns = TIME_NONE, .offset = (uint64_t)BLOCK * (i * 97 % N_BLOCKS),
					       .length = BLOCK, .rvalue = BLOCK, .pid = 1, .tid = 1, .object = object, .fd = 3,
					       .heap = HEAP_NONE, .op = OP_PREAD};
		if (trace_writer_append(w, &r, 1, &e))
			fail(e.msg);
	}
	if (trace_writer_close(w, &e))
		fail(e.msg);
}

static void replay(const char *validate, const char *dir, const char *input, const char *output, enum wait_method method)
{
	const char *const argv[] = {validate, "replay", "--timing", "timestamp", "--order", "thread", "--wait",
				    wait_method_names[method], "--prepare", "--dir", dir, "-o", output, "--no-sync-output", input, NULL};
	pid_t pid;
	int status;
	posix_spawn_file_actions_t quiet;
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, validate, &quiet, NULL, (char *const *)(uintptr_t)argv, environ))
		fail("cannot start the program (VALIDATE names it)");
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	posix_spawn_file_actions_destroy(&quiet);
	if (status)
		fail("a replay failed");
}

static void errors_add(struct sample *s, const char *path)
{
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	if (trace_open(&t, path, &e))
		fail(e.msg);
	while (trace_next(t, &r, &e) > 0) {
		GROW(s->error_ns, s->n, s->cap);
		s->error_ns[s->n++] = (double)(r->begin_ns - r->intended_ns);
	}
	trace_close(t);
}

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void show(struct sample *s, int64_t gap_ns, enum wait_method method)
{
	struct strbuf gap = STRBUF_INIT;
	format_duration(&gap, (double)gap_ns);
	qsort(s->error_ns, s->n, sizeof *s->error_ns, compare_double);
	size_t last = s->n - 1;
	printf("gap %-6s %-7s p50 %9.3f  p99 %9.3f  p99.9 %9.3f  max %10.3f us  (%zu requests)\n", gap.s, wait_method_names[method],
	       s->error_ns[last / 2] / 1e3, s->error_ns[last - last / 100] / 1e3, s->error_ns[last - last / 1000] / 1e3,
	       s->error_ns[last] / 1e3, s->n);
	strbuf_release(&gap);
}

int main(void)
{
	static struct sample sample[N_GAPS][N_METHODS];
	struct err e = ERR_INIT;
	const char *base = getenv("BUILD"), *validate = getenv("VALIDATE"), *text = getenv("BENCH_ROUNDS");
	int n_rounds = text && atoi(text) > 0 ? atoi(text) : 5;
	if (!validate || !base)
		fail("VALIDATE and BUILD are not set: start it by tests/bench/run BUILD bench-issue-error");
	char *dir = xasprintf("%s/bench-issue-error.XXXXXX", base);
	if (!mkdtemp(dir))
		fail("cannot make a directory");
	char *files = xasprintf("%s/files", dir), *output = xasprintf("%s/output", dir), *input[N_GAPS];
	if (dir_create(files, &e))
		fail(e.msg);
	for (int g = 0; g < N_GAPS; g++) {
		input[g] = xasprintf("%s/input.%d", dir, g);
		trace_make(input[g], cases[g].gap_ns, cases[g].n);
	}
	for (int round = 0; round < n_rounds; round++)
		for (int g = 0; g < N_GAPS; g++)
			for (int i = 0; i < N_METHODS; i++) {
				int method = (i + round) % N_METHODS;
				replay(validate, files, input[g], output, (enum wait_method)method);
				errors_add(&sample[g][method], output);
			}
	for (int g = 0; g < N_GAPS; g++)
		for (int method = 0; method < N_METHODS; method++)
			show(&sample[g][method], cases[g].gap_ns, (enum wait_method)method);
	if (dir_remove_tree(dir, &e))
		fail(e.msg);
	return 0;
}
