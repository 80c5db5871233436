/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the readers of the kernel's tracepoint texts share: they convert system calls and
 * block events to requests. */
#pragma once

#include "capture/formats/block_pairs.h"
#include "capture/formats/names.h"
#include "capture/kernel/syscalls.h"

struct kernel_text {
	struct foreign base;
	struct syscalls *calls;
	struct block_pairs pairs;
	struct name_table names;
	/* raw: the trace has raw_syscalls events, which its syscalls events repeat */
	bool has_first, raw;
	bool has_block, has_calls, has_tasks, decided;
	bool over;	  /* the summary has begun */
	uint64_t n_lines; /* event lines so far */
	int64_t first_ns;
	struct {
		/* at the beginning of the trace: times that follow another time; number of these
		 * that are below half of the previous time */
		uint64_t n, n_fallen;
		bool any_back; /* a time was less than the previous one */
		int64_t last_ns;
		bool differences; /* times are differences; last_ns is their sum */
	} times;
};

/* Callbacks of struct foreign_reader. */
void kernel_text_setup(struct foreign *f, const struct trace_open_options *o);
void kernel_text_end(struct foreign *f);
void kernel_text_reset(struct foreign *f);
void kernel_text_release(struct foreign *f);

/* Makes *ns relative to the first time. Sums times that are differences; they have `digits`
 * decimals. Errors: by foreign_at. */
int kernel_text_time(struct kernel_text *k, const char *where, unsigned int digits, int64_t *ns,
		     struct err *e);

struct text {
	const char *s, *end;
};
/* The text after "name=" or "name: " in `t`; empty if the name does not occur. */
struct text text_after(struct text t, const char *name);
/* The number at the beginning of `t`; 0 if there is none. Saturates at UINT64_MAX and INT64_MIN. */
uint64_t text_number(struct text t, unsigned int base);
bool text_starts(struct text t, const char *with);

/* Adds the start or the end of a thread's call. `args` may contain the quoted strings of the
 * call. */
int kernel_text_enter(struct kernel_text *k, uint32_t tid, int64_t ns,
		      const struct syscall_row *row, const uint64_t *arg, struct err *e);
int kernel_text_exit(struct kernel_text *k, uint32_t tid, int64_t ns, const struct syscall_row *row,
		     int64_t result, struct text args, struct err *e);
