/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between protocol.c, which reads a protocol, and protocol_workloads.c and protocol_replayers.c,
 * which read what it runs. */
#ifndef VALIDATE_PROTOCOL_READ_H
#define VALIDATE_PROTOCOL_READ_H

#include "validate/protocol/ini_file.h"
#include "validate/protocol/protocol.h"

struct protocol_file {
	const char *path;
	struct ini_file ini;
};

/* the first, or NULL */
const struct ini_section *section_find(const struct protocol_file *f, const char *kind);
/* Puts "path:line: key" in front of the message. */
int key_refuse(const struct protocol_file *f, const struct ini_key *k, struct err *e);
/* Sets one field; a string is copied. */
int key_set(const struct protocol_file *f, const struct option_spec *table, void *config,
	    const struct ini_key *k, struct err *e);

struct grid;
/* [workload NAME] with type = program: is it one; its keys; the present combination's script and
 * size from its options. */
bool program_is(const struct grid *g);
int program_keys_check(const struct protocol_file *f, const struct grid *g, struct err *e);
void program_take(struct scenario *s);

/* key script alone */
int script_keys_check(const struct protocol_file *f, const struct grid *g, struct err *e);

/* [workload NAME] with type = parallel, likewise; and, when all scenarios are there, who shares
 * recordings. */
bool parallel_is(const struct grid *g);
int parallel_keys_check(const struct protocol_file *f, const struct grid *g, struct err *e);
void parallel_take(struct scenario *s);
void recordings_share(struct protocol *p);
int parallel_check(const struct protocol *p, struct err *e); /* with the replayers */

/* [workload NAME] with type = trace, likewise. */
bool trace_is(const struct grid *g);
int trace_keys_check(const struct protocol *p, const struct protocol_file *f, const struct grid *g,
		     struct err *e);
void trace_take(struct scenario *s);

/* Keys observe and observe-from: their items, the present combination's, and what it comes to when
 * the replayers are known. */
int observe_check(const struct protocol_file *f, const struct grid *g, struct err *e);
void observe_take(struct scenario *s, const struct grid *g);
int observe_resolve(struct protocol *p, struct err *e);
/* Whether a target may have key `responsiveness` as it has. Errors: EINVAL, naming what is missing.
 */
int responsiveness_check(const struct protocol *p, const struct target *t, struct err *e);

/* [workload ...] to scenarios (targets must be read) and [replayer ...] to variants (scenarios must
 * be read). */
int workloads_read(struct protocol *p, const struct protocol_file *f, struct err *e);
int replayers_read(struct protocol *p, const struct protocol_file *f, struct err *e);
/* [compare] (replayers must be read). */
int compare_read(struct protocol *p, const struct protocol_file *f, struct err *e);
void compare_release(struct protocol *p);
/* Sets every key of a section from its table. */
int section_set(const struct protocol_file *f, const struct option_spec *table, void *config,
		const struct ini_section *s, struct err *e);
/* [claim ...] (measures and selectors are checked; what they select may be nothing). */
int claims_read(struct protocol *p, const struct protocol_file *f, struct err *e);
void claims_release(struct protocol *p);
/* Key `published`: the file beside the protocol. */
int published_read(struct protocol *p, const struct protocol_file *f, struct err *e);
void published_release(struct protocol *p);

#endif
