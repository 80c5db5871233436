/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The key of a thread: its identity, equal in every run of the application. */
#pragma once

#include "capture/preload/cause_hooks.h"

/* The slot of a thread, or NULL. */
CAUSE_HIDDEN struct cause_slot *cause_slot_of(const struct cause_page *p, uint32_t pid,
					      uint32_t tid);
/* The key of a thread without a slot, and the rank of its process (-1: none). `own_key`: the key
 * that its creator gave it, or 0. */
CAUSE_HIDDEN uint64_t cause_key_find(struct cause_page *p, uint32_t pid, uint32_t tid,
				     uint32_t parent, uint64_t own_key, int32_t *rank);
/* The key of the next child of a thread or process. */
CAUSE_HIDDEN uint64_t cause_key_of_child(struct cause_slot *parent);
