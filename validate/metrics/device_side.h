/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a device was asked for while it was watched, to be found by what was asked. */
#ifndef VALIDATE_METRICS_DEVICE_SIDE_H
#define VALIDATE_METRICS_DEVICE_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/trace.h"
#include "common/err.h"

enum device_kind { KIND_READ, KIND_WRITE, KIND_FLUSH, KIND_DISCARD, KIND_NONE };

struct device_request { /* a request of the device */
	uint64_t offset, length;
	int64_t queue_ns, dispatch_ns, end_ns;
	uint64_t index; /* in its trace */
	uint32_t object;
	uint16_t error;
	uint8_t kind; /* enum device_kind */
	bool taken;
};

struct device_side {
	struct device_request *seen; /* by kind, offset, time */
	size_t n, cap;
	size_t *first; /* [n]: from here on, those of the same place that may be free */
	struct trace *trace;
};

/* What a device would be asked for by such a request; KIND_NONE: nothing. */
enum device_kind device_kind_of(const struct trace_record *r);

/* Reads a trace of `validate capture block`. Memory: 64 bytes a request. Errors: of reading, naming the file; then, too, it is to be
 * released. Ownership: device_side_release. */
int device_side_read(struct device_side *s, const char *path, struct err *e);
void device_side_release(struct device_side *s);

/* What the device saw of a request, whole or in pieces that follow each other (`*split`), taken from what is left; false: nothing, or not all
 * of it. Of several alike the earliest. */
bool device_side_find(struct device_side *s, enum device_kind kind, const struct trace_record *r, struct device_request *found, bool *split);

#endif
