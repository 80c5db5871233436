/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model of a file system in memory: names, the objects they refer to, sizes, positions, extended
 * attributes. The requests of a trace are applied to the model in sequence, and it decides whether
 * each request can have returned its traced result. It is used to find an order in which the traced
 * calls can have taken effect (order_linear.c), and the resources that each call used and changed
 * in that order (order_fs.c).
 *
 * The initial state is unknown, except for the trace's table of files: the first request that
 * depends on an unknown fact decides it. A name belongs to a directory, not to a path: the rename
 * of a directory does not change the names in it.
 *
 * All changing state is in one array of words, with a journal of old values, so that any number of
 * steps can be undone. An object is identified by the index of its first word, a name (directory
 * entry) by the index of its word. */
#pragma once

#include "replay/load/slots.h"
#include "common/u64_map.h"

/* The effects of requests on names, directories and objects, as a stream of events: for each
 * request an FS_EVENT_REQUEST, then its effects in order. An event is a word of 64 bits: the
 * subject in the low half, the kind above it, then the flag `change`. Some kinds have further
 * words:
 *
 * FS_EVENT_REQUEST    the index of a request FS_EVENT_NAME	    a name: looked up, or (change)
 * created, removed, replaced FS_EVENT_ENTRIES    a directory: listed, or checked for entries; or
 * (change) an entry was created or removed FS_EVENT_ATTRIBUTE  an object: read, or (change) set
 * FS_EVENT_READ	    an object; words: start, end, bytes returned. OFFSET_NONE: the start is
 * unknown FS_EVENT_WRITE	    an object; words: start, end. change: an append, which begins at
 * the present end of the file FS_EVENT_RESIZE	    an object FS_EVENT_SIZE	    an object whose
 * size was read; word: the size, UINT64_MAX if unknown FS_EVENT_LOCK	    the locks of an object;
 * word: an enum lock_act
 *
 * Names, directories and objects are distinct small numbers, which can be used as array indices. */
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
/* Appends an event with n further words. `change`: the request changes `what`; else it reads it. */
void fs_event_add(struct fs_events *t, enum fs_event_kind kind, uint32_t what, bool change,
		  size_t n, const uint64_t more[]);

struct fs_undo {
	uint32_t word; /* with UNDO_MADE: an object that was created */
	uint64_t old;
};

/* text of a component, borrowed from load, slots or the trace's table of files */
struct fs_text {
	const char *text;
	uint32_t len;
};

struct fs_component { /* of a path */
	uint32_t text;		  /* index into component_text */
	/* last directory in which the component was looked up, and its name there; 0: not looked up
	 * yet */
	uint32_t directory, name;
};

struct fs_path { /* component[first .. first + n) */
	uint32_t first, n;
	bool absolute; /* for targets of links */
};

struct fs_model {
	const struct load *l;
	const struct slots *s;
	struct fs_events *events; /* borrowed; NULL: no events are reported */
	uint64_t *word;		      /* word[n_words] */
	uint32_t n_words, words_cap;
	uint32_t event_base; /* words in events are relative to this word */
	uint32_t unused; /* list of undone objects, linked by their first words; 0: end */
	struct fs_undo *undo; /* undo[n_undo] */
	size_t n_undo, undo_cap;
	bool journal; /* keep old values */
	bool listed;  /* the trace has a table of initial files */
	bool force;   /* accept every result, even if it contradicts the model */
	bool any_count; /* accept every number of listed entries */
	struct u64_map entry; /* (directory, component) -> name */
	struct u64_map xattr; /* (object, component) -> word */
	/* from the first readdir of a listing to the number of entries in it */
	struct u64_map listing;
	struct u64_map component_of; /* hash -> component */
	struct fs_text *component_text; /* component_text[n_components] */
	uint32_t n_components, components_cap;
	struct fs_component *component; /* of all paths */
	uint32_t n_path_components, path_components_cap;
	/* path[n_paths]: the paths of slots.file, then the targets of links */
	struct fs_path *path;
	uint32_t n_paths, paths_cap;
	/* slot_word[s->n]: first word of an object and a position, by origin */
	uint32_t *slot_word;
	uint32_t state_word;  /* the first of s->n words of slots: SLOT_OPEN etc. */
	uint32_t root;	      /* object */
};

/* Borrows `l` and `s` with their names and texts. Ownership: fs_model_release. */
void fs_model_init(struct fs_model *m, const struct load *l, const struct slots *s);
void fs_model_release(struct fs_model *m); /* a zeroed struct is fine */

/* Applies request i of the load. If the request cannot have returned its traced result in this
 * state, returns false and changes and reports nothing. With `force` the result is always true. */
bool fs_model_apply(struct fs_model *m, uint32_t i);
/* Returns a mark in the journal, to which fs_model_back returns by undoing all later changes. */
static inline size_t fs_model_mark(const struct fs_model *m)
{
	return m->n_undo;
}
void fs_model_back(struct fs_model *m, size_t mark);
