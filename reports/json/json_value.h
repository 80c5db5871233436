/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values for report.json that JSON itself has no words for. */
#ifndef REPORTS_JSON_VALUE_H
#define REPORTS_JSON_VALUE_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "reports/json/json_plain.h"
#include "validate/analysis/analysis.h"

/* As json_set_number(), but null with the status whenever that is not STAT_OK. */
void json_set_status_number(json_t *object, const char *key, enum stat_status s, double x);
void json_set_estimate(json_t *object, const char *key, const struct estimate *e);
void json_set_sample(json_t *object, const char *key, const struct sample *s); /* with its values */

/* json_text.c: members of the outermost object as text, as json_dumps gives it with JSON_INDENT(1). They are written one after the other,
 * and long arrays element by element, so that nothing large is in memory as a whole. Errors are those of `out`. */
void json_text_member(FILE *out, bool first, const char *key, const json_t *value);
void json_text_array(FILE *out, bool first, const char *key, size_t n, json_t *(*element)(const struct analysis *a, size_t i),
		     const struct analysis *a);

/* json_metrology.c: members of a case beside the verdict */
void json_set_metrology(json_t *cell, const struct cell *c);
/* json_why.c: member "why" of a case, where there is something to explain */
void json_set_why(json_t *cell, const struct analysis *a, const struct cell *c);
json_t *json_rated_ranges(const struct analysis *a);
json_t *json_blank(const struct blank *b);

/* json_published.c */
json_t *json_claims(const struct analysis *a);
json_t *json_published(const struct analysis *a);
json_t *json_operations(const struct analysis *a);

/* json_courses.c */
json_t *json_courses(const struct analysis *a);
json_t *json_costs(const struct analysis *a);

/* json_league.c */
json_t *json_league(const struct analysis *a);
json_t *json_at_device(const struct analysis *a);

/* json_parallel.c: of a protocol with parallel applications */
json_t *json_parallel(const struct analysis *a);

/* json_cell.c */
json_t *json_cell(const struct analysis *a, const struct cell *c);

#endif
