/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was different between two entries of a series: facts of the environment, the replayer's
 * settings, the protocol, the host. */
#ifndef VALIDATE_HISTORY_CHANGES_H
#define VALIDATE_HISTORY_CHANGES_H

#include "validate/history/history.h"

struct history_change {
	char *fact, *old, *new; /* NULL: it was not, or is no longer, available; owned */
};

struct history_changes {
	struct history_change *one; /* named things first, then facts by name */
	size_t n, cap;
};

/* Between entry i and the one before it; no entry before the first. */
bool history_changed(const struct history *h, const struct history_series *s, size_t i);
/* Ownership: history_changes_release. An environment that cannot be read has no facts. */
void history_changes_find(struct history_changes *c, const struct history *h,
			  const struct history_series *s, size_t i);
void history_changes_release(struct history_changes *c);

#endif
