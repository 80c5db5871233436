/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes finished text to files and streams. */
#pragma once

#include "reports/table.h"

/* Creates or replaces dir/name. The caller syncs the whole directory once at the end
 * (report_write_all). Errors: from the system, with the path. */
int output_file(const char *dir, const char *name, const struct strbuf *text, struct err *e);
/* Writes a table, formatted by `add`, to dir/tables/NAME.SUFFIX. */
int output_table(const char *dir, const struct table *t, const char *suffix,
		 void (*add)(struct strbuf *out, const struct table *t), struct err *e);
/* Creates the directory dir/name unless it exists. */
int output_dir(const char *dir, const char *name, struct err *e);
/* Writes and flushes. Errors: EIO or that of the system; EPIPE if the reader has closed the
 * pipe. */
int output_stream(FILE *out, const struct strbuf *text, struct err *e);

/* Like output_file, for text that is too large for memory. `add` writes it and need not check for
 * errors. */
int output_file_by(const char *dir, const char *name, void (*add)(FILE *out, const void *what),
		   const void *what, struct err *e);
int output_stream_by(FILE *out, void (*add)(FILE *out, const void *what), const void *what,
		     struct err *e);

/* Writes the text to a file; path "-": to standard output. */
int output_path(const char *path, const struct strbuf *text, struct err *e);
