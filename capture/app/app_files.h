/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files a captured program found, as they were before it used them first. Private to capture/.
 */
#ifndef CAPTURE_APP_FILES_H
#define CAPTURE_APP_FILES_H

#include "capture/app/app_private.h"
#include "capture/files_noted.h"
#include "capture/fileset/fileset.h"

struct known_file {
	char *path; /* relative to the root, owned */
	char *link;
	struct fileset_hole *hole;
	size_t n_holes;
	uint64_t size;
	uint32_t mode; /* 0: it was not there */
	bool holes_cut, has_digest;
	bool followed; /* files_found: the name may be that of a link */
	bool unknown;  /* files_unknown */
	bool read;     /* files_link_read: `link` is its text */
	bool guessed;  /* a link, and where it leads is not known */
	bool inferred; /* files_link_to: a link that may have another text */
	uint8_t digest[FILESET_DIGEST];
};

struct known_rename { /* of a directory, perhaps: paths relative to the root, owned */
	char *from, *to;
	bool exchange;
};

struct app_files {
	struct known_file *file;
	size_t n, cap;
	uint32_t *slot; /* open addressing by path: index + 1 */
	size_t n_slots;
	struct known_rename *rename; /* rename[n_renames] */
	size_t n_renames, renames_cap;
	char **moved; /* moved[n_moved]: paths that lead through no link, owned */
	size_t n_moved, moved_cap;
};

void files_init(struct app_files *f);
void files_release(struct app_files *f);

/* What a look at `path` found; only the first counts. */
void files_see(struct app_files *f, const char *path, const struct merge_record *r);
/* Its content's digest; only of a file that was there, with the size that was seen. */
void files_digest(struct app_files *f, const char *path, const struct merge_record *r);
/* The program made it without having looked: it was not there. */
void files_made(struct app_files *f, const char *path);

/* For traces that show results of calls, and no looks: what a call found, `followed`: a call that
 * follows links; */
void files_found(struct app_files *f, const char *path, uint32_t mode, uint64_t size,
		 bool followed);
/* the name is that of a link, whose text has `size` bytes; */
void files_link(struct app_files *f, const char *path, uint64_t size);
/* a call that follows links succeeded on the name; */
void files_followed(struct app_files *f, const char *path);
/* it is a link with this text (NULL: not known, and the link is not listed); */
void files_link_read(struct app_files *f, const char *path, const char *text);
/* a call on a path through it found a file elsewhere: it is a link, and this text leads there; */
void files_link_to(struct app_files *f, const char *path, const char *text);
/* it was changed before anything showed how it was. */
void files_unknown(struct app_files *f, const char *path);

/* The program gave `from` the name `to`, or exchanged them: what is seen below that later was
 * below the first name at first. */
void files_renamed(struct app_files *f, const char *from, const char *to, bool exchange);

/* Regular files, directories and links that were there, sorted by path. What was seen through a
 * link is where the link leads to. Borrowed strings; the list is the caller's to free. */
void files_list(struct app_files *f, struct fileset *to);
/* app_links.c: moves what a sorted set has below links there. */
void files_through_links(struct app_files *f, struct fileset *to);
/* Sets the metadata with that list. A list that is longer than metadata may be costs the list, and
 * not the trace. Errors: of the writer. */
int files_meta_set(struct app_files *f, struct trace_writer *w, struct trace_meta *meta,
		   struct files_noted *n, struct err *e);

#endif
