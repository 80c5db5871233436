/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small file system that exists only in memory: names, what they mean, sizes, positions, extended attributes. A trace's requests are
 * applied to it one after another, and it tells whether each can have returned what the trace says it returned. That finds an
 * order in which the traced calls can have taken effect (order_linear.c), and, in that order, which resources each one used and
 * changed (order_fs.c).
 *
 * What was there before the trace is not known, but for what its table of files lists: then the first request that tells decides. A
 * name belongs to a directory, not to a path: when a directory is renamed, what is in it is still the same.
 *
 * Everything that changes lies in one array of words, with a journal of old values, so that any number of steps can be taken
 * back. An object is the index of its first word, a name (directory entry) the index of its one. */
#ifndef REPLAY_FS_MODEL_H
#define REPLAY_FS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/load/load.h"
#include "replay/load/slots.h"
#include "common/u64_map.h"

/* What requests do to what, told as they are applied: for each a TOLD_REQUEST, then what it did, in order. A telling is a word of 64 bits, with
 * what it is about in the low half and its kind above that, and as many words as its kind has:
 *
 *	TOLD_REQUEST	 the index of a request
 *	TOLD_NAME	 a name: looked up, or (change) made, removed, replaced
 *	TOLD_ENTRIES	 a directory: listed or found (not) empty; or (change) an entry was made or removed
 *	TOLD_ATTRIBUTE	 an object: asked for, or (change) set
 *	TOLD_READ	 an object; start, end: bytes asked for; how many came. start OFFSET_NONE: where is not known
 *	TOLD_WRITE	 an object; start, end. `change`: it appends, so that it begins at the file's size at that moment
 *	TOLD_RESIZE	 an object
 *	TOLD_SIZE	 an object that was asked for its size; that, UINT64_MAX where it is not known
 *	TOLD_LOCK	 an object's locks; an enum lock_act
 *
 * Names, directories and objects are small numbers, each another one, so that whoever listens may keep an array of notes. */
enum fs_told_kind { TOLD_REQUEST, TOLD_NAME, TOLD_ENTRIES, TOLD_ATTRIBUTE, TOLD_READ, TOLD_WRITE,
		TOLD_RESIZE, TOLD_SIZE, TOLD_LOCK };

struct fs_told {
	uint64_t *word; /* word[n] */
	size_t n, cap;
};

static inline uint32_t told_what(uint64_t word)
{
	return (uint32_t)word;
}
static inline enum fs_told_kind told_kind(uint64_t word)
{
	return (enum fs_told_kind)(word >> 32 & 0xff);
}
static inline bool told_change(uint64_t word)
{
	return word >> 40;
}
void fs_told_add(struct fs_told *t, enum fs_told_kind kind, uint32_t what, bool change, size_t n, const uint64_t more[]);

struct fs_undo {
	uint32_t word; /* or an object that was made, with UNDO_MADE */
	uint64_t old;
};

struct fs_text { /* a component, borrowed from where it was met: load, slots, or the trace's table of files */
	const char *text;
	uint32_t len;
};

struct fs_component { /* of a path */
	uint32_t text;		  /* index into component_text */
	uint32_t directory, name; /* what it was in that directory, 0: not looked up yet */
};

struct fs_path { /* component[first .. first + n) */
	uint32_t first, n;
	bool absolute; /* of a link's text */
};

struct fs_model {
	const struct load *l;
	const struct slots *s;
	struct fs_told *told; /* NULL: nobody listens; borrowed */
	uint64_t *word;		      /* word[n_words] */
	uint32_t n_words, words_cap;
	uint32_t first_told;	      /* word that is told as 0 */
	uint32_t unused;	      /* object whose making was taken back, 0 none; its first word is the next */
	struct fs_undo *undo; /* undo[n_undo] */
	size_t n_undo, undo_cap;
	bool journal; /* old values are kept */
	bool listed;  /* the trace has a table of the files that were there */
	bool force;   /* what a request returned is true, whatever the model thinks */
	struct u64_map entry; /* (directory, component) to name */
	struct u64_map xattr; /* (object, component) to word */
	struct u64_map component_of; /* hash to component */
	struct fs_text *component_text; /* component_text[n_components] */
	uint32_t n_components, components_cap;
	struct fs_component *component; /* of all paths */
	uint32_t n_path_components, path_components_cap;
	struct fs_path *path; /* path[n_paths]: first those of slots.file, then texts of links */
	uint32_t n_paths, paths_cap;
	uint32_t *slot_word;  /* slot_word[s->n]: an object and a position, by origin */
	uint32_t state_word;  /* first of s->n: what became of each slot */
	uint32_t root;	      /* object */
};

/* Borrows both: names and texts stay where they are. Ownership: fs_model_release. */
void fs_model_init(struct fs_model *m, const struct load *l, const struct slots *s);
void fs_model_release(struct fs_model *m); /* an all-zero one is fine */

/* Applies request i of the load: true, and its effects are there; or false, because it cannot have returned what it did in this state,
 * and nothing has changed nor was told. With `force` always true. */
bool fs_model_apply(struct fs_model *m, uint32_t i);

/* Where the journal stands; and back to there. */
static inline size_t fs_model_mark(const struct fs_model *m)
{
	return m->n_undo;
}
void fs_model_back(struct fs_model *m, size_t mark);

#endif
