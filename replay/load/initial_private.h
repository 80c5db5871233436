/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The walk through a trace. Private to replay/load/initial*.c. */
#ifndef REPLAY_INITIAL_PRIVATE_H
#define REPLAY_INITIAL_PRIVATE_H

#include "replay/load/initial.h"
#include "replay/load/name_model.h"
#include "common/u64_map.h"

struct state { /* of a slot's open file */
	uint32_t node;
	uint64_t at;  /* position; from_end: relative to the end of the file */
	bool at_known, from_end;
};

struct late_link { /* a link that was followed before a request showed that it is a link */
	char *path, *text; /* owned */
};

struct walker {
	const struct load *l;
	const struct slots *s;
	struct name_model m;
	struct state *slot; /* slot[n]; meaningful for origins */
	/* hash of (node, attribute): the trace has set it, or it is in the list */
	struct u64_map named;
	struct late_link *late; /* late[n_late]: of this walk */
	uint32_t n_late, late_cap;
	struct initial *out;
};

/* NULL for none; until the next is made. */
struct node *initial_node(struct walker *w, uint32_t node);
/* The node was there, and so were the directories it lay in. */
void initial_require(struct walker *w, uint32_t node, enum initial_kind kind);
void initial_attribute_seen(struct walker *w, const struct load_request *r, uint32_t node);

/* Of the open file behind a slot; never NULL, its node is NODE_NONE where that is not known. */
struct state *initial_state(struct walker *w, uint32_t slot);
/* Bytes up to `end` were read. */
void initial_was_read(struct walker *w, uint32_t node, uint64_t end);
/* A request with a descriptor that has no path. */
void initial_descriptor_seen(struct walker *w, const struct load_request *r);

#endif
