/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that must have existed before the first request, as far as the requests show it.
 *
 * A model of the file system follows the trace. A name that the trace uses but did not create
 * existed at first; renames are taken into account. A file is at least as large as the bytes that
 * were read and that the trace itself had not written.
 *
 * Paths are those before the first request. Other entries of a directory are unknown. */
#pragma once

#include "replay/load/slots.h"

struct name_model; /* name_model.h */

enum initial_kind { INITIAL_UNKNOWN, INITIAL_FILE, INITIAL_DIRECTORY, INITIAL_LINK };

struct initial_entry {
	char *path; /* relative, without "..", owned */
	enum initial_kind kind; /* never unknown */
	uint64_t size;		/* of a file: at least */
	/* target of a link, or as many letters as readlink returned; owned */
	char *link;
	bool listed;		/* it is in the table of files that the trace contains */
	bool executable;	/* of a file: access(X_OK) succeeded */
	bool data_sought;	/* some lseek used SEEK_DATA or SEEK_HOLE */
	/* hole[n_holes]: shown by lseek; length UINT64_MAX: to the end of the file. Owned */
	struct fileset_hole *hole;
	size_t n_holes;
};

struct initial_attribute { /* extended, of the user's name space */
	char *path, *name; /* owned */
	uint64_t n_bytes;
};

struct initial {
	struct initial_entry *entry; /* entry[n]: a directory precedes its entries */
	uint32_t n, cap;
	struct initial_attribute *attribute; /* attribute[n_attributes] */
	uint32_t n_attributes, attributes_cap;
	/* absent[n_absent]: names that the trace creates and that did not exist at first; owned */
	char **absent;
	uint32_t n_absent, absent_cap;
	/* files that requests change, but whose size no request shows. 0 if the trace has a table
	 * of files */
	uint32_t n_sizes_unknown;
	/* all names that the requests used, for initial_absent_check; owned */
	struct name_model *names;
};

/* Ownership: initial_free. */
struct initial *initial_find(const struct load *l, const struct slots *s,
			     const struct trace_meta *meta);
void initial_free(struct initial *i); /* NULL is fine */
/* Frees `names`. */
void initial_names_free(struct initial *i);

/* Checks that every entry exists below `dir_fd`, without following a link at the end of its path.
 * `cached`: does not warm the metadata of the target. Checks only the entries that are in the
 * dentry cache, and looks up at most one name that is not. Checks all entries only if one is
 * missing or of another kind. Errors: ENOENT, with the first missing path and the number of other
 * missing paths; ENOTDIR if something other than a directory is in its place. */
int initial_check(const struct initial *i, int dir_fd, bool cached, struct err *e);

/* Checks that initial_absent_remove would only remove what an earlier replay of the trace can have
 * left. `i` still has its `names`; `s` has the paths of the trace. Changes nothing. Errors: EPERM
 * if a directory has a file whose path the trace does not use, with both; from the system. */
int initial_absent_check(const struct initial *i, const struct slots *s, int dir_fd,
			 struct err *e);
/* Removes the files and directory trees whose names the trace creates, after
 * initial_absent_check. Links are not followed. Errors: from the system, with the path. */
int initial_absent_remove(const struct initial *i, int dir_fd, struct err *e);

/* Punches holes into the files that lseek searches for data or holes, because its results depend on
 * them. The trace lists these holes, or results of lseek show them. Other files keep their data.
 * Errors: of fallocate except EOPNOTSUPP. */
int initial_holes_make(const struct initial *i, const struct fileset *f, const struct rooted *root,
		       struct err *e);

/* Sets the extended attributes. Errors: from the system; ENOTSUP if the file system has no extended
 * attributes. */
int initial_attributes_set(const struct initial *i, const struct rooted *root, struct err *e);
