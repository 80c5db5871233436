/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns on a certified standard: the key `standard` of the protocol names a certificate of
 * "validate standard certify" (a file whose name ends in .json). Other texts are not checked. */
#pragma once

#include <jansson.h>

#include "validate/protocol/protocol.h"

/* Refuses a certificate that does not apply to this machine or to a scenario of the protocol: each
 * scenario must be on a volume within the certified range. Errors: those of standard_read(),
 * standard_is_here() and standard_covers(), with the scenario. */
int certified_check(const struct protocol *p, struct err *e);
/* Facts for environment.json: file, sha256, made, and the largest |bias| and U of the scenarios.
 * New reference; NULL: the protocol names no certificate, or it cannot be read. */
json_t *certified_facts(const struct protocol *p);
