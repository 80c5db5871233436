/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must have been there before the first request, as far as the requests show it. The trace is
 * walked with a model of its file system: names that it makes are its own, a name that it uses
 * without having made it was there, wherever renames have brought it since. What a request read and
 * the trace itself did not write needs that size.
 *
 * A path is told where it was at first. Nothing is known of a directory's other entries. */
#ifndef REPLAY_INITIAL_H
#define REPLAY_INITIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/trace.h"
#include "replay/load/load.h"
#include "replay/load/slots.h"

enum initial_kind { INITIAL_UNKNOWN, INITIAL_FILE, INITIAL_DIRECTORY, INITIAL_LINK };

struct initial_entry {
	char *path; /* relative, without "..", owned */
	enum initial_kind kind; /* never unknown */
	uint64_t size;		/* of a file: at least */
	/* of a link: what it points at, or letters of the length that was read; owned */
	char *link;
	bool listed;		/* the trace's own table of files has it */
	bool executable;	/* of a file: access(X_OK) succeeded */
	bool data_sought; /* lseek with SEEK_DATA or SEEK_HOLE */
};

struct initial_attribute { /* extended, of the user's name space */
	char *path, *name; /* owned */
	uint64_t n_bytes;
};

struct initial {
	struct initial_entry *entry; /* entry[n]: parents before what they hold */
	uint32_t n, cap;
	struct initial_attribute *attribute; /* attribute[n_attributes] */
	uint32_t n_attributes, attributes_cap;
	/* absent[n_absent]: names that the trace makes and that nothing had at first; owned */
	char **absent;
	uint32_t n_absent, absent_cap;
};

/* Ownership: initial_free. */
struct initial *initial_find(const struct load *l, const struct slots *s,
			     const struct trace_meta *meta);
void initial_free(struct initial *i); /* NULL is fine */

/* Whether everything required is there, without following a link at its end. Errors: ENOENT, naming
 * the first that is not and how many more; ENOTDIR, EISDIR where it is of another kind. */
int initial_check(const struct initial *i, int dir_fd, struct err *e);

/* Whether initial_check is likely to succeed, found without warming the metadata of the target:
 * what is in the dentry cache is checked, and of what is not there at most one name is looked up.
 */
bool initial_seems_there(const struct initial *i, int dir_fd);

/* Removes what has the names that the trace makes, directories with all that is in them; links are
 * not followed. Errors: of the system, with the path. */
int initial_absent_remove(const struct initial *i, int dir_fd, struct err *e);

/* Makes the holes, as the trace lists them, of files that lseek searches for data or holes: its
 * results depend on them. Other files have data there. Errors: of fallocate, but for EOPNOTSUPP. */
int initial_holes_make(const struct initial *i, const struct fileset *f, const struct rooted *root,
		       struct err *e);

/* Gives files their extended attributes. Errors: of the system; ENOTSUP where the file system has
 * none. */
int initial_attributes_set(const struct initial *i, const struct rooted *root, struct err *e);

#endif
