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
#include "replay/load/u64_map.h"

/* What a request does to what; everybody who watches is told, in order. A NULL is not told. */
struct fs_watch {
	void (*name)(void *ctx, uint32_t name, bool change); /* looked up, or made, removed, replaced */
	void (*entries)(void *ctx, uint32_t directory, bool change); /* listed or found (not) empty; an entry was made or removed */
	void (*attribute)(void *ctx, uint32_t object, bool change);
	/* Bytes [start, end) were asked for; `n`: that many came. start OFFSET_NONE: where is not known. */
	void (*read)(void *ctx, uint32_t object, uint64_t start, uint64_t end, uint64_t n);
	/* `appends`: where it begins is the file's size at that moment. */
	void (*write)(void *ctx, uint32_t object, uint64_t start, uint64_t end, bool appends);
	void (*resize)(void *ctx, uint32_t object, uint64_t size);
	void (*size)(void *ctx, uint32_t object, uint64_t size); /* asked for the size; UINT64_MAX: it is not known */
	void *ctx;
};

struct fs_undo {
	uint32_t word;
	uint64_t old;
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
	const struct fs_watch *watch; /* NULL: nobody */
	uint64_t *word;		      /* word[n_words] */
	uint32_t n_words, words_cap;
	struct fs_undo *undo; /* undo[n_undo] */
	size_t n_undo, undo_cap;
	bool journal; /* old values are kept */
	bool listed;  /* the trace has a table of the files that were there */
	bool force;   /* what a request returned is true, whatever the model thinks */
	struct u64_map entry; /* (directory, component) to name */
	struct u64_map xattr; /* (object, component) to word */
	struct u64_map component_of; /* hash to component */
	char **component_text; /* component_text[n_components], owned */
	uint32_t n_components, components_cap;
	struct fs_component *component; /* of all paths */
	uint32_t n_path_components, path_components_cap;
	struct fs_path *path; /* path[n_paths]: first those of slots.file, then texts of links */
	uint32_t n_paths, paths_cap;
	uint32_t *slot_word;  /* slot_word[s->n]: an object and a position, by origin */
	uint32_t state_word;  /* first of s->n: what became of each slot */
	uint32_t root;	      /* object */
};

/* Borrows both. Ownership: fs_model_release. */
void fs_model_init(struct fs_model *m, const struct load *l, const struct slots *s);
void fs_model_release(struct fs_model *m); /* an all-zero one is fine */

/* Applies request i of the load: true, and its effects are there; or false, because it cannot have returned what it did in this state,
 * and nothing has changed. With `force` always true. */
bool fs_model_apply(struct fs_model *m, uint32_t i);

/* Where the journal stands; back to there; and nothing before is needed any more. */
static inline size_t fs_model_mark(const struct fs_model *m)
{
	return m->n_undo;
}
void fs_model_back(struct fs_model *m, size_t mark);
void fs_model_forget(struct fs_model *m);

/* Words of their own for whoever watches: of an object, of a directory's entries, of a name. 0 at first, not in the journal; borrowed
 * until the next request is applied. */
static inline uint64_t *fs_model_note(struct fs_model *m, uint32_t object)
{
	return &m->word[object + 4];
}
static inline uint64_t *fs_model_entries_note(struct fs_model *m, uint32_t directory)
{
	return &m->word[directory + 5];
}
static inline uint64_t *fs_model_name_note(struct fs_model *m, uint32_t name)
{
	return &m->word[name + 1];
}

#endif
