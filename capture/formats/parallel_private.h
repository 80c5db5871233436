/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Declarations for the reader and the writer of parallel applications' texts. */
#pragma once

#include "capture/format.h"

#define PARALLEL_MAGIC "/* validate parallel 1 " /* followed by the metadata as JSON */

int parallel_write(struct trace *t, const char *path, struct trace_export_report *report,
		   struct err *e);
