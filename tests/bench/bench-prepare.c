/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the preparation of a replay: reading the trace, descriptors and names, the order, the
 * plan. Wall time, CPU time and peak memory of each stage, for traces of the shapes in
 * prepare_shapes.h, in the orders fs and temporal. Each case is a separate process; memory is its
 * largest resident set so far (trace files are read, not mapped).
 *
 *	one file	4 threads, reads and writes at random offsets of one file
 *	many files	4 threads: open, three reads or writes, stat and close of one of
 *			100,000 files in 50 directories
 *	a million	8 threads, the same with 1,000,000 files
 *	one thread	the same with as many files, by one thread
 *	many threads	64 threads, as "one file", each with its own descriptor of one of 16 files
 *	file server	8 threads create, append to, read, stat and delete files that they share
 *	compile		8 processes search headers, read them, write objects and rename them
 *
 * usage: bench-prepare [-s SHAPE] [N...]
 * N: numbers of requests; default 1000000, and 10000000 with BENCH_QUICK= (empty).
 * BENCH_DIR=/dev/shm: directory of the traces, 1 GB for 10 million requests */
#include <getopt.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "prepare_shapes.h"
#include "replay/plan/plan.h"

/* --- preparing ----------------------------------------------------------- */

struct meter {
	double wall_s, cpu_s;
};

static struct meter meter_read(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (struct meter){1e-9 * (double)clock_monotonic_ns(),
			      (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
				  1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec)};
}

static void stage(const char *what, struct meter *before)
{
	struct meter now = meter_read();
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	printf("  %-8s %6.2f s, %6.2f s of processor, %5ld MiB", what, now.wall_s - before->wall_s,
	       now.cpu_s - before->cpu_s, u.ru_maxrss >> 10);
	*before = now;
}

static void prepare(const char *path, const struct shape *shape, enum replay_order order,
		    uint64_t n)
{
	struct err e = ERR_INIT;
	struct trace *t;
	struct load l;
	struct slots s;
	struct edges d;
	struct replay_plan p;
	struct replay_config c;
	replay_config_init(&c);
	c.memory_bytes = UINT64_MAX; /* the whole plan, and no file */
	c.order = order;
	printf("%-12s %8llu requests, %s\n", shape->name, (unsigned long long)n,
	       replay_order_names[order]);
	struct meter start = meter_read(), m = start;
	must(trace_open(&t, path, &e) || load_read(&l, t, false, &e), &e);
	stage("load", &m);
	must(slots_find(&s, &l, t, &e), &e);
	stage("slots", &m);
	putchar('\n');
	slots_reuse(&s, &l);
	must(order_derive(&d, order, RULES_ALL, &l, &s, &e), &e);
	const size_t n_waits = d.n;
	stage("order", &m);
	must(plan_make(&p, &c, &l, &s, &d, &e), &e);
	stage("plan", &m);
	edges_release(&d);
	load_release(&l);
	putchar('\n');
	stage("all", &start);
	printf(", %.1f MiB of it the plan's; %zu waits\n",
	       (double)n * (sizeof(struct hot_request) + sizeof(struct outcome) + 16) / (1 << 20),
	       n_waits);
	fflush(stdout);
}

static void prepare_apart(const char *path, const struct shape *shape, enum replay_order order,
			  uint64_t n)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		prepare(path, shape, order, n);
		_exit(0);
	}
	int status = 1;
	if (child < 0 || waitpid(child, &status, 0) < 0 || status)
		exit(1);
}

static void bench(const char *only, uint64_t n)
{
	const char *dir = getenv("BENCH_DIR");
	char *path = xasprintf("%s/bench-prepare-%d.trace", dir ? dir : "/dev/shm", (int)getpid());
	for (size_t i = 0; i < N_SHAPES; i++) {
		if (only && strcmp(only, shapes[i].name))
			continue;
		shape_trace(path, &shapes[i], n);
		prepare_apart(path, &shapes[i], ORDER_FS, n);
		if (i < 2)
			prepare_apart(path, &shapes[i], ORDER_TEMPORAL, n);
		unlink(path);
	}
	free(path);
}

int main(int argc, char **argv)
{
	const char *quick = getenv("BENCH_QUICK"), *only = NULL;
	for (int c; (c = getopt(argc, argv, "s:")) != -1;) {
		if (c != 's')
			return 2;
		only = optarg;
	}
	for (int i = optind; i < argc; i++)
		bench(only, strtoull(argv[i], NULL, 10));
	if (argc == optind)
		bench(only, 1000000);
	if (argc == optind && quick && !*quick)
		bench(only, 10000000);
	return 0;
}
