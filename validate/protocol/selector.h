/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which scenarios or replayers of a protocol are meant, by their settings: "type=random-read
 * level=2", "engine=event order=fs".
 *
 * Words with blanks between them, all of which must hold: KEY=VALUE is a setting as the protocol
 * gives it (beside the options: `type` and `target` of a scenario, `engine` of a replayer), a word
 * without '=' the section's name. */
#ifndef VALIDATE_SELECTOR_H
#define VALIDATE_SELECTOR_H

#include <stdbool.h>

#include "validate/protocol/protocol.h"

/* Errors: EINVAL for text without a word, a word without a key or a value, a key that comes twice.
 * Ownership: selector_release; a zeroed selector has no terms and fits everything. */
int selector_parse(struct selector *s, const char *text, struct err *e);
void selector_release(struct selector *s);

bool selector_fits_scenario(const struct selector *s, const struct protocol *p,
			    const struct scenario *scenario);
bool selector_fits_replayer(const struct selector *s, const struct replayer *r);

/* Whether two replayers agree in every setting that neither selector names: what the two are
 * compared for is then all that tells them apart. Their sections may differ. */
bool selector_replayers_agree(const struct selector *a, const struct replayer *ra,
			      const struct selector *b, const struct replayer *rb);
/* The same of two scenarios. */
bool selector_scenarios_agree(const struct selector *a, const struct scenario *sa,
			      const struct selector *b, const struct scenario *sb);

#endif
