/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the options of a capture with causes come to. Private to capture/causality. */
#ifndef CAPTURE_CAUSALITY_COLLECT_PRIVATE_H
#define CAPTURE_CAUSALITY_COLLECT_PRIVATE_H

#include "capture/causality/collect.h"

/* The command and the options that runs must share to be of one capture, as text. The caller frees.
 */
char *collect_what(const struct collect_config *c);
/* 0: auto. Errors: EINVAL, ERANGE for what is no number; EINVAL for 0, and for auto without what it
 * needs. */
int collect_period(const struct collect_config *c, uint64_t *period, struct err *e);

#endif
