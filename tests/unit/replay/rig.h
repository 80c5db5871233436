/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A directory for a replay, a small trace to replay, and the result. */
#pragma once

#include <sys/stat.h>

#include "sample.h"
#include "replay/plan/mutant.h"
#include "replay/replay.h"

/* A request of a random trace; paths are f, g, h, i, and *next_fd starts at 5. */
static inline void random_fs_request(struct sample *s, uint64_t *seed, uint32_t tid, int64_t begin,
				     int64_t end, int *next_fd)
{
	static const enum trace_op ops[] = {OP_PREAD, OP_PWRITE, OP_READ,  OP_WRITE,
					    OP_LSEEK, OP_FSYNC,  OP_PREAD, OP_PWRITE};
	uint64_t what = sample_random(seed) % 12;
	int fd = 3 + (int)(sample_random(seed) % (uint64_t)(*next_fd - 2));
	if (what < 3) {
		static const int flags[] = {O_RDWR,
					    O_RDWR | O_CREAT,
					    O_RDWR | O_TRUNC,
					    O_RDWR | O_CREAT | O_TRUNC,
					    O_WRONLY | O_APPEND,
					    O_RDWR | O_CREAT | O_EXCL};
		int f = flags[sample_random(seed) % 6];
		uint64_t outcome = sample_random(seed) % 6;
		int64_t rvalue = outcome == 0                 ? -ENOENT
				 : outcome == 1 && f & O_EXCL ? -EEXIST
							      : (*next_fd)++;
		/* f and g have descriptors from before the trace; h and i are created by the trace,
		 * or missing */
		sample_open(s, tid, begin, end, (uint32_t)(sample_random(seed) % 4), f, rvalue);
	} else if (what == 3) {
		sample_data(s, tid, begin, end, OP_CLOSE, fd, OBJECT_NONE, OFFSET_NONE, 0, 0);
	} else {
		enum trace_op op = ops[sample_random(seed) % 8];
		bool at = op == OP_PREAD || op == OP_PWRITE;
		uint64_t length = 1 + sample_random(seed) % 12, offset = sample_random(seed) % 60;
		int64_t rvalue =
		    (int64_t)(sample_random(seed) % 3 ? length
						      : sample_random(seed) % (length + 1));
		if (sample_random(seed) % 15 == 0)
			rvalue = -EIO;
		if (op == OP_FSYNC || op == OP_LSEEK)
			rvalue = op == OP_LSEEK ? (int64_t)offset : 0;
		/* Only some requests state the file of their descriptor. */
		uint32_t told = fd < 5 ? (uint32_t)(fd - 3) : OBJECT_NONE;
		struct trace_record *r = sample_data(s, tid, begin, end, op, fd, told,
						     at || op == OP_LSEEK ? offset : OFFSET_NONE,
						     op == OP_FSYNC ? 0 : length, rvalue);
		r->flags = op == OP_LSEEK ? SEEK_SET : 0;
	}
}

struct rig {
	char *dir, *tree, *input, *output; /* tree: the target directory */
	struct replay_config c;
	struct replay_summary s;
	struct trace_record *r; /* r[n]: the replay trace */
	size_t n;
};

static inline void rig_init(struct rig *g)
{
	memset(g, 0, sizeof *g);
	g->dir = sample_dir();
	g->tree = xasprintf("%s/tree", g->dir);
	g->input = xasprintf("%s/in.trace", g->dir);
	g->output = xasprintf("%s/out.trace", g->dir);
	if (mkdir(g->tree, 0755))
		abort();
	replay_config_init(&g->c);
	g->c.dir = g->tree;
	g->c.output = g->output;
	g->c.no_sync_output = true;
	g->c.prepare = true;
}

static inline void rig_release(struct rig *g)
{
	sample_dir_remove(g->dir);
	free(g->tree);
	free(g->input);
	free(g->output);
	free(g->r);
}

static inline void rig_read(struct rig *g)
{
	struct trace *t;
	const struct trace_record *r;
	size_t cap = 0;
	g->n = 0;
	free(g->r);
	g->r = NULL;
	if (trace_open(&t, g->output, NULL))
		abort();
	while (trace_next(t, &r, NULL) > 0) {
		GROW(g->r, g->n, cap);
		g->r[g->n++] = *r;
	}
	trace_close(t);
}

/* Replays a sample with the configuration g->c; then the replay trace is in g->r. */
static inline int rig_replay(struct rig *g, const struct sample *s, struct err *e)
{
	sample_write(s, g->input);
	int ret = replay_run_summary(g->input, &g->c, &g->s, e);
	if (!ret)
		rig_read(g);
	return ret;
}

/* Threads that each read blocks in sequence, with times that overlap at random. */
static inline void sample_reads(struct sample *s, uint64_t *seed, uint32_t n_threads, uint32_t n,
				enum trace_op op)
{
	int64_t *free_at = xcalloc(n_threads, sizeof *free_at);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = (uint32_t)(sample_random(seed) % n_threads);
		int64_t begin = free_at[t] + (int64_t)(sample_random(seed) % 4);
		free_at[t] = begin + 1 + (int64_t)(sample_random(seed) % 12);
		sample_data(s, 1 + t, begin, free_at[t], op, 3 + (int)(t % 2), t % 2,
			    op == OP_PREAD ? 64 * (i % 16) : OFFSET_NONE, 64, 64);
	}
	free(free_at);
}
