/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluation of the options of a capture with causes. Private to capture/causality. */
#ifndef CAPTURE_CAUSALITY_COLLECT_PRIVATE_H
#define CAPTURE_CAUSALITY_COLLECT_PRIVATE_H

#include "capture/causality/collect.h"

/* The command and the options that all runs of a capture share, as text. The caller frees. */
char *collect_what(const struct collect_config *c);
/* 0: auto. Errors: EINVAL, ERANGE for text that is not a number; EINVAL for 0, and for auto without
 * its further options. */
int collect_period(const struct collect_config *c, uint64_t *period, struct err *e);

#endif
