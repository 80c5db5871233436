/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a workload or a trace needs, as data. capture/fileset/fileset.h creates them. */
#pragma once

#include "common/std.h"

struct fileset_hole { /* a range of a file that has no blocks */
	uint64_t offset, length;
};

struct fileset_entry {
	const char *path; /* relative, no "..", owned by the creator of the set */
	uint64_t size;	  /* bytes */
	bool directory;
};

enum { FILESET_DIGEST = 32 };

struct fileset_detail { /* further attributes that an entry had in the original */
	uint32_t mode;	  /* permissions; 0: unknown */
	const char *link; /* target of a symbolic link; otherwise NULL */
	const struct fileset_hole *hole; /* hole[n_holes], ascending */
	size_t n_holes;
	bool holes_cut;	/* the file has more holes than are listed */
	bool has_digest;
	uint8_t digest[FILESET_DIGEST]; /* SHA-256 of the content */
	/* entries with the same number are hard links to one file, and the state of the first entry
	 * is used; 0: no other name is known */
	uint32_t same_file;
};

struct fileset {
	struct fileset_entry *entry; /* entry[n] */
	size_t n;
	struct fileset_detail *detail; /* detail[n], or NULL: unknown */
};

/* A file whose holes have more bytes together is not read for a digest, and is made with its
 * holes. */
#define FILESET_HOLES_FILLED (UINT64_C(1) << 30)

/* Bytes of the holes with which entry i is made; 0: all its holes are filled, also if the list of
 * its holes is wrong. */
static inline uint64_t fileset_holes_kept(const struct fileset *s, size_t i)
{
	uint64_t n_bytes = 0, at = 0;
	for (size_t k = 0; s->detail && k < s->detail[i].n_holes; k++) {
		const struct fileset_hole h = s->detail[i].hole[k];
		if (h.offset < at || h.offset > s->entry[i].size ||
		    h.length > s->entry[i].size - h.offset)
			return 0;
		n_bytes += h.length;
		at = h.offset + h.length;
	}
	return n_bytes > FILESET_HOLES_FILLED ? n_bytes : 0;
}

/* The target of entry i if it is a link, otherwise NULL. */
static inline const char *fileset_link(const struct fileset *s, size_t i)
{
	return s->detail ? s->detail[i].link : NULL;
}
