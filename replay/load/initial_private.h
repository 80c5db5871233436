/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk over the requests of a trace. Private to replay/load/initial*.c. */
#pragma once

#include "replay/load/name_model.h"

struct open_state { /* of the open file of a slot */
	uint32_t node;
	uint64_t at;  /* position; from_end: relative to the end of the file */
	bool at_known, from_end;
};

/* a link that a path used before a request showed that it is a link */
struct late_link {
	char *path, *text; /* owned */
};

/* bytes of a file, up to `end`, that a request returned. The request overlaps later requests */
struct late_read {
	int64_t end_ns; /* of the request */
	uint64_t end;
	uint32_t node;
};

struct walker {
	const struct load *l;
	const struct slots *s;
	struct name_model m;
	struct open_state *slot; /* slot[n]; meaningful for origins */
	/* hashes of (node, attribute) that the trace set, or that are in the list already */
	struct u64_map named;
	struct late_link *late; /* late[n_late]: found in this walk */
	uint32_t n_late, late_cap;
	struct late_read *read; /* heap read[n_reads], earliest end first */
	uint32_t n_reads, reads_cap;
	uint32_t request; /* the present request */
	struct initial *out;
};

/* Returns NULL for NODE_NONE. The pointer is valid until the next node is made. */
static inline struct node *initial_node(struct walker *w, uint32_t node)
{
	return node ? &w->m.node[node] : NULL;
}

/* Notes that the node and its parent directories existed before the first request. */
void initial_require(struct walker *w, uint32_t node, enum initial_kind kind);
void initial_attribute_seen(struct walker *w, const struct load_request *r, uint32_t node);

/* The open file of a slot. Never NULL; its node is NODE_NONE if the file is unknown. */
struct open_state *initial_state(struct walker *w, uint32_t slot);
/* Notes that bytes up to `end` were read by the present request. Writes that began before its end
 * may have written these bytes. */
void initial_was_read(struct walker *w, uint32_t node, uint64_t end);
/* Evaluates the reads that ended until `ns`. */
void initial_reads_take(struct walker *w, int64_t ns);
/* Evaluates a request that has a descriptor but no path. */
void initial_descriptor_seen(struct walker *w, const struct load_request *r);
