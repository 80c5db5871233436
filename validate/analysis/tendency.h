/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the numbers of an inconclusive case suggest. A tendency decides nothing: it says how to read
 * the case and what to do next.
 *
 * It considers the inconclusive components with a limit. The first rule that applies counts:
 *   differs  a component lies outside its limit, but the reference is a recording that the campaign
 *            did not make: the machine may be the cause
 *   wrong    an estimate lies outside its limit, and its 95 % interval excludes the ideal value
 *            (0; 1 for precision) or the deciding interval is no wider than the limits
 *   noisy    an interval is wider than the limits, or no practical number of replicates decides the
 *            component here
 *   right    each of these components has an estimate inside its limit
 * An uncertainty U outside its limit counts as noise if the program's U lies outside too. */
#pragma once

#include "validate/evidence/cell.h"
#include "validate/protocol/protocol.h"

/* NONE: the case is decided, or numbers are missing (before the first look, or undefined). */
enum tendency {
	TENDENCY_NONE, TENDENCY_RIGHT, TENDENCY_WRONG, TENDENCY_NOISY, TENDENCY_DIFFERS, TENDENCY_N,
};

enum tendency cell_tendency(const struct cell *c);
/* Tendency of one component of the cell. */
enum tendency component_tendency(const struct cell *c, const struct component *k);

#define FURTHER_IMPRACTICAL UINT64_MAX

/* Returns the number of further replicates that would probably decide the inconclusive case: the
 * smallest number that rejects a component whose estimate is outside its limit. If there is no
 * such component, the number that accepts all components. 0: unknown, or no number decides the
 * case. FURTHER_IMPRACTICAL: no practical number is enough. `recorded`: each replicate has its own
 * recording. */
uint64_t cell_further(const struct protocol *p, const struct cell *c, bool recorded);
