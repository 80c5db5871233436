/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a volume delivered, beside what its model said: from its log. */
#ifndef COMMANDS_VOLUME_DELIVERED_H
#define COMMANDS_VOLUME_DELIVERED_H

#include <jansson.h>

#include "common/err.h"
#include "microbench/volume/log.h"

/* On stdout, a table for each operation there is. Errors: ENOMEM. */
int volume_delivered_print(const struct volume_log *log, struct err *e);
/* Adds "n_lost", "reads", "writes" and "flushes" to the object. */
int volume_delivered_json(const struct volume_log *log, json_t *o, struct err *e);

#endif
