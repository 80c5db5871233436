/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traces of several shapes for preparations, the same in each run. Threads alternate: request i of
 * the trace belongs to thread i modulo their number; it begins i µs after the start and ends some
 * time before that thread's next request. The generator keeps the state of the files, so results
 * are those of a file system in which calls take effect when they begin. */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/trace.h"
#include "common/xalloc.h"

#define THREADS_MAX 64u
#define FILES_OF_SERVER 20000u
#define HEADERS 2000u
#define HEADERS_A_JOB 8u
#define FILL_STEPS 5u /* requests on a header */

struct maker {
	const struct shape *shape;
	struct trace_writer *w;
	uint64_t random;
	uint32_t step[THREADS_MAX], file[THREADS_MAX]; /* of each thread */
	uint64_t *size; /* size of each file; UINT64_MAX: it does not exist */
	bool *busy;	/* some thread has it open */
	/* compile: what each job makes at first */
	uint32_t n_jobs, job_object[THREADS_MAX], job_second[THREADS_MAX];
	uint32_t job_heap[THREADS_MAX];
};

struct shape {
	const char *name;
	uint32_t n_threads, n_files;
	void (*request)(struct maker *m, struct trace_record *r, uint32_t thread);
	bool processes; /* each thread is one */
};

static void must(int rc, const struct err *e)
{
	if (!rc)
		return;
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, e->msg);
	exit(1);
}

static uint64_t draw(struct maker *m, uint64_t n)
{
	uint64_t *s = &m->random;
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return (*s >> 11) % n;
}

static void opens(struct trace_record *r, uint32_t file, uint32_t flags)
{
	r->op = OP_OPEN;
	r->object = file;
	r->flags = flags;
	r->length = 0644;
	r->rvalue = r->fd;
}

static void moves(struct trace_record *r, enum trace_op op, uint64_t offset, uint64_t length,
		  uint64_t moved)
{
	r->op = (uint16_t)op;
	r->offset = offset;
	r->length = length;
	r->rvalue = (int64_t)moved;
}

static void looks(struct trace_record *r, uint32_t file, int error)
{
	r->op = OP_STAT;
	r->object = file;
	r->fd = -1;
	r->error = (uint16_t)error;
	r->rvalue = error ? -1 : 0;
}

static void data(struct maker *m, struct trace_record *r, uint64_t blocks)
{
	const enum trace_op op = draw(m, 4) ? OP_PREAD : OP_PWRITE;
	moves(r, op, draw(m, blocks) * 4096, 4096, 4096);
}

/* Reads and writes at random offsets of files that are open already, each thread with its own
 * descriptor. */
static void request_data(struct maker *m, struct trace_record *r, uint32_t thread)
{
	r->object = thread % m->shape->n_files;
	data(m, r, 1 << 20);
}

/* Open, three reads or writes, stat, close of existing files; all threads share a tenth of them. */
static void request_files(struct maker *m, struct trace_record *r, uint32_t thread)
{
	const uint32_t step = m->step[thread]++ % 6, n = m->shape->n_threads,
		       own = m->shape->n_files / n;
	if (step == 0)
		m->file[thread] = (uint32_t)(draw(m, 10) ? draw(m, own) * n + thread
							 : draw(m, m->shape->n_files));
	r->object = m->file[thread];
	if (step == 0)
		opens(r, m->file[thread], O_RDWR | O_CREAT);
	else if (step == 4)
		looks(r, m->file[thread], 0);
	else if (step == 5)
		r->op = OP_CLOSE;
	else
		data(m, r, 8);
}

static uint32_t file_choose(struct maker *m, uint32_t thread, bool there)
{
	uint32_t file;
	do
		file = (uint32_t)draw(m, m->shape->n_files);
	while (m->busy[file] || (m->size[file] != UINT64_MAX) != there);
	m->busy[file] = true;
	return m->file[thread] = file;
}

/* A file server: create and write a file, append to a file, read a whole file, stat, delete; all
 * threads share the files. */
static void request_server(struct maker *m, struct trace_record *r, uint32_t thread)
{
	const uint32_t step = m->step[thread]++ % 12, file = m->file[thread];
	uint64_t *size = &m->size[file];
	r->object = file;
	switch (step) {
	case 0:
		opens(r, file_choose(m, thread, false), O_WRONLY | O_CREAT | O_TRUNC);
		m->size[m->file[thread]] = 0;
		break;
	case 1:
		moves(r, OP_WRITE, OFFSET_NONE, 16384 + draw(m, 200000), 0);
		r->rvalue = (int64_t)(*size = r->length);
		break;
	case 3:
		opens(r, file_choose(m, thread, true), O_WRONLY | O_APPEND);
		break;
	case 4:
		moves(r, OP_WRITE, OFFSET_NONE, 16384, 16384);
		*size += 16384;
		break;
	case 6:
		opens(r, file_choose(m, thread, true), O_RDONLY);
		break;
	case 7:
		moves(r, OP_READ, OFFSET_NONE, 1 << 20, *size < 1 << 20 ? *size : 1 << 20);
		break;
	case 9:
		looks(r, file_choose(m, thread, true), 0);
		m->busy[m->file[thread]] = false;
		break;
	case 10:
		r->op = OP_UNLINK;
		r->fd = -1;
		r->object = file_choose(m, thread, true);
		m->size[r->object] = UINT64_MAX;
		m->busy[r->object] = false;
		break;
	case 11:
		looks(r, file_choose(m, thread, false), ENOENT);
		m->busy[m->file[thread]] = false;
		break;
	default:
		r->op = OP_CLOSE;
		m->busy[file] = false;
	}
}

