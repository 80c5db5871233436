/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model of the file system that a trace saw: names in directories, and the files they mean. What
 * the trace did not make was there before; it comes into being here when it is first looked for.
 * Renames take whole trees along. For initial.c. */
#ifndef REPLAY_NAME_MODEL_H
#define REPLAY_NAME_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "replay/load/initial.h"
#include "common/u64_map.h"

#define NODE_NONE 0u
#define NODE_ROOT 1u

struct node { /* a file, directory or link */
	uint32_t parent;	/* directory it was found in at first */
	char *name;		/* its name there, owned; NULL: the trace made it */
	char *link;		/* of a link, where it is known; owned */
	uint64_t size, written; /* bytes that must have been there; end of what the trace wrote */
	uint64_t appended;	/* bytes that it wrote behind whatever was there */
	uint64_t link_bytes;
	enum initial_kind kind;
	bool initial;	/* it was there before, as far as is known */
	bool required;	/* some request shows that it was */
	/* the trace opened it so that it would have been made; whether it was there is not known */
	bool maybe;
	bool absent;	/* it was not: the trace made what has its name */
	bool listed;	/* the trace's own table of files has it */
	bool followed;	/* some path went on from it, or a call followed it at the end of a path */
	bool executable; /* access(X_OK) succeeded */
	bool data_sought; /* lseek asked where its holes are */
	bool truncated; /* nothing can be told of its first content any more */
};

struct name_path {
	const char *text;
	/* of a path that is looked up again and again: less than the n_paths of name_model_init;
	 * NONE32 none */
	uint32_t id;
};

struct name_model {
	struct node *node; /* node[n], node[0] unused */
	uint32_t n, cap;
	struct u64_map entry; /* hash of (directory, name) to an index into `bond` */
	struct bond *bond;    /* bond[n_bonds] */
	uint32_t n_bonds, bonds_cap;
	/* first[n_paths]: of a path with an id, its first component in `known`, 0 none yet */
	uint32_t *first;
	/* known[n_known]: the bond, plus one, that a component was the last time; 0 none */
	uint32_t *known;
	uint32_t n_known, known_cap;
};

struct bond { /* a name in a directory */
	uint32_t directory, node; /* node NODE_NONE: nothing has this name now */
	char *name; /* owned */
};

void name_model_init(struct name_model *m, uint32_t n_paths);
void name_model_release(struct name_model *m);

/* What a path means now; NODE_NONE where nothing can be there. With `follow` links at its end are
 * followed. */
uint32_t name_model_find(struct name_model *m, struct name_path path, bool follow);
/* The directory that the last component lies in, or NODE_NONE; *last (borrowed from `path`, of *len
 * bytes) is that. */
uint32_t name_model_parent(struct name_model *m, struct name_path path, const char **last,
			   size_t *len);
/* From now on the name means `node` (NODE_NONE: nothing). Names without a directory to lie in are
 * left alone. */
void name_model_set(struct name_model *m, struct name_path path, uint32_t node);
/* A new one that the trace made. */
uint32_t name_model_make(struct name_model *m, enum initial_kind kind);
/* The path a node had at first, or NULL; the caller frees. */
char *name_model_first_path(const struct name_model *m, uint32_t node);

#endif
