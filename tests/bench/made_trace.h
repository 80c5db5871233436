/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests for benchmarks, which are the same in each run: reads and writes of 512 bytes to 64 KiB
 * at random offsets of 64 files, by four threads. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "capture/trace.h"

#define MADE_FILES 64u
#define MADE_THREADS 4u

struct made_request {
	int64_t begin_ns, end_ns;
	uint64_t offset, length;
	uint32_t tid, file;
	bool is_write;
};

static uint64_t made_state;

static uint64_t made_u64(void)
{
	uint64_t z = made_state += 0x9e3779b97f4a7c15u; /* splitmix64 */
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

static struct made_request made_request(int64_t *now_ns)
{
	uint64_t a = made_u64(), b = made_u64();
	struct made_request q = {.begin_ns = *now_ns,
				 .end_ns = *now_ns + 4000 + (int64_t)(a % 90000),
				 .length = 512u << (a >> 20) % 8,
				 .offset = (b >> 20) % (1u << 21) * 512,
				 .tid = 4000 + (uint32_t)(b % MADE_THREADS),
				 .file = (uint32_t)(b >> 8) % MADE_FILES,
				 .is_write = b >> 60 < 5};
	*now_ns += 1000 + (int64_t)(a >> 40) % 40000;
	return q;
}

static void must(int rc, const struct err *e)
{
	if (!rc)
		return;
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, e->msg);
	exit(1);
}

/* A trace file with n such requests. */
static void made_trace(const char *path, uint64_t n)
{
	struct trace_meta meta = {.level = LEVEL_SYSCALL,
				  .clock = "monotonic",
				  .clock_resolution_ns = 1,
				  .root = "/srv/data",
				  .wall_epoch_ns = 1700000000000000000};
	struct trace_writer *w;
	struct err e = ERR_INIT;
	uint32_t object[MADE_FILES];
	static struct trace_record some[1024];
	int64_t now_ns = 0;
	char name[64];
	made_state = 1;
	must(trace_writer_open(&w, path, &meta, &(struct trace_write_options){.no_sync = true}, &e), &e);
	for (uint32_t i = 0; i < MADE_FILES; i++) {
		snprintf(name, sizeof name, "table.%u", i);
		must(trace_writer_object(w, OBJECT_PATH, name, &object[i], &e), &e);
	}
	for (uint64_t i = 0; i < n; i++) {
		struct made_request q = made_request(&now_ns);
		some[i % 1024] = (struct trace_record){.seq = i,
						       .begin_ns = q.begin_ns,
						       .end_ns = q.end_ns,
						       .intended_ns = TIME_NONE,
						       .dispatch_ns = TIME_NONE,
						       .offset = q.offset,
						       .length = q.length,
						       .rvalue = (int64_t)q.length,
						       .pid = 4000,
						       .tid = q.tid,
						       .object = object[q.file],
						       .fd = (int32_t)q.file + 3,
						       .heap = HEAP_NONE,
						       .op = q.is_write ? OP_PWRITE : OP_PREAD,
						       .commit = TRACE_COMMIT};
		if (i % 1024 == 1023 || i + 1 == n)
			must(trace_writer_append(w, some, i % 1024 + 1, &e), &e);
	}
	must(trace_writer_close(w, &e), &e);
}
