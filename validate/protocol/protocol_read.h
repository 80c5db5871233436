/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by protocol.c, which reads a protocol, and the readers of its sections. */
#pragma once

#include "validate/protocol/ini_file.h"
#include "validate/protocol/protocol.h"

struct protocol_file {
	const char *path;
	struct ini_file ini;
};

/* Returns the first section of a kind; NULL: none. */
const struct ini_section *section_find(const struct protocol_file *f, const char *kind);
/* Puts "path:line: key" before the message. Returns -EINVAL. */
int key_refuse(const struct protocol_file *f, const struct ini_key *k, struct err *e);
/* Sets a message that begins with "path:line: key". Returns -EINVAL. */
int key_err(const struct protocol_file *f, const struct ini_key *k, struct err *e, const char *fmt,
	    ...) __attribute__((format(printf, 4, 5)));
/* Sets one field; copies a string. */
int key_set(const struct protocol_file *f, const struct option_spec *table, void *config,
	    const struct ini_key *k, struct err *e);

struct key_grid;
/* [workload NAME] with type = program: checks of its keys, and script and size of the present
 * combination. */
int program_keys_check(const struct protocol_file *f, const struct key_grid *g, struct err *e);
void program_take(struct scenario *s);

/* checks key script only */
int script_keys_check(const struct protocol_file *f, const struct key_grid *g, struct err *e);

/* The same for type = parallel; and, after all scenarios, which of them share recordings. */
int parallel_keys_check(const struct protocol_file *f, const struct key_grid *g, struct err *e);
void parallel_take(struct scenario *s);
void recordings_share(struct protocol *p);
int parallel_check(const struct protocol *p, struct err *e); /* after the replayers */

/* The same for type = trace. */
int trace_keys_check(const struct protocol *p, const struct protocol_file *f,
		     const struct key_grid *g, struct err *e);
void trace_take(struct scenario *s);

/* Keys observe and observe-from: checks of their items, values of the present combination, and the
 * choice when the replayers are known. */
int observe_check(const struct protocol_file *f, const struct key_grid *g, struct err *e);
void observe_take(struct scenario *s, const struct key_grid *g);
int observe_resolve(struct protocol *p, struct err *e);
/* Checks key `responsiveness` of a target. Errors: EINVAL with the condition that is not
 * fulfilled. */
int responsiveness_check(const struct protocol *p, const struct target *t, struct err *e);

/* Make scenarios of [workload ...] (after the targets), and variants of [replayer ...] (after the
 * scenarios). */
int workloads_read(struct protocol *p, const struct protocol_file *f, struct err *e);
int replayers_read(struct protocol *p, const struct protocol_file *f, struct err *e);
/* [compare] (after the replayers). */
int compare_read(struct protocol *p, const struct protocol_file *f, struct err *e);
void compare_release(struct protocol *p);
/* Sets every key of a section from its table. */
int section_set(const struct protocol_file *f, const struct option_spec *table, void *config,
		const struct ini_section *s, struct err *e);
/* Key `claim`: replaces all limits. Errors: EINVAL for a text that is not a claim. */
int claim_limits(struct protocol *p, struct err *e);
/* Reads [claim ...]. Measures and selectors are checked, but a selector may match nothing. */
int claims_read(struct protocol *p, const struct protocol_file *f, struct err *e);
void claims_release(struct protocol *p);
/* Key `published`: reads the file, which is beside the protocol. */
int published_read(struct protocol *p, const struct protocol_file *f, struct err *e);
void published_release(struct protocol *p);
