/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conditions of a measurement: the part of a protocol that must be equal for two campaigns to
 * measure the same quantity.
 *
 * Replayers, limits, replicates, titles, places (directories, device names) and the choice of kept
 * files are not conditions. */
#pragma once

#include "validate/protocol/protocol.h"

/* Appends lines "key = value": first those of all scenarios with the targets, then those of each
 * scenario. */
void conditions_add(const struct protocol *p, struct strbuf *out);
void conditions_add_scenario(const struct protocol *p, size_t scenario, struct strbuf *out);

#define CONDITIONS_HASH_SIZE 65
/* Computes the SHA-256 of all conditions, 64 hexadecimal digits. Errors: those of
 * digest_ready(). */
int conditions_hash(const struct protocol *p, char hash[CONDITIONS_HASH_SIZE], struct err *e);
