/* SPDX-License-Identifier: GPL-3.0-or-later */
/* JSON made from the lists of the model (reports/model.h). Keys keep the order of the list. */
#pragma once

#include "reports/model.h"

/* The members of the struct *s. New reference. The functions of the list get no analysis. */
json_t *json_model(const struct model_list *list, const void *s);
/* Writes the analysis as text, as json_dumps() does with JSON_INDENT(1). Long arrays are written
 * element by element, so that memory stays small. Errors: those of `out`. */
void json_model_write(FILE *out, const struct model_list *list, const struct analysis *a);
