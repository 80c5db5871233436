/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of report.json. */
#pragma once

#include "reports/json/json_value.h"
#include "validate/evidence/cell.h"

/* Writes members of the outermost object as text, as json_dumps does with JSON_INDENT(1). Long
 * arrays are written element by element, so that memory stays small. Errors: those of `out`. */
void json_text_member(FILE *out, bool first, const char *key, const json_t *value);
void json_text_array(FILE *out, bool first, const char *key, size_t n,
	json_t *(*element)(const struct analysis *a, size_t i), const struct analysis *a);

/* Return one part of the report as a new reference. doc/report-schema.json describes the
 * members. */
json_t *json_cell(const struct analysis *a, const struct cell *c);
/* Sets members of a case in addition to the verdict; "why" if there is something to explain. */
void json_set_metrology(json_t *cell, const struct cell *c);
void json_set_why(json_t *cell, const struct analysis *a, const struct cell *c);
json_t *json_rated_ranges(const struct analysis *a);
json_t *json_blank(const struct blank *b);
json_t *json_claims(const struct analysis *a);
json_t *json_published(const struct analysis *a);
json_t *json_operations(const struct analysis *a);
json_t *json_courses(const struct analysis *a);
json_t *json_costs(const struct analysis *a);
json_t *json_league(const struct analysis *a);
json_t *json_at_device(const struct analysis *a);
json_t *json_parallel(const struct analysis *a); /* for protocols with parallel applications */
