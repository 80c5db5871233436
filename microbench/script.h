/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A script: all that one thread will do, call by call, written down before the measured region.
 * What is left to chance was drawn then, every path is a string that is there already, and what
 * each call must return is known. A workload of many kinds of calls is a function that writes
 * scripts; the loop that plays them (script_loop.c) is the same for all.
 *
 * A script consists of units (a round, a transaction, a compilation): a run ends after a whole
 * unit, and --requests counts them. Steps before the end of the first unit belong to it; steps
 * behind the last one are the script's own end.
 */
#ifndef MICROBENCH_SCRIPT_H
#define MICROBENCH_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"

enum { SCRIPT_SLOTS = 2 };   /* files that a thread has open at once */
/* whatever it is, as long as it is no error: a descriptor, the size of a listing */
#define EXPECT_ANY INT32_MIN

enum script_open {
	OPEN_READ,      /* O_RDONLY */
	OPEN_UPDATE,    /* O_RDWR */
	OPEN_CREATE,    /* O_RDWR | O_CREAT */
	OPEN_REPLACE,   /* O_WRONLY | O_CREAT | O_TRUNC */
	OPEN_APPEND,    /* O_RDWR | O_APPEND */
	OPEN_DIRECTORY, /* O_RDONLY | O_DIRECTORY */
};

/* Steps that are no calls, of the scripts of a parallel application's ranks (parallel/rank_loop.h).
 * They are in no trace. */
enum script_between {
	STEP_COMPUTE = 224, /* value: ns on the processor */
	STEP_BARRIER,
	STEP_SEND,     /* name: a rank, value: bytes */
	STEP_RECEIVE,  /* likewise */
	STEP_EXCHANGE, /* likewise: both send and receive */
	STEP_RAISE,    /* the rank's word in shared memory becomes `value` */
	STEP_AWAIT,    /* until the word of rank `name` is at least `value` */
};

struct bench_step {
	/* of the path, into script_names; pread, pwrite: which block of `value` bytes */
	uint32_t name;
	/* bytes to read or write; lseek: offset; rename: the new name; open, mkdir: the mode */
	uint32_t value;
	int32_t expect; /* result, negative errno, or EXPECT_ANY */
	uint8_t op;     /* enum trace_op, or script_between */
	uint8_t slot;   /* the open file it works on */
	uint8_t how;    /* open: enum script_open; lseek: whence */
	bool ends_unit;
};

struct script_names { /* of all threads; a path has one number only */
	char **name;  /* name[n], relative to the target directory, owned */
	size_t n, cap;
};

struct script {
	struct bench_step *step; /* step[n], owned */
	size_t n, cap;
	uint64_t n_units;
	uint32_t max_bytes;         /* of one request */
	struct script_names *names; /* borrowed */
};

static inline bool step_is_call(const struct bench_step *s)
{
	return s->op < STEP_COMPUTE;
}

void script_release(struct script *s);
void script_names_release(struct script_names *n);

/* A new number for a path. Ownership: the string goes over. */
uint32_t script_name(struct script *s, char *path);

/* open(2) flags of a kind of opening; `sync` adds O_SYNC where it is for writing, `direct` O_DIRECT
 * where it is for either. */
int script_open_flags(enum script_open how, bool sync, bool direct);

/* One call each. A slot is free again after script_close. */
void script_open(struct script *s, unsigned int slot, uint32_t name, enum script_open how,
		 uint32_t mode);
void script_close(struct script *s, unsigned int slot);
void script_read(struct script *s, unsigned int slot, uint32_t n_bytes, uint32_t expect);
void script_write(struct script *s, unsigned int slot, uint32_t n_bytes);
void script_seek(struct script *s, unsigned int slot, uint32_t offset, int whence, uint64_t expect);
void script_list(struct script *s, unsigned int slot); /* getdents */
void script_stat(struct script *s, uint32_t name, bool exists);
void script_unlink(struct script *s, uint32_t name);
void script_rename(struct script *s, uint32_t from, uint32_t to);
void script_mkdir(struct script *s, uint32_t name, uint32_t mode);
void script_rmdir(struct script *s, uint32_t name);
/* the `block`-th of its file */
void script_pread(struct script *s, unsigned int slot, uint32_t block, uint32_t n_bytes);
void script_pwrite(struct script *s, unsigned int slot, uint32_t block, uint32_t n_bytes);
void script_fsync(struct script *s, unsigned int slot);
/* no call */
void script_between(struct script *s, enum script_between what, uint32_t rank, uint32_t value);
void script_end_unit(struct script *s);

/* The step that made the `n`-th call, counted from 0. There must be one. */
size_t script_step_of_call(const struct script *s, uint64_t n);

/* As many calls as it takes in pieces of at most `piece` bytes, the last one as long as what is
 * left; `to_end`: and then one read more, which finds the end of the file. */
void script_write_whole(struct script *s, unsigned int slot, uint64_t n_bytes, uint64_t piece);
void script_read_whole(struct script *s, unsigned int slot, uint64_t n_bytes, uint64_t piece,
		       bool to_end);

#endif
