/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The executable files that the traced programs mapped, each scanned once for its own system calls.
 * Private to capture/. */
#ifndef CAPTURE_APP_OBJECTS_H
#define CAPTURE_APP_OBJECTS_H

#include "capture/app/app_private.h"
#include "capture/app/code_scan.h"

enum { OBJECTS_MAX = 65536 };

struct object {
	char *path;
	struct code_scan found;
};

struct objects {
	struct object *object; /* [n], by number; [0] is unused */
	size_t n, cap;
	uint32_t *slot; /* hash table with open addressing by path: number */
	size_t n_slots;
};

void objects_init(struct objects *o);
void objects_release(struct objects *o);
/* The number of the file, which is scanned if it is new; 0 if there are too many. */
uint32_t objects_number(struct objects *o, const char *path, size_t len);
static inline const struct object *objects_at(const struct objects *o, uint32_t number)
{
	return &o->object[number];
}

#endif
