/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that JSON itself has no words for, and whole documents, for every command. */
#ifndef REPORTS_JSON_PLAIN_H
#define REPORTS_JSON_PLAIN_H

#include <stdint.h>

#include <jansson.h>

#include "common/strbuf.h"

/* Text with everything that is no valid UTF-8 replaced; NULL gives null. New reference. */
json_t *json_text(const char *s);
/* Text whose bytes that are no UTF-8 become \xNN, for names of files; NULL gives null. */
json_t *json_name(const char *s);
json_t *json_finite(double x); /* null for what is no finite number */
/* The whole document, indented, with a newline at its end: on standard output, whose errors main
 * sees; appended to `out`. Ownership: `o` is dropped. */
void json_print(json_t *o);
void json_add_document(struct strbuf *out, json_t *o);

/* object[key] = x; where x is no finite number: null, and object[key_status] says "undefined", "infinite" or
 * "-infinite". */
void json_set_number(json_t *object, const char *key, double x);
void json_set_text(json_t *object, const char *key, const char *s);
void json_set_count(json_t *object, const char *key, uint64_t n); /* a real above 2^63 - 1 */

#endif
