/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A script contains all calls of one thread. It is written before the measured region: random
 * choices are made, path strings exist, and the expected result of each call is known. A workload
 * with several kinds of calls is a function that writes scripts. One loop plays all scripts
 * (script_loop.c).
 *
 * A script consists of units (a round, a transaction, a compilation). A run ends after a whole
 * unit, and --requests counts units. Steps before the end of the first unit belong to that unit.
 * Steps after the last unit are the end of the script. */
#pragma once

#include "capture/trace.h"

enum { SCRIPT_SLOTS = 2 };   /* files that a thread has open at the same time */
/* any result except an error, for example a descriptor or the size of a listing */
#define EXPECT_ANY INT32_MIN

enum script_open {
	OPEN_READ,      /* O_RDONLY */
	OPEN_UPDATE,    /* O_RDWR */
	OPEN_CREATE,    /* O_RDWR | O_CREAT */
	OPEN_REPLACE,   /* O_WRONLY | O_CREAT | O_TRUNC */
	OPEN_APPEND,    /* O_RDWR | O_APPEND */
	OPEN_DIRECTORY, /* O_RDONLY | O_DIRECTORY */
};

/* Steps that are not calls, in scripts of parallel applications' ranks (parallel/rank_loop.h). They
 * are not in the trace. */
enum script_between {
	STEP_COMPUTE = 224, /* value: CPU time, ns */
	STEP_BARRIER,
	STEP_SEND,     /* name: a rank; value: number of bytes */
	STEP_RECEIVE,  /* as above */
	STEP_EXCHANGE, /* as STEP_SEND, but both ranks send and receive */
	STEP_RAISE,    /* sets the rank's word in shared memory to `value` */
	STEP_AWAIT,    /* waits until the word of rank `name` is at least `value` */
};

struct bench_step {
	/* number of the path (script_name); pread, pwrite: number of a block of `value` bytes */
	uint32_t name;
	/* number of bytes to read or write; lseek: offset; rename: number of the new name; open,
	 * mkdir: mode */
	uint32_t value;
	int32_t expect; /* expected result, negative errno, or EXPECT_ANY */
	uint8_t op;     /* enum trace_op, or script_between */
	uint8_t slot;   /* slot of the open file */
	uint8_t how;    /* open: enum script_open; lseek: whence */
	bool ends_unit;
};

struct script_names { /* names for all threads; each path has one number */
	char **name;  /* name[n], relative to the target directory, owned */
	size_t n, cap;
};

struct script {
	struct bench_step *step; /* step[n], owned */
	size_t n, cap;
	uint64_t n_units;
	uint32_t max_bytes;         /* largest request */
	struct script_names *names; /* borrowed */
};

static inline bool step_is_call(const struct bench_step *s)
{
	return s->op < STEP_COMPUTE;
}

void script_release(struct script *s);
void script_names_release(struct script_names *n);

/* Returns a new number for a path. Takes ownership of the string. */
uint32_t script_name(struct script *s, char *path);

/* open(2) flags; `sync` adds O_SYNC for writing, `direct` adds O_DIRECT. */
int script_open_flags(enum script_open how, bool sync, bool direct);

/* Each function adds one call. A slot is free again after script_close. */
void script_open(struct script *s, unsigned int slot, uint32_t name, enum script_open how,
		 uint32_t mode);
void script_close(struct script *s, unsigned int slot);
void script_read(struct script *s, unsigned int slot, uint32_t n_bytes, uint32_t expect);
void script_write(struct script *s, unsigned int slot, uint32_t n_bytes);
void script_seek(struct script *s, unsigned int slot, uint32_t offset, int whence, uint64_t expect);
void script_list(struct script *s, unsigned int slot); /* getdents */
void script_stat(struct script *s, uint32_t name, bool exists);
void script_rename(struct script *s, uint32_t from, uint32_t to);
void script_mkdir(struct script *s, uint32_t name, uint32_t mode);
/* adds unlink or rmdir */
void script_remove(struct script *s, uint32_t name, enum trace_op op);
/* pread or pwrite of block `block` of the file in the slot */
void script_block(struct script *s, enum trace_op op, unsigned int slot, uint32_t block,
		  uint32_t n_bytes);
void script_fsync(struct script *s, unsigned int slot);
/* adds a step that is not a call */
void script_between(struct script *s, enum script_between what, uint32_t rank, uint32_t value);
void script_end_unit(struct script *s);

/* The step of the call with number `n` (from 0), which must exist. */
size_t script_step_of_call(const struct script *s, uint64_t n);

/* Add calls for all bytes, with at most `piece` bytes each. `to_end`: adds a read that finds the
 * end of the file. */
void script_write_whole(struct script *s, unsigned int slot, uint64_t n_bytes, uint64_t piece);
void script_read_whole(struct script *s, unsigned int slot, uint64_t n_bytes, uint64_t piece,
		       bool to_end);
