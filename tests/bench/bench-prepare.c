/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preparing a replay: reading the trace, descriptors and names, the order, the plan. Wall time, processor time and peak memory of
 * each stage, for traces of three shapes that are made here, under the orders fs and temporal. Each case is a process of its own;
 * memory is its largest resident set so far (trace files are read, not mapped).
 *
 *	one file	4 threads, reads and writes at random offsets of one file
 *	many files	4 threads, open, three reads or writes, stat, close of one of 100,000 files in 100 directories
 *	many threads	64 threads, as one file, each with a descriptor of its own on one of 16 files
 *
 * usage: bench-prepare [N...]   numbers of requests; default 1000000, and 10000000 with BENCH_QUICK= (empty)
 * BENCH_DIR=/dev/shm: where the traces are made, 1 GB for 10 million requests */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/trace.h"
#include "common/clock.h"
#include "common/xalloc.h"
#include "replay/plan.h"

#define N_FILES 100000u
#define CYCLE 6u /* requests on a file, of many files */

enum shape { ONE_FILE, MANY_FILES, MANY_THREADS, N_SHAPES };
static const char *const shape_names[N_SHAPES] = {"one file", "many files", "many threads"};
static const uint32_t shape_threads[N_SHAPES] = {4, 4, 64};

static void die(const struct err *e)
{
	fprintf(stderr, "bench-prepare: %s\n", e->msg);
	exit(1);
}

static uint64_t draw(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state >> 11;
}

/* --- the trace ------------------------------------------------------------------------------------------------------ */

struct maker {
	enum shape shape;
	uint64_t random;
	uint32_t file[64], step[64]; /* of each thread, where files are opened and closed */
};

static void data(struct maker *m, struct trace_record *r, uint64_t blocks)
{
	r->op = draw(&m->random) % 4 ? OP_PREAD : OP_PWRITE;
	r->offset = draw(&m->random) % blocks * 4096;
	r->length = 4096;
	r->rvalue = 4096;
}

static void file_request(struct maker *m, struct trace_record *r, uint32_t thread)
{
	uint32_t step = m->step[thread]++ % CYCLE;
	if (step == 0) /* each thread has files of its own, and a tenth is everybody's */
		m->file[thread] = (uint32_t)(draw(&m->random) % 10 ? draw(&m->random) % (N_FILES / 4) * 4 + thread : draw(&m->random) % N_FILES);
	r->object = m->file[thread];
	r->fd = 10 + (int)thread;
	if (step == 0) {
		r->op = OP_OPEN;
		r->flags = O_RDWR | O_CREAT;
		r->length = 0644;
		r->rvalue = r->fd;
	} else if (step == CYCLE - 2) {
		r->op = OP_STAT;
		r->fd = -1;
	} else if (step == CYCLE - 1) {
		r->op = OP_CLOSE;
	} else {
		data(m, r, 8);
	}
}

static void request(struct maker *m, struct trace_record *r, uint64_t i)
{
	uint32_t n = shape_threads[m->shape], thread = (uint32_t)(i % n);
	*r = (struct trace_record){.seq = i, .begin_ns = (int64_t)i * 1000, .intended_ns = TIME_NONE, .dispatch_ns = TIME_NONE, .offset = OFFSET_NONE,
				   .pid = 100, .tid = 100 + thread, .object = OBJECT_NONE, .fd = 3, .heap = HEAP_NONE, .commit = TRACE_COMMIT};
	r->end_ns = r->begin_ns + 500 + (int64_t)(draw(&m->random) % (1000 * n - 600));
	if (m->shape == MANY_FILES) {
		file_request(m, r, thread);
		return;
	}
	r->object = m->shape == ONE_FILE ? 0 : thread % 16;
	r->fd = 3 + (int)thread;
	data(m, r, 1 << 20);
}

static void trace_make(const char *path, enum shape shape, uint64_t n)
{
	static struct trace_record batch[1024];
	struct err e = ERR_INIT;
	struct trace_writer *w;
	struct maker m = {.shape = shape, .random = 88172645463325252u};
	const struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "made"};
	const struct trace_write_options o = {.no_sync = true};
	if (trace_writer_open(&w, path, &meta, &o, &e))
		die(&e);
	for (uint32_t i = 0; i < (shape == MANY_FILES ? N_FILES : 16); i++) {
		char name[40];
		uint32_t id;
		snprintf(name, sizeof name, "d%02u/file-%06u", i % 100, i);
		if (trace_writer_object(w, OBJECT_PATH, name, &id, &e))
			die(&e);
	}
	for (uint64_t i = 0; i < n;) {
		size_t k = 0;
		for (; k < sizeof batch / sizeof *batch && i < n; k++, i++)
			request(&m, &batch[k], i);
		if (trace_writer_append(w, batch, k, &e))
			die(&e);
	}
	if (trace_writer_close(w, &e))
		die(&e);
}

/* --- preparing ------------------------------------------------------------------------------------------------------ */

struct meter {
	double wall_s, cpu_s;
};

static struct meter meter_read(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return (struct meter){1e-9 * (double)clock_monotonic_ns(),
			      (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec)};
}

static void stage(const char *what, struct meter *before)
{
	struct meter now = meter_read();
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	printf("  %-8s %6.2f s, %6.2f s of processor, %5ld MiB", what, now.wall_s - before->wall_s, now.cpu_s - before->cpu_s, u.ru_maxrss >> 10);
	*before = now;
}

static void prepare(const char *path, enum shape shape, enum replay_order order, uint64_t n)
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
	printf("%-12s %8llu requests, %s\n", shape_names[shape], (unsigned long long)n, replay_order_names[order]);
	struct meter start = meter_read(), m = start;
	if (trace_open(&t, path, &e) || load_read(&l, t, &e))
		die(&e);
	stage("load", &m);
	if (slots_find(&s, &l, t, &e))
		die(&e);
	stage("slots", &m);
	putchar('\n');
	if (order_derive(&d, order, RULES_ALL, &l, &s, &e))
		die(&e);
	stage("order", &m);
	if (plan_make(&p, &c, &l, &s, &d, &e))
		die(&e);
	stage("plan", &m);
	edges_release(&d);
	load_release(&l);
	putchar('\n');
	stage("all", &start);
	printf(", %.1f MiB of it the plan's\n", (double)n * (sizeof(struct hot_request) + sizeof(struct outcome) + 16) / (1 << 20));
	fflush(stdout);
}

static void prepare_apart(const char *path, enum shape shape, enum replay_order order, uint64_t n)
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

static void bench(uint64_t n)
{
	const char *dir = getenv("BENCH_DIR");
	char *path = xasprintf("%s/bench-prepare-%d.trace", dir ? dir : "/dev/shm", (int)getpid());
	for (int shape = 0; shape < N_SHAPES; shape++) {
		trace_make(path, (enum shape)shape, n);
		prepare_apart(path, (enum shape)shape, ORDER_FS, n);
		prepare_apart(path, (enum shape)shape, ORDER_TEMPORAL, n);
		unlink(path);
	}
	free(path);
}

int main(int argc, char **argv)
{
	const char *quick = getenv("BENCH_QUICK");
	for (int i = 1; i < argc; i++)
		bench(strtoull(argv[i], NULL, 10));
	if (argc == 1)
		bench(1000000);
	if (argc == 1 && quick && !*quick)
		bench(10000000);
	return 0;
}
