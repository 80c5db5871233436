/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the readers of the kernel's tracepoints as text share: system calls and block events to
 * requests. */
#ifndef CAPTURE_FORMATS_KERNEL_TEXT_H
#define CAPTURE_FORMATS_KERNEL_TEXT_H

#include "capture/formats/block_pairs.h"
#include "capture/formats/names.h"
#include "capture/kernel/syscalls.h"

struct kernel_text {
	struct foreign base;
	struct syscalls *calls;
	struct block_pairs pairs;
	struct name_table names;
	/* raw: there are events of raw_syscalls, those of syscalls are the same again */
	bool has_first, raw;
	bool has_block, has_calls, has_tasks, decided;
	bool over;	  /* what follows is a summary */
	uint64_t n_lines; /* of events, so far */
	int64_t first_ns;
	struct {
		/* in the beginning: times behind another, and those of less than half of it */
		uint64_t n, n_fallen;
		bool any_back;	      /* one of them is less than the one before it at all */
		int64_t last_ns;
		/* each is the time since the one before it; last_ns is their sum */
		bool differences;
	} times;
};

/* Beginning, end, and going back of both. */
void kernel_text_setup(struct kernel_text *k, const struct trace_open_options *o);
void kernel_text_end(struct foreign *f);
void kernel_text_reset(struct foreign *f);
void kernel_text_release(struct foreign *f);

/* Relative to the first one; differences, of `digits` behind the point, are added up. Errors: by
 * foreign_at. */
int kernel_text_time(struct kernel_text *k, const char *where, unsigned int digits, int64_t *ns,
		     struct err *e);

struct text {
	const char *s, *end;
};
/* "name=value" or "name: value" somewhere in `t`: what follows, up to the end. Empty where there is
 * none. */
struct text text_after(struct text t, const char *name);
/* 0 where there is none; beyond 64 bits the largest, or INT64_MIN */
uint64_t text_number(struct text t, unsigned int base);
bool text_starts(struct text t, const char *with);

/* A call that begins, of a thread; one that ends; with the text beside its arguments ("..."), if
 * any. */
int kernel_text_enter(struct kernel_text *k, uint32_t tid, int64_t ns,
		      const struct syscall_row *row, const uint64_t *arg, struct err *e);
int kernel_text_exit(struct kernel_text *k, uint32_t tid, int64_t ns, const struct syscall_row *row,
		     int64_t result, struct text args, struct err *e);

#endif
