/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small files of /proc and /sys as JSON: null for what is not there, cannot be read or is empty.
 * New references. */
#ifndef VALIDATE_PROVENANCE_READ_H
#define VALIDATE_PROVENANCE_READ_H

#include <stdbool.h>

#include <jansson.h>

enum fact_kind {
	FACT_LINE,   /* the first line, as text */
	FACT_NUMBER, /* a whole number; text where it is none ("max") */
	/* of "always [madvise] never", or "none (full)", what is in brackets; all of it where
	   nothing is */
	FACT_CHOSEN,
	FACT_SWITCH, /* 0 and n, off and on: a boolean; anything else as text */
};

json_t *fact_read(const char *root, const char *path, enum fact_kind kind);
json_t *fact_of_text(const char *text, enum fact_kind kind);

/* A file with "key: value" lines (meminfo, cpuinfo, status): the first of that key, blanks around
 * it cut; as FACT_LINE. */
json_t *fact_keyed(const char *root, const char *path, const char *key);

/* The entries of a directory whose name is `prefix` and digits, in the order of the digits: calls
 * `each` with the path and the name. */
void numbered_each(const char *root, const char *path, const char *prefix,
		   void (*each)(const char *path, const char *name, void *context), void *context);

#endif
