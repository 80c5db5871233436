/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A small file system that exists only in memory: names, what they mean, sizes, positions, extended
 * attributes. A trace's requests are applied to it one after another, and it tells whether each can
 * have returned what the trace says it returned. That finds an order in which the traced calls can
 * have taken effect (order_linear.c), and, in that order, which resources each one used and changed
 * (order_fs.c).
 *
 * What was there before the trace is not known, but for what its table of files lists: then the
 * first request that tells decides. A name belongs to a directory, not to a path: when a directory
 * is renamed, what is in it is still the same.
 *
 * Everything that changes lies in one array of words, with a journal of old values, so that any
 * number of steps can be taken back. An object is the index of its first word, a name (directory
 * entry) the index of its one. */
#ifndef REPLAY_FS_MODEL_H
#define REPLAY_FS_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/load/load.h"
#include "replay/load/slots.h"
#include "common/u64_map.h"

/* What requests do to names, directories and objects, as a stream of events: for each request an
 * FS_EVENT_REQUEST, then its effects in order. An event is a word of 64 bits: the subject in the
 *low half, the kind above it, then the flag `change`. Some kinds have further words:
 *
 *	FS_EVENT_REQUEST    the index of a request
 *	FS_EVENT_NAME	    a name: looked up, or (change) created, removed, replaced
 *	FS_EVENT_ENTRIES    a directory: listed, or checked for entries; or (change) an entry was
 *			    created or removed
 *	FS_EVENT_ATTRIBUTE  an object: read, or (change) set
 *	FS_EVENT_READ	    an object; words: start, end, bytes returned. OFFSET_NONE: the start is
 *unknown FS_EVENT_WRITE	    an object; words: start, end. change: an append, which begins at
 *the present end of the file FS_EVENT_RESIZE	    an object FS_EVENT_SIZE	    an object whose
 *size was read; word: the size, UINT64_MAX if unknown FS_EVENT_LOCK	    the locks of an object;
 *word: an enum lock_act
 *
 * Names, directories and objects are distinct small numbers: a reader can index an array by them.
*/
enum fs_event_kind {
	FS_EVENT_REQUEST,
	FS_EVENT_NAME,
	FS_EVENT_ENTRIES,
	FS_EVENT_ATTRIBUTE,
	FS_EVENT_READ,
	FS_EVENT_WRITE,
	FS_EVENT_RESIZE,
	FS_EVENT_SIZE,
	FS_EVENT_LOCK
};

struct fs_events {
	uint64_t *word; /* word[n] */
	size_t n, cap;
};

static inline uint32_t event_subject(uint64_t word)
{
	return (uint32_t)word;
}
static inline enum fs_event_kind event_kind(uint64_t word)
{
	return (enum fs_event_kind)(word >> 32 & 0xff);
}
static inline bool event_is_change(uint64_t word)
{
	return word >> 40;
}
void fs_event_add(struct fs_events *t, enum fs_event_kind kind, uint32_t what, bool change,
		  size_t n, const uint64_t more[]);

struct fs_undo {
	uint32_t word; /* or an object that was made, with UNDO_MADE */
	uint64_t old;
};

/* a component, borrowed from where it was met: load, slots, or the trace's table of files */
struct fs_text {
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
	struct fs_events *told; /* NULL: nobody listens; borrowed */
	uint64_t *word;		      /* word[n_words] */
	uint32_t n_words, words_cap;
	uint32_t first_told;	      /* word that is told as 0 */
	/* object whose making was taken back, 0 none; its first word is the next */
	uint32_t unused;
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

/* Applies request i of the load: true, and its effects are there; or false, because it cannot have
 * returned what it did in this state, and nothing has changed nor was told. With `force` always
 * true. */
bool fs_model_apply(struct fs_model *m, uint32_t i);

/* Where the journal stands; and back to there. */
static inline size_t fs_model_mark(const struct fs_model *m)
{
	return m->n_undo;
}
void fs_model_back(struct fs_model *m, size_t mark);

#endif
