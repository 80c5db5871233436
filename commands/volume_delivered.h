/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Service times that a volume delivered, compared with those of its model, from its log. */
#pragma once

#include <jansson.h>

#include "microbench/volume/log.h"

/* Prints a table for each operation on standard output. Errors: ENOMEM. */
int volume_delivered_print(const struct volume_log *log, struct err *e);
/* Adds "n_lost", "reads", "writes" and "flushes" to the object. */
int volume_delivered_json(const struct volume_log *log, json_t *o, struct err *e);
