/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reader of parallel applications' texts: files and nodes (parallel.c), lines (parallel_line.c). */
#pragma once

#include "capture/causality/causality.h"
#include "capture/csv_args.h"
#include "capture/formats/blanks.h"
#include "capture/formats/strace_private.h"

struct text_node {
	int64_t now_ns; /* the node's current time, for lines without times */
};

/* The reader of a text, which is a foreign trace. */
struct parallel {
	struct strace calls;
	struct causality_facts facts;
	char *extra;
	struct meta_store head; /* the metadata of the first line */
	struct text_node *node;
	uint32_t at; /* the node to which the current lines belong */
	char **path; /* path[n_files] */
	size_t n_files, file;
	bool in_comment;
	struct csv_args args;
};

static inline struct parallel *parallel_of(struct foreign *f)
{
	return (struct parallel *)f;
}

/* Reads one line of the text, without its line end. Errors: by foreign_at. */
int parallel_line(struct foreign *f, const char *s, size_t len, struct err *e);

static inline bool take_word(const char **s, const char *end, const char *word)
{
	size_t len = strlen(word);
	if ((size_t)(end - *s) < len || memcmp(*s, word, len))
		return false;
	*s += len;
	return true;
}
