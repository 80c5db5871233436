/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Running gnuplot. */
#ifndef REPORTS_GNUPLOT_H
#define REPORTS_GNUPLOT_H

#include <stddef.h>

#include "common/err.h"

/* Runs gnuplot once in `dir` over the scripts named (files in it), without anybody's start-up files and with an
 * environment of its own, and waits at most `timeout_s`. Errors: ENOENT when $PATH has no gnuplot; ETIMEDOUT; EIO with
 * its first complaint when it failed; ENOSPC and EDQUOT when the directory has no room left afterwards, whatever its status: it does not
 * report a write that failed. What it made before is left. */
int gnuplot_run(const char *dir, char *const *scripts, size_t n, unsigned int timeout_s, struct err *e);

#endif
