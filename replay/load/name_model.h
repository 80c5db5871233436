/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model of the file system that a trace used: names in directories and the files they refer to. A
 * file that the trace did not create existed before; its node is created at its first look-up. A
 * rename moves a whole tree. Used by initial.c. */
#pragma once

#include "replay/load/initial.h"
#include "common/u64_map.h"

#define NODE_NONE 0u
#define NODE_ROOT 1u

struct node { /* a file, directory or link */
	uint32_t parent;	/* directory in which the file was first found */
	char *name;		/* its name in that directory, owned; NULL: the trace created it */
	char *link;		/* target of a link if known; owned */
	/* size: number of bytes that must have existed; written: end of what the trace wrote */
	uint64_t size, written;
	uint64_t appended;	/* number of bytes that the trace wrote after the original end */
	uint64_t link_bytes;
	enum initial_kind kind;
	bool initial;	/* it existed before the first request, as far as is known */
	bool required;	/* some request shows that it existed */
	bool maybe;	/* opened with O_CREAT: whether it existed is unknown */
	bool absent;	/* it did not exist: the trace created its name */
	bool listed;	/* it is in the table of files that the trace contains */
	bool followed;	/* it is a component of some path, or a call followed it as a link */
	bool executable; /* access(X_OK) succeeded */
	bool not_empty;   /* a directory that contained a file which the trace did not create */
	bool data_sought; /* some lseek used SEEK_DATA or SEEK_HOLE */
	bool blocks_changed; /* the trace wrote to it or changed its blocks */
	/* hole[n_holes]: shown by lseek; length UINT64_MAX: to the end of the file. Owned */
	struct fileset_hole *hole;
	size_t n_holes, holes_cap;
	bool truncated; /* its initial content can no longer be inferred */
	bool size_shown; /* a request showed its end, or removed its name */
};

struct past { /* a file to which an entry referred at some time */
	uint32_t node, earlier; /* earlier: an index into `past`, 0 none */
};

struct name_model {
	struct node *node; /* node[n], node[0] unused */
	uint32_t n, cap;
	struct u64_map entry; /* from the hash of (directory, name) to an index into `bond` */
	struct bond *bond;    /* bond[n_bonds] */
	uint32_t n_bonds, bonds_cap;
	struct past *past; /* past[n_past], past[0] unused */
	uint32_t n_past, past_cap;
};

struct bond { /* an entry: a name in a directory */
	uint32_t directory, node; /* node NODE_NONE: the name does not exist now */
	uint32_t past; /* the latest file to which it referred, an index into `past`; 0 none */
	char *name; /* owned */
};

/* Follows `path` from the directory `at`. *n_links: number of links followed so far. With `parent`
 * it stops before the last component and returns that component in *last. */
uint32_t name_model_walk(struct name_model *m, uint32_t at, const char *path, bool follow,
			 bool parent, unsigned int *n_links, const char **last, size_t *last_len);
/* Returns the node of a path; NODE_NONE if nothing can exist there. `follow`: follow a link at the
 * end of the path. */
static inline uint32_t name_model_find(struct name_model *m, const char *path, bool follow)
{
	unsigned int n_links = 0;
	return name_model_walk(m, NODE_ROOT, path, follow, false, &n_links, NULL, NULL);
}
/* Returns the directory of the last component, or NODE_NONE. *last is that component, *len bytes,
 * borrowed from `path`. */
uint32_t name_model_parent(struct name_model *m, const char *path, const char **last,
			   size_t *len);
/* Makes the name refer to `node` (NODE_NONE: to nothing). No effect if its directory is unknown. */
void name_model_set(struct name_model *m, const char *path, uint32_t node);
/* As name_model_set, for a name in the directory of a node. */
void name_model_enter(struct name_model *m, uint32_t directory, const char *name, size_t len,
		      uint32_t node);
/* Returns the entry of a name in a directory; NULL: nothing ever looked it up. */
const struct bond *name_model_entry(const struct name_model *m, uint32_t directory,
				    const char *name, size_t len);
/* A new node that the trace created. */
static inline uint32_t name_model_make(struct name_model *m, enum initial_kind kind)
{
	APPEND(m->node, m->n, m->cap, (struct node){.kind = kind});
	return m->n - 1;
}
static inline void name_model_init(struct name_model *m)
{
	*m = (struct name_model){.node = NULL};
	for (uint32_t i = NODE_NONE; i <= NODE_ROOT; i++) {
		const uint32_t made = name_model_make(m, INITIAL_DIRECTORY);
		m->node[made].parent = NODE_ROOT;
		m->node[made].initial = true;
	}
	APPEND(m->past, m->n_past, m->past_cap, (struct past){NODE_NONE, 0});
}
static inline void name_model_release(struct name_model *m)
{
	for (uint32_t i = 0; i < m->n; i++)
		FREE_EACH(m->node[i].name, m->node[i].link, m->node[i].hole);
	for (uint32_t i = 0; i < m->n_bonds; i++)
		free(m->bond[i].name);
	FREE_EACH(m->node, m->bond, m->past);
	u64_map_release(&m->entry);
}
/* Returns the path of a node before the first request, or NULL. The caller frees. */
char *name_model_first_path(const struct name_model *m, uint32_t node);
