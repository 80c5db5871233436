/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counts two kinds of mismatches: those of calls that overlapped a call of another thread on the
 * same name or file, and those of calls that use a descriptor which one thread opened while another
 * thread closed the same number. The trace does not show which of two overlapping calls took effect
 * first. */
#pragma once

#include "common/std.h"

#define OVERLAP_CALLS 64u /* calls that are remembered */

struct overlap_call {
	int64_t begin_ns, end_ns; /* in the trace */
	uint32_t pid, tid;
	/* the descriptors that the call uses, makes and closes; -1: none */
	int32_t fd, opened, closed;
	const char *path; /* borrowed; must be valid as long as the struct overlap is used */
	char *second;	  /* second path of rename and link; owned, NULL: none */
	bool changes;	  /* it changed a name or a file */
	bool differs;	  /* its result differs in the replay */
	bool counted;
};

struct overlap_descriptor {
	uint32_t pid;
	int32_t fd;
};

struct overlap {
	/* doubtful[n_doubtful]: descriptors that may refer to another file in the replay */
	struct overlap_descriptor doubtful[OVERLAP_CALLS];
	size_t n_doubtful;
	struct overlap_call call[OVERLAP_CALLS]; /* call[n]: calls that may overlap later calls */
	size_t n;
};

/* Adds the next call in the order of starts; takes ownership of c.second. Returns how many
 * differing calls, including this call, are now known to have overlapped a change of the same name
 * or file, or to use a doubtful descriptor. */
uint64_t overlap_add(struct overlap *o, struct overlap_call c);
void overlap_release(struct overlap *o);