static uint32_t object_of(struct maker *m, const char *format, uint32_t number)
{
	struct err e = ERR_INIT;
	char name[64];
	uint32_t id;
	snprintf(name, sizeof name, format, number % 50, number);
	must(trace_writer_object(m->w, OBJECT_PATH, name, &id, &e), &e);
	return id;
}

static void job_begin(struct maker *m, uint32_t thread)
{
	struct err e = ERR_INIT;
	char name[64];
	const uint32_t job = m->n_jobs++;
	m->job_object[thread] = object_of(m, "obj/d%02u/unit-%07u.o.tmp", job);
	m->job_second[thread] = object_of(m, "obj/d%02u/unit-%07u.o", job);
	snprintf(name, sizeof name, "obj/d%02u/unit-%07u.o", job % 50, job);
	must(trace_writer_heap(m->w, name, strlen(name), &m->job_heap[thread], &e), &e);
}

/* A compiler: searches headers where they do not exist, reads them where they exist, writes an
 * object and renames it. */
static void request_compile(struct maker *m, struct trace_record *r, uint32_t thread)
{
	const uint32_t step = m->step[thread]++ % (HEADERS_A_JOB * FILL_STEPS + 8);
	const bool header = step < HEADERS_A_JOB * FILL_STEPS;
	if (step == 0)
		job_begin(m, thread);
	if (header && step % FILL_STEPS == 0)
		m->file[thread] = (uint32_t)draw(m, HEADERS);
	const uint32_t file = header ? m->file[thread] : m->job_object[thread];
	const uint64_t size = 1000 + file * 7 % 30000;
	r->object = file;
	switch (header ? step % FILL_STEPS : step) {
	case 0:
		looks(r, HEADERS + file, ENOENT);
		break;
	case 1:
		opens(r, file, O_RDONLY);
		break;
	case 2:
		r->op = OP_FSTAT;
		break;
	case 3:
		moves(r, OP_READ, OFFSET_NONE, 65536, size);
		break;
	case HEADERS_A_JOB * FILL_STEPS:
		opens(r, file, O_RDWR | O_CREAT | O_EXCL);
		break;
	case HEADERS_A_JOB * FILL_STEPS + 1:
	case HEADERS_A_JOB * FILL_STEPS + 2:
	case HEADERS_A_JOB * FILL_STEPS + 3:
		moves(r, OP_WRITE, OFFSET_NONE, 4096, 4096);
		break;
	case HEADERS_A_JOB * FILL_STEPS + 5:
		r->op = OP_RENAME;
		r->fd = -1;
		r->heap = m->job_heap[thread];
		break;
	case HEADERS_A_JOB * FILL_STEPS + 6:
		looks(r, m->job_second[thread], 0);
		break;
	case HEADERS_A_JOB * FILL_STEPS + 7:
		looks(r, file, ENOENT);
		break;
	default:
		r->op = OP_CLOSE;
	}
}

static const struct shape shapes[] = {
	{"one file", 4, 1, request_data, false},	    {"many files", 4, 100000, request_files, false},
	{"a million", 8, 1000000, request_files, false},    {"one thread", 1, 100000, request_files, false},
	{"many threads", 64, 16, request_data, false},	    {"file server", 8, FILES_OF_SERVER, request_server, false},
	{"compile", 8, 2 * HEADERS, request_compile, true},
};
#define N_SHAPES (sizeof shapes / sizeof *shapes)

static void shape_request(struct maker *m, struct trace_record *r, uint64_t i)
{
	const uint32_t n = m->shape->n_threads, thread = (uint32_t)(i % n);
	*r = (struct trace_record){.seq = i, .begin_ns = (int64_t)i * 1000, .intended_ns = TIME_NONE, .dispatch_ns = TIME_NONE, .offset = OFFSET_NONE,
				   .pid = m->shape->processes ? 100 + thread : 100, .tid = 100 + thread, .object = OBJECT_NONE,
				   .fd = 10 + (int)thread, .heap = HEAP_NONE, .commit = TRACE_COMMIT};
	r->end_ns = r->begin_ns + 500 + (int64_t)draw(m, 1000 * n - 600);
	m->shape->request(m, r, thread);
}

static void shape_trace(const char *path, const struct shape *shape, uint64_t n)
{
	static struct trace_record batch[1024];
	struct err e = ERR_INIT;
	struct maker m = {.shape = shape, .random = 88172645463325252u};
	const struct trace_meta meta = {.level = LEVEL_SYSCALL, .clock = "made"};
	const struct trace_write_options o = {.no_sync = true};
	must(trace_writer_open(&m.w, path, &meta, &o, &e), &e);
	m.size = xcalloc(shape->n_files, sizeof *m.size);
	m.busy = xcalloc(shape->n_files, sizeof *m.busy);
	for (uint32_t i = 0; i < shape->n_files; i++) {
		object_of(&m, "d%02u/file-%07u", i);
		m.size[i] = i % 2 ? UINT64_MAX : 65536;
	}
	for (uint64_t i = 0; i < n;) {
		size_t k = 0;
		for (; k < sizeof batch / sizeof *batch && i < n; k++, i++)
			shape_request(&m, &batch[k], i);
		must(trace_writer_append(m.w, batch, k, &e), &e);
	}
	must(trace_writer_close(m.w, &e), &e);
	free(m.size);
	free(m.busy);
}
