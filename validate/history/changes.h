/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Differences between two entries of a series: environment, replayer settings, protocol, host. */
#pragma once

#include "validate/history/history.h"

struct history_change {
	char *fact, *old, *new; /* NULL: not available; owned */
};

struct history_changes {
	struct history_change *one; /* named properties first, then facts by name */
	size_t n, cap;
};

/* Compares entry i with the one before it; false for the first entry. */
bool history_changed(const struct history *h, const struct history_series *s, size_t i);
/* Ownership: history_changes_release(). An unreadable environment has no facts. */
void history_changes_find(struct history_changes *c, const struct history *h,
			  const struct history_series *s, size_t i);
void history_changes_release(struct history_changes *c);
