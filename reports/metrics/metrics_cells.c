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

static void add_cell(struct strbuf *out, struct strbuf *cell, int width)
{
	strbuf_addf(out, "%*s", width, cell->s);
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

/* Appends the label of a row of n cells. Returns the width of the cells. */
static int add_label(struct strbuf *out, const char *label, size_t n, size_t width)
{
	if (!width || CELLS_LABEL_WIDTH + 2 + n * CELLS_WIDTH <= width) {
		strbuf_addf(out, "%-*s", CELLS_LABEL_WIDTH + 2, label);
		return CELLS_WIDTH;
	}
	strbuf_addf(out, "%s\n  ", label);
	const size_t most = (width - 2) / n;
	return most > CELLS_WIDTH         ? CELLS_WIDTH
	       : most < CELLS_WIDTH_LEAST ? CELLS_WIDTH_LEAST
					  : (int)most;
}

void cells_add_row(struct strbuf *out, const char *label, const double *x, size_t n,
		   enum cell_unit unit, size_t width)
{
	struct strbuf cell = STRBUF_INIT;
	SCOPED_FREE char *indented = xasprintf("  %s", label);
	const int cell_width = add_label(out, indented, n, width);
	for (size_t i = 0; i < n; i++) {
		format_value(&cell, x[i], unit);
		add_cell(out, &cell, cell_width);
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
	add_cell(out, &cell, CELLS_WIDTH);
	format_value(&cell, replay, unit);
	add_cell(out, &cell, CELLS_WIDTH);
	if (isfinite(error))
		strbuf_addf(&cell, error == 0 ? "%.3g %%" : error < 999.5 ? "%+.3g %%" : "%+.0f %%",
			    error);
	else
		strbuf_addstr(&cell, "-");
	add_cell(out, &cell, CELLS_WIDTH);
	strbuf_addch(out, '\n');
}

void cells_add_heads(struct strbuf *out, const char *title, const char *const *head, size_t n,
		     size_t width)
{
	strbuf_addch(out, '\n');
	const int cell_width = add_label(out, title, n, width);
	for (size_t i = 0; i < n; i++)
		strbuf_addf(out, "%*s", cell_width, head[i]);
	strbuf_addch(out, '\n');
}
