/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the time to make compiled programs: `validate replay --engine compiled --compile-only`
 * on recorded traces of three workloads. It measures the whole call, from the trace on disk to the
 * stored program, and a second call, when the program exists (loading the trace, the plan, the
 * digest). The difference is the time to write and compile the program. Peak memory is that of the
 * largest process, including compiler and linker. `unrolled` is --unroll: only in the long form,
 * for the first workload and up to 10,000 requests, which take half a minute.
 *
 * usage: VALIDATE=build/validate bench-compile [N...]
 * N: numbers of requests, which workload compile reaches approximately; default 10000 100000, and
 * 1000000 with BENCH_QUICK= (empty), which takes half a minute of recording. BENCH_DIR=/dev/shm:
 * directory of traces and programs (programs are not run) */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/trace.h"
#include "common/clock.h"
#include "common/files.h"
#include "common/xalloc.h"

#define UNROLL_MAX 10000u

static const struct shape {
	const char *workload;
	unsigned int threads, per_round; /* requests of one round of the workload */
} shapes[] = {{"random-read", 4, 1}, {"random-read", 64, 1}, {"compile", 4, 180}};

struct cost {
	double seconds, processor_s; /* elapsed time, and CPU time of all processes */
	long peak_kib;
};

static const char *validate;
static char *dir;

/* Ends when it fails. */
static struct cost run(char *const *argv)
{
	struct rusage use;
	int status, null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int64_t begin = clock_monotonic_ns();
	pid_t pid = fork();
	if (pid == 0) {
		dup2(null, 1);
		execv(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) != pid || status) {
		fprintf(stderr, "bench-compile: %s %s failed\n", argv[0], argv[1]);
		dir_remove_tree(dir, NULL);
		exit(1);
	}
	close(null);
	return (struct cost){
		.seconds = (double)(clock_monotonic_ns() - begin) * 1e-9,
		.processor_s = (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) + (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1e-6,
		.peak_kib = use.ru_maxrss,
	};
}

static void record(const struct shape *s, unsigned long n, char *trace)
{
	char *requests = xasprintf("--requests=%lu", n / s->threads / s->per_round),
	     *level = xasprintf("--level=%u", s->threads);
	char *const argv[] = {(char *)(uintptr_t)validate,
			      "microbench",
			      (char *)(uintptr_t)s->workload,
			      level,
			      requests,
			      "--prepare",
			      "--no-sync-output",
			      "--dir",
			      dir,
			      "--output",
			      trace,
			      NULL};
	run(argv);
	free(requests);
	free(level);
}

static struct cost compile(char *trace, bool unroll, char *cache)
{
	char *const argv[] = {(char *)(uintptr_t)validate,
			      "replay",
			      "--engine=compiled",
			      "--order=fs",
			      "--compile-only",
			      "--program-cache",
			      cache,
			      "--dir",
			      dir,
			      unroll ? "--unroll" : "--no-unroll",
			      trace,
			      NULL};
	return run(argv);
}

static unsigned long requests_of(const char *path)
{
	struct trace *t;
	bool known;
	if (trace_open(&t, path, NULL))
		return 0;
	unsigned long n = trace_n_records(t, &known);
	trace_close(t);
	return n;
}

static void one(const struct shape *s, unsigned long n, bool unrolled_too)
{
	char *trace = xasprintf("%s/trace", dir), *cache = xasprintf("%s/cache", dir);
	record(s, n, trace);
	for (int unroll = 0; unroll <= (int)unrolled_too; unroll++) {
		struct cost whole = compile(trace, unroll, cache),
			    kept = compile(trace, unroll, cache);
		printf("%-12s %3u threads %9lu requests %-9s %8.2f s (%7.2f s of processors), peak "
		       "%7.1f MiB; when kept %6.2f s, peak %7.1f MiB\n",
		       s->workload, s->threads, requests_of(trace), unroll ? "unrolled" : "tables",
		       whole.seconds, whole.processor_s, (double)whole.peak_kib / 1024,
		       kept.seconds, (double)kept.peak_kib / 1024);
		fflush(stdout);
		dir_remove_tree(cache, NULL);
	}
	unlink(trace);
	free(trace);
	free(cache);
}

int main(int argc, char **argv)
{
	const char *quick = getenv("BENCH_QUICK"), *where = getenv("BENCH_DIR");
	static const unsigned long usual[] = {10000, 100000, 1000000};
	bool short_form = quick && *quick;
	size_t n = argc > 1 ? (size_t)argc - 1 : short_form ? 2 : 3;
	validate = getenv("VALIDATE");
	dir = xasprintf("%s/bench-compile.XXXXXX", where ? where : "/dev/shm");
	if (!validate || access(validate, X_OK) || !mkdtemp(dir)) {
		fprintf(
		    stderr,
		    "bench-compile: VALIDATE must name the program, and BENCH_DIR a directory\n");
		return 2;
	}
	for (size_t k = 0; k < n; k++) {
		unsigned long requests = argc > 1 ? strtoul(argv[k + 1], NULL, 10) : usual[k];
		for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
			one(&shapes[i], requests, !short_form && i == 0 && requests <= UNROLL_MAX);
	}
	dir_remove_tree(dir, NULL);
	free(dir);
	return 0;
}
