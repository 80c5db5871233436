/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The input of a replay and the files that it needs in the target directory. */
#pragma once

#include "common/payload.h"
#include "replay/load/slots.h"

struct input { /* a loaded trace and the directory in which it is replayed */
	const char *path, *dir; /* borrowed */
	struct trace *trace;
	struct load load;
	struct slots slots;
	struct rooted root;
};

/* Loads the trace and opens the directory. Errors: EINVAL for a block-level trace; those of
 * initial_absent_check if the files are to be prepared; from the system, with the path. Ownership:
 * input_close, also after an error. */
int input_open(struct input *in, const char *path, const struct replay_config *c, struct err *e);
static inline void input_close(struct input *in)
{
	slots_release(&in->slots);
	load_release(&in->load);
	trace_close(in->trace);
	rooted_release(&in->root);
}

/* --prepare: creates the files, with the content of `payload` (NULL: the content that buffers
 * have). `on_storage`: also writes them back, because dirty pages cannot be dropped from the cache.
 * Errors: ENOSPC before anything is written; from the system, with the path. */
int files_prepare(const struct input *in, bool on_storage, const struct payload *payload,
		  struct err *e);

/* Opens TRACE and creates its files in c->dir. Errors: those of input_open and files_prepare. */
int replay_files_prepare(const char *trace_path, const struct replay_config *c, struct err *e);

/* Removes what --prepare and a replay of TRACE create in c->dir: the trace's files and everything
 * with a name that the trace creates. Other directories with other content stay. `c->prepare` is
 * set. Errors: those of replay_files_prepare; from the system. */
int replay_files_remove(const char *trace_path, const struct replay_config *c, struct err *e);
