/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions of a measurement: what of a protocol must be the same for two campaigns to have
 * measured the same thing.
 *
 * Not among them: replayers, limits, replicates, titles, places (directories, devices by name) and
 * what is kept. */
#ifndef VALIDATE_CONDITIONS_H
#define VALIDATE_CONDITIONS_H

#include "validate/protocol/protocol.h"

/* Lines "key = value", first those of all scenarios, targets included; then those of one scenario.
 */
void conditions_add(const struct protocol *p, struct strbuf *out);
void conditions_add_scenario(const struct protocol *p, size_t scenario, struct strbuf *out);

#define CONDITIONS_HASH_SIZE 65
/* SHA-256 of all of it, 64 hexadecimal digits. Errors: those of digest_ready. */
int conditions_hash(const struct protocol *p, char hash[CONDITIONS_HASH_SIZE], struct err *e);

#endif
