/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running gnuplot. */
#ifndef REPORTS_GNUPLOT_H
#define REPORTS_GNUPLOT_H

#include <stddef.h>

#include "common/err.h"
#include "common/strbuf.h"

struct gnuplot_plot {
	struct strbuf script; /* plots to standard output; its data are in it (gnuplot_add_data) */
	struct strbuf text;   /* what gnuplot wrote */
};

/* Appends lines that define the data block $NAME, which a script plots as the file '$NAME'. */
void gnuplot_add_data(struct strbuf *script, const char *name, const struct strbuf *data);

/* Runs gnuplot once over the scripts, without start-up files and with an environment of its own,
 * waits at most `timeout_s`, and appends each plot to its `text`. Scripts, data and plots stay in
 * memory: gnuplot ends with status 0 although a file of it could not be read or written. Errors:
 * ENOENT when $PATH has no gnuplot; ETIMEDOUT; EIO with its first complaint when it failed, or did
 * not come to the end; EFBIG; of the system. Then `text` may hold plots before the failure. */
int gnuplot_run(struct gnuplot_plot *plots, size_t n, unsigned int timeout_s, struct err *e);

#endif
