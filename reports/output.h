/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Getting finished text out of the door. */
#ifndef REPORTS_OUTPUT_H
#define REPORTS_OUTPUT_H

#include <stdio.h>

#include "common/err.h"
#include "common/strbuf.h"
#include "reports/tables/table.h"

/* Creates (or replaces) dir/name with the text. The caller syncs the whole directory once at the
 * end (report_write_all). Errors: of the system, with the path. */
int output_file(const char *dir, const char *name, const struct strbuf *text, struct err *e);
/* Creates dir/tables/NAME.SUFFIX with what `add` makes of the table. */
int output_table(const char *dir, const struct table *t, const char *suffix,
		 void (*add)(struct strbuf *out, const struct table *t), struct err *e);
/* Makes dir/name a directory; one that is there is fine. */
int output_dir(const char *dir, const char *name, struct err *e);
/* Writes and flushes. Errors: EIO or that of the system; EPIPE when the reader has gone. */
int output_stream(FILE *out, const struct strbuf *text, struct err *e);

/* The same of what `add` writes, which need not look for errors: for what is too large to be in
 * memory as a whole. */
int output_file_by(const char *dir, const char *name, void (*add)(FILE *out, const void *what),
		   const void *what, struct err *e);
int output_stream_by(FILE *out, void (*add)(FILE *out, const void *what), const void *what,
		     struct err *e);

#endif
