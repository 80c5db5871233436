/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two faces of validate info. */
#ifndef COMMANDS_INFO_PRINT_H
#define COMMANDS_INFO_PRINT_H

#include "commands/info_summary.h"

struct info {
	const char *path;
	uint64_t file_bytes;
	const char *format;
	const struct trace_meta *meta;
	const struct trace *trace; /* for what its reader noticed */
	uint64_t n_objects;
	const struct info_summary *summary;
};

/* The i-th warning: of the reader, then of the figures; NULL when there are no more. */
const char *info_any_warning(const struct info *x, unsigned int i, char *buf, size_t size);

void info_print_text(const struct info *x);

/* The first n_records requests, read from the beginning; both leave them out where it is 0. */
int info_print_records(struct trace *t, uint64_t n_records, struct err *e);

/* One JSON object on stdout; its keys are in validate-info(1) and only ever added to. */
int info_print_json(const struct info *x, struct trace *t, uint64_t n_records, struct err *e);

#endif
