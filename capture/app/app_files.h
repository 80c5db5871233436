/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that captured programs found, in their state before the first use. Private to
 * capture/. */
#pragma once

#include "capture/app/app_private.h"
#include "capture/file_list.h"
#include "capture/files_noted.h"
#include "common/u64_map.h"

struct known_file {
	char *path; /* relative to the root, owned */
	char *link;
	struct fileset_hole *hole;
	size_t n_holes;
	uint64_t size;
	uint64_t device, inode; /* of a regular file; inode 0: unknown */
	uint32_t mode; /* 0: it did not exist */
	bool holes_cut, has_digest;
	bool several_names; /* it has several hard links */
	bool followed; /* files_found: the name may be a link */
	bool unknown;  /* files_changed */
	bool read;     /* files_link_read: `link` is the text of the link */
	bool guessed;  /* a link with an unknown target */
	bool inferred; /* files_link_to: a link whose actual text may be different */
	bool no_target; /* a link that calls followed, but no call shows its text */
	bool counted;	/* `several_names` is known */
	uint8_t digest[FILESET_DIGEST];
};

struct known_rename { /* paths relative to the root, owned */
	char *from, *to;
	bool exchange;
};

struct app_files {
	struct known_file *file;
	size_t n, cap;
	struct u64_map by_path; /* hash of a path -> index */
	struct known_rename *rename; /* rename[n_renames] */
	size_t n_renames, renames_cap;
	char **moved; /* moved[n_moved]: paths after resolution of links, owned */
	size_t n_moved, moved_cap;
	uint64_t n_undigested; /* for files_noted */
};

void files_release(struct app_files *f); /* `f` may be all zero, which has no files */

/* Adds the recorded state of `path`. Only the first state is kept. */
void files_see(struct app_files *f, const char *path, const struct merge_record *r);
/* Adds the digest of the content, if the file existed with the recorded size. */
void files_digest(struct app_files *f, const char *path, const struct merge_record *r);
/* The program created the file before its state was recorded, so it did not exist. */
void files_made(struct app_files *f, const char *path);

/* The following functions are for traces that show results of calls but no recorded states. */
/* A file that a call found. `followed`: the call follows links. */
struct found_file {
	uint32_t mode;
	uint64_t size;
	uint64_t device, inode, n_names; /* n_names 0: unknown */
};
void files_found(struct app_files *f, const char *path, const struct found_file *found,
		 bool followed);
/* the name is a link whose text has `size` bytes */
void files_link(struct app_files *f, const char *path, uint64_t size);
/* a call that follows links succeeded for the name */
void files_followed(struct app_files *f, const char *path);
/* the name is a link with this text (NULL: unknown, and the link is not listed) */
void files_link_read(struct app_files *f, const char *path, const char *text);
/* a call on a path through this name found a file elsewhere, so the name is a link; this text would
 * have that effect */
void files_link_to(struct app_files *f, const char *path, const char *text);
/* The file is changed before its state is known. Returns the number of its entry; 0: its initial
 * state is known. */
uint32_t files_changed(struct app_files *f, const char *path);
/* A call shows the state of a file after its change: kind, permissions and other names. */
void files_changed_found(struct app_files *f, uint32_t entry, const struct found_file *found);
/* The initial size of such a file is known. */
void files_size_known(struct app_files *f, uint32_t entry, uint64_t size);
/* No call shows that such a file is not a regular file, and it is not below /dev, /proc or /sys. */
bool files_may_be_regular(const struct app_files *f, uint32_t entry);

/* The initial path of the file that is now at `path`. Ownership: the caller frees it. */
char *files_first_path(const struct app_files *f, const char *path);
/* The program renamed `from` to `to`, or exchanged the two. Before that, names below `to` were
 * below `from`. */
void files_renamed(struct app_files *f, const char *from, const char *to, bool exchange);

/* Lists the regular files, directories and links that existed, sorted by path. A name that was
 * reached through a link is listed at the link's target. Names of one file have the state that was
 * recorded first. Strings are borrowed; the caller frees the list. */
void files_list(struct app_files *f, struct fileset *to);
/* app_links.c: moves names below links of a sorted set to the targets of the links. If several
 * names lead to one target, its state is that of the name that was used first. order[to->n]: the
 * files of the set. */
void files_through_links(struct app_files *f, const struct known_file **order, struct fileset *to);
/* Sets the metadata with that list; without it if it is too long. Errors: of the writer. */
int files_meta_set(struct app_files *f, struct trace_writer *w, struct trace_meta *meta,
		   struct files_noted *n, struct err *e);
