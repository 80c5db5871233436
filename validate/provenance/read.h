/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small files of /proc and /sys as JSON; null if missing, unreadable or empty. New references. */
#pragma once

#include <jansson.h>

#include "common/std.h"

enum fact_kind {
	FACT_LINE,   /* first line as text */
	FACT_NUMBER, /* an integer; if the content is not a number ("max"): text */
	/* the part in brackets of "always [madvise] never" or "none (full)"; if there are no
	 * brackets, the whole text */
	FACT_CHOSEN,
	FACT_SWITCH, /* a boolean from 0 and n; other values become text */
};

/* Returns the first line of the file root/path, or a text, as a fact of this kind. A missing or
 * empty fact is null. The reference is new. */
json_t *fact_read(const char *root, const char *path, enum fact_kind kind);
json_t *fact_of_text(const char *text, enum fact_kind kind);

/* Returns the value of the first line with this key in a file with "key: value" lines (meminfo,
 * cpuinfo, status), trimmed; like FACT_LINE. */
json_t *fact_keyed(const char *root, const char *path, const char *key);

/* Calls `each` with the path of the entries of a directory whose names are `prefix` and
 * digits, in numerical order. */
void numbered_each(const char *root, const char *path, const char *prefix,
		   void (*each)(const char *path, void *context), void *context);
