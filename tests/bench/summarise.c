/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of bench-summary.sh, each in its own process for its own time and peak memory:
 *
 * - summarise make INPUT REPLAY N AHEAD: writes a traced run of N requests by two threads, and a
 * replay of it in which the second thread is AHEAD times as fast as the first.
 *
 * - summarise pass FILE...: reads every record of the files, one after another.
 *
 * - summarise summary TRACE [INPUT]: summary_compute.
 *
 * - summarise cost COMMAND ARGUMENT...: any other program.
 *
 * The latter three print seconds of wall clock, seconds of CPU time, and the peak of resident
 * memory in MiB. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/trace.h"
#include "common/clock.h"
#include "validate/metrics/summary.h"

static uint64_t random_state = 88172645463325252ull;
static uint64_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Response time of a cached 4 KiB read in ns, approximately: 450 ns with an exponential tail; one
 * in a thousand is far larger. */
static int64_t response(void)
{
	int64_t tail = __builtin_clzll(draw() | 1) * 40 + (int64_t)(draw() % 60);
	return 450 + tail + (draw() % 1024 ? 0 : (int64_t)(draw() % 100000));
}

enum { BATCH = 4096 };

static void fill(struct trace_record *r, uint64_t seq, uint32_t thread, int64_t *now_ns,
		 double speed)
{
	*r = (struct trace_record){.seq = seq,
				   .intended_ns = TIME_NONE,
				   .dispatch_ns = TIME_NONE,
				   .op = OP_PREAD,
				   .pid = 1000,
				   .tid = 1001 + thread,
				   .object = thread,
				   .fd = 3 + (int32_t)thread,
				   .offset = seq % 65536 * 4096,
				   .length = 4096,
				   .rvalue = 4096,
				   .heap = HEAP_NONE};
	r->begin_ns = *now_ns;
	r->end_ns = *now_ns + (int64_t)((double)response() / speed);
	*now_ns = r->end_ns + 60;
}

static int open_writer(struct trace_writer **w, const char *path, struct err *e)
{
	struct trace_meta meta = {.level = LEVEL_SYSCALL,
				  .clock = "tsc",
				  .captured_by = "summarise",
				  .clock_resolution_ns = 1,
				  .clock_read_cost_ns = 20};
	struct trace_write_options o = {.no_sync = true};
	uint32_t id;
	int rc = trace_writer_open(w, path, &meta, &o, e);
	rc = rc ? rc : trace_writer_object(*w, OBJECT_PATH, "f0", &id, e);
	return rc ? rc : trace_writer_object(*w, OBJECT_PATH, "f1", &id, e);
}

static int make(const char *input, const char *replay, uint64_t n, double ahead, struct err *e)
{
	static struct trace_record r[BATCH], x[BATCH];
	struct trace_writer *wr = NULL, *wx = NULL;
	int64_t traced[2] = {0, 0}, replayed[2] = {0, 0};
	int rc = open_writer(&wr, input, e);
	rc = rc ? rc : open_writer(&wx, replay, e);
	for (uint64_t i = 0; i < n && !rc;) {
		size_t m = 0;
		for (; m < BATCH && i < n; m++, i++) { /* the input is in issue order */
			uint32_t thread = traced[1] < traced[0];
			fill(&r[m], i, thread, &traced[thread], 1);
			fill(&x[m], i, thread, &replayed[thread], thread ? ahead : 1);
		}
		rc = trace_writer_append(wr, r, m, e);
		rc = rc ? rc : trace_writer_append(wx, x, m, e);
	}
	int closed = wr ? trace_writer_close(wr, rc ? NULL : e) : 0;
	rc = rc ? rc : closed;
	closed = wx ? trace_writer_close(wx, rc ? NULL : e) : 0;
	return rc ? rc : closed;
}

static int pass(int n, char **path, struct err *e)
{
	uint64_t n_records = 0;
	int64_t sum = 0;
	int rc = 0;
	for (int i = 0; i < n && !rc; i++) {
		struct trace *t;
		const struct trace_record *r;
		size_t m;
		rc = trace_open(&t, path[i], e);
		if (rc)
			return rc;
		while ((rc = trace_next_batch(t, &r, &m, e)) > 0) {
			n_records += m;
			for (size_t k = 0; k < m; k++)
				sum += r[k].end_ns - r[k].begin_ns;
		}
		trace_close(t);
	}
	if (!rc)
		fprintf(stderr, "%llu records, mean response %.2f ns\n",
			(unsigned long long)n_records, (double)sum / (double)n_records);
	return rc;
}

static int summary(const char *trace, const char *input, struct err *e)
{
	struct run_summary s;
	int rc = summary_compute(&s, trace, input, NULL, e);
	if (rc)
		return rc;
	fprintf(stderr,
		"%llu requests, mean response %.2f ns, reordered %llu (all) %llu (thread), level "
		"%.3f\n",
		(unsigned long long)s.response.n, s.response.mean,
		(unsigned long long)s.reorder_all.n_reordered,
		(unsigned long long)s.reorder_thread.n_reordered,
		s.response.mean * (double)s.response.n / (double)s.execution_ns);
	summary_release(&s);
	return 0;
}

static int other_program(char **argv, struct err *e)
{
	int status;
	pid_t pid = fork();
	if (pid < 0)
		return err_sys(e, errno, "cannot fork");
	if (pid == 0) {
		dup2(STDERR_FILENO, STDOUT_FILENO);
		execvp(argv[0], argv);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) != 127 && WEXITSTATUS(status) != 3)
		return 0;
	return err_set(e, ECHILD, "%s: wait status %#x", argv[0], (unsigned int)status);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static void print_cost(int64_t since_ns, int who)
{
	struct rusage u;
	getrusage(who, &u);
	printf("%.4f %.4f %.1f\n", (double)(clock_monotonic_ns() - since_ns) / 1e9,
	       seconds(u.ru_utime) + seconds(u.ru_stime), (double)u.ru_maxrss / 1024);
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	int rc = -EINVAL;
	int64_t start_ns = clock_monotonic_ns();
	if (argc == 6 && !strcmp(argv[1], "make"))
		rc = make(argv[2], argv[3], strtoull(argv[4], NULL, 10), strtod(argv[5], NULL), &e);
	else if (argc > 2 && !strcmp(argv[1], "pass"))
		rc = pass(argc - 2, argv + 2, &e);
	else if ((argc == 3 || argc == 4) && !strcmp(argv[1], "summary"))
		rc = summary(argv[2], argv[3], &e);
	else if (argc > 2 && !strcmp(argv[1], "cost"))
		rc = other_program(argv + 2, &e);
	if (rc)
		fprintf(stderr, "summarise: %s\n",
			*e.msg ? e.msg
			       : "make INPUT REPLAY N AHEAD | pass FILE... | summary TRACE [INPUT] "
				 "| cost COMMAND...");
	else if (strcmp(argv[1], "make"))
		print_cost(start_ns, strcmp(argv[1], "cost") ? RUSAGE_SELF : RUSAGE_CHILDREN);
	return rc ? 3 : 0;
}
