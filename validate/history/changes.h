/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences between two entries of a series: environment, replayer settings, protocol, host. */
#pragma once

#include "validate/history/history.h"

struct history_change {
	char *fact, *old, *new; /* NULL: not available; owned */
};

struct history_changes {
	struct history_change *one; /* first the named properties, then facts by name */
	size_t n, cap;
};

/* Whether entry i differs from the previous entry; false for the first entry. */
bool history_changed(const struct history *h, const struct history_series *s, size_t i);
/* Finds the differences. An unreadable environment has no facts. Ownership:
 * history_changes_release(). */
void history_changes_find(struct history_changes *c, const struct history *h,
			  const struct history_series *s, size_t i);
void history_changes_release(struct history_changes *c);
