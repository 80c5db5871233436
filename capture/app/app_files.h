/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files a captured program found, as they were before it used them first. Private to capture/. */
#ifndef CAPTURE_APP_FILES_H
#define CAPTURE_APP_FILES_H

#include "capture/app/app_private.h"
#include "capture/fileset/fileset.h"

struct known_file {
	char *path; /* relative to the root, owned */
	char *link;
	struct fileset_hole *hole;
	size_t n_holes;
	uint64_t size;
	uint32_t mode; /* 0: it was not there */
	bool holes_cut, has_digest;
	uint8_t digest[FILESET_DIGEST];
};

struct app_files {
	struct known_file *file;
	size_t n, cap;
	uint32_t *slot; /* open addressing by path: index + 1 */
	size_t n_slots;
};

void files_init(struct app_files *f);
void files_release(struct app_files *f);

/* What a look at `path` found; only the first counts. */
void files_see(struct app_files *f, const char *path, const struct merge_record *r);
/* Its content's digest; only of a file that was there, with the size that was seen. */
void files_digest(struct app_files *f, const char *path, const struct merge_record *r);
/* The program made it without having looked: it was not there. */
void files_made(struct app_files *f, const char *path);

/* Regular files, directories and links that were there, sorted by path. Borrowed strings; the list is the caller's to free. */
void files_list(const struct app_files *f, struct fileset *to);

#endif
