/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selects scenarios or replayers of a protocol by their settings: "type=random-read level=2",
 * "engine=event order=fs".
 *
 * A selector consists of words separated by blanks, which must all match. KEY=VALUE is a setting as
 * in the protocol (in addition to the options: `type` and `target` of a scenario, `engine` of a
 * replayer). A word without '=' is the name of the section. */
#pragma once

#include "validate/protocol/protocol.h"

/* Parses a selector. Errors: EINVAL for text without a word, a word without key or value, a
 * repeated key. Ownership: selector_release(). A zeroed selector has no terms and matches
 * everything. */
int selector_parse(struct selector *s, const char *text, struct err *e);
void selector_release(struct selector *s);

/* Whether both texts are equal, or both NULL. */
bool texts_same(const char *a, const char *b);
/* Whether every term of the selector is a setting of the scenario or replayer. */
bool selector_fits_scenario(const struct selector *s, const struct protocol *p,
			    const struct scenario *scenario);
bool selector_fits_replayer(const struct selector *s, const struct replayer *r);

/* Whether two replayers agree in every setting that neither selector names, so that they differ
 * only in the compared settings. Their sections may differ. */
bool selector_replayers_agree(const struct selector *a, const struct replayer *ra,
			      const struct selector *b, const struct replayer *rb);
/* The same for two scenarios. */
bool selector_scenarios_agree(const struct selector *a, const struct scenario *sa,
			      const struct selector *b, const struct scenario *sb);
