/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How program and replay are brought together in time: alternately in slices, or in runs one after
 * another. */
#ifndef VALIDATE_PROTOCOL_PAIRING_H
#define VALIDATE_PROTOCOL_PAIRING_H

#include "validate/protocol/protocol.h"

/* Why replayer r of a scenario cannot alternate with the program in slices; r = SIZE_MAX: why no
 * replayer of the scenario can. NULL: it can. Static text. */
const char *pairing_refused(const struct protocol *p, size_t scenario, size_t replayer);

/* Whether the runs of a scenario alternate in slices. All replayers of a scenario share the slices
 * of one program run, so all must be able to. *why is static text: what the protocol says, or what
 * prevents it; *replayer the replayer that does, NULL none. */
bool scenario_is_sliced(const struct protocol *p, size_t scenario, const char **why,
			const char **replayer);

/* How the process of a replayer, or of the program (SIZE_MAX), is paused: PAUSE_GATE or
 * PAUSE_SIGNAL. */
enum pause_by pairing_pause(const struct protocol *p, size_t replayer);

/* How many sets of a scenario's files its runs use at a time: one for each role of a group, or one
 * where they do not alternate or cannot help each other by what they leave in a cache. */
size_t scenario_n_seats(const struct protocol *p, size_t scenario);

/* Errors: EINVAL where the protocol asks for slices and a scenario cannot have them, naming it and
 * the reason. */
int pairing_check(const struct protocol *p, struct err *e);

#endif
