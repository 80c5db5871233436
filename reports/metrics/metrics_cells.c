/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/metrics/metrics_report.h"

#include "common/units.h"

double cells_number(const json_t *o, const char *path)
{
	const size_t len = strcspn(path, ".");
	SCOPED_FREE char *key = xasprintf("%.*s", (int)len, path);
	if (json_is_array(o) && strtoull(key, NULL, 10) >= json_array_size(o))
		return 0;
	o = json_is_array(o) ? json_array_get(o, strtoull(key, NULL, 10)) : json_object_get(o, key);
	if (path[len])
		return cells_number(o, path + len + 1);
	return json_is_number(o) ? json_number_value(o) : NAN;
}

static void add_cell(struct strbuf *out, struct strbuf *cell)
{
	strbuf_addf(out, "%*s", CELLS_WIDTH, cell->s);
	strbuf_release(cell);
	strbuf_init(cell);
}

static void format_value(struct strbuf *cell, double x, enum cell_unit unit)
{
	if (!isfinite(x))
		strbuf_addstr(cell, "-");
	else if (unit == CELL_COUNT)
		format_count(cell, (uint64_t)x);
	else if (unit == CELL_DURATION)
		format_duration(cell, x);
	else if (unit == CELL_BYTES)
		format_size(cell, x > 0 ? (uint64_t)x : 0);
	else if (unit == CELL_SHARE)
		strbuf_addf(cell, "%.4g %%", 100 * x);
	else
		strbuf_addf(cell, fabs(x) < 99999.5 ? "%.5g" : "%.0f", x);
}

void cells_add_label(struct strbuf *out, const char *label)
{
	strbuf_addf(out, "  %-*s", CELLS_LABEL_WIDTH, label);
}

void cells_add_row(struct strbuf *out, const char *label, const double *x, size_t n,
		   enum cell_unit unit)
{
	struct strbuf cell = STRBUF_INIT;
	cells_add_label(out, label);
	for (size_t i = 0; i < n; i++) {
		format_value(&cell, x[i], unit);
		add_cell(out, &cell);
	}
	strbuf_addch(out, '\n');
}

void cells_add_pair(struct strbuf *out, const char *label, double reference, double replay,
		    enum cell_unit unit)
{
	struct strbuf cell = STRBUF_INIT;
	double error = reference > 0 ? 100 * (replay - reference) / reference : NAN;
	cells_add_label(out, label);
	format_value(&cell, reference, unit);
	add_cell(out, &cell);
	format_value(&cell, replay, unit);
	add_cell(out, &cell);
	if (isfinite(error))
		strbuf_addf(&cell, error == 0 ? "%.3g %%" : error < 999.5 ? "%+.3g %%" : "%+.0f %%",
			    error);
	else
		strbuf_addstr(&cell, "-");
	add_cell(out, &cell);
	strbuf_addch(out, '\n');
}

void cells_add_heads(struct strbuf *out, const char *title, const char *const *head, size_t n)
{
	strbuf_addf(out, "\n%-*s", CELLS_LABEL_WIDTH + 2, title);
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%*s", CELLS_WIDTH, head[i]);
	strbuf_addch(out, '\n');
}
