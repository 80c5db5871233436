/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/table.h"

#include <assert.h>

#include "common/units.h"
#include "reports/number.h"

void table_init(struct table *t, const char *name, const char *title)
{
	*t = (struct table){.name = name, .title = xstrdup(title), .n_row_headers = 1};
}

void table_note(struct table *t, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	free(t->note);
	t->note = strbuf_detach(&b);
}

void table_release(struct table *t)
{
	for (size_t i = 0; i < t->n_cells; i++)
		if (t->cell[i].kind == CELL_TEXT)
			free(t->cell[i].text);
		else if (t->cell[i].kind == CELL_ESTIMATE)
			free(t->cell[i].estimate);
	for (size_t i = 0; i < t->n_columns; i++)
		FREE_EACH(t->column[i].key, t->column[i].title);
	FREE_EACH(t->cell, t->column, t->title, t->note);
	*t = (struct table){0};
}

void table_column(struct table *t, enum table_format format, const char *key, const char *title)
{
	assert(t->n_cells == 0);
	APPEND(t->column, t->n_columns, t->cap_columns, (struct table_column){.key = xstrdup(key),
		.title = xstrdup(title), .format = format});
}

bool table_head(struct table *t, enum table_format format, const char *key, const char *title,
		bool estimate)
{
	if (t->in_heads) {
		table_column(t, format, key, title);
		t->column[t->n_columns - 1].estimate = estimate;
	}
	return !t->in_heads;
}

static struct table_cell *add_cell(struct table *t, enum table_cell_kind kind)
{
	assert(t->n_columns);
	GROW(t->cell, t->n_cells, t->cap_cells);
	struct table_cell *c = &t->cell[t->n_cells++];
	*c = (struct table_cell){.kind = kind, .status = STAT_OK, .u = NAN};
	return c;
}

void table_none(struct table *t)
{
	add_cell(t, CELL_NONE);
}

void table_text(struct table *t, const char *s)
{
	if (s)
		add_cell(t, CELL_TEXT)->text = xstrdup(s);
	else
		table_none(t);
}

void table_textf(struct table *t, const char *fmt, ...)
{
	struct strbuf b = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&b, fmt, ap);
	va_end(ap);
	add_cell(t, CELL_TEXT)->text = strbuf_detach(&b);
}

void table_number_status(struct table *t, enum stat_status status, double value, double u)
{
	struct table_cell *c = add_cell(t, CELL_NUMBER);
	c->status = status;
	c->value = value;
	c->u = u;
}

void table_count(struct table *t, double n)
{
	/* shown without decimals: u has two digits before the point */
	table_number_status(t, STAT_OK, n, 10);
}

void table_number_u(struct table *t, double value, double u)
{
	table_number_status(t, STAT_OK, value, u);
}

void table_estimate(struct table *t, const struct estimate *e)
{
	static const struct estimate none = {.status = STAT_NOT_ASSESSED, .value = NAN, .lo90 = NAN,
		.hi90 = NAN, .lo95 = NAN, .hi95 = NAN, .df = NAN};
	struct table_cell *c = add_cell(t, CELL_ESTIMATE);
	e = e ? e : &none;
	c->status = e->status;
	c->estimate = xmalloc(sizeof *c->estimate);
	*c->estimate = *e;
}

void table_decision(struct table *t, enum decision d)
{
	add_cell(t, CELL_DECISION)->decision = d;
}

void table_verdict(struct table *t, enum verdict v)
{
	add_cell(t, CELL_VERDICT)->verdict = v;
}

size_t table_n_rows(const struct table *t)
{
	return t->n_columns ? t->n_cells / t->n_columns : 0;
}

const struct table_cell *table_at(const struct table *t, size_t row, size_t column)
{
	assert(column < t->n_columns && row * t->n_columns + column < t->n_cells);
	return &t->cell[row * t->n_columns + column];
}

static const struct {
	const char *words, *text;
} statuses[STAT_N_STATUSES] = {
    [STAT_OK] = {"ok", "ok"},
    [STAT_TOO_FEW] = {"too few", "too few values"},
    [STAT_ZERO_VARIANCE] = {"zero variance",
			    "all values are equal at this resolution, so the statistic is "
			    "undefined"},
    [STAT_ZERO_REFERENCE] = {"zero reference", "the reference is 0"},
    [STAT_NEGATIVE_REFERENCE] = {"negative reference", "a reference is negative"},
    [STAT_NOT_FINITE] = {"undefined", "a value is not finite"},
    [STAT_NOT_PAIRED] = {"not paired", "replay and reference are not paired"},
    [STAT_TOO_FEW_FOR_ALPHA] = {"too few to decide",
				"too few values for this significance level"},
    [STAT_NOT_APPLICABLE] = {"–", "not applicable"},
    [STAT_UNBOUNDED] = {"unbounded", "the interval is unbounded"},
    [STAT_OUT_OF_RANGE] = {"out of range", "a value is outside the domain of the statistic"},
    [STAT_NOT_CONVERGED] = {"not computed", "the numerical method did not converge"},
    [STAT_NOT_ASSESSED] = {"not assessed", "not assessed"},
};

const char *table_status_words(enum stat_status s)
{
	return (unsigned int)s < STAT_N_STATUSES ? statuses[s].words : "undefined";
}

const char *table_status_text(enum stat_status s)
{
	return (unsigned int)s < STAT_N_STATUSES ? statuses[s].text : "unknown status";
}

static struct number_unit unit_of(enum table_format f, double value)
{
	switch (f) {
	case FORMAT_TIME:
		return number_unit_time(value);
	case FORMAT_RELATIVE:
	case FORMAT_SHARE:
		return number_unit_percent;
	case FORMAT_PERCENT:
		return (struct number_unit){"%", 1};
	case FORMAT_RATE:
		return (struct number_unit){"/s", 1};
	case FORMAT_BYTES:
		return number_unit_bytes(value);
	default:
		return number_unit_plain;
	}
}

static void add_estimate(struct strbuf *out, const struct table_column *c, const struct estimate *e,
			 bool half_width)
{
	struct number_unit unit = unit_of(c->format, e->value);
	double half = (e->hi95 - e->lo95) / 2;
	bool sign = c->format == FORMAT_RELATIVE;
	/* ± would hide that the interval is not symmetrical */
	bool lopsided = fabs((e->hi95 - e->value) - (e->value - e->lo95)) > 0.2 * half;
	if ((half_width && !lopsided) || !isfinite(half) || half == 0) {
		number_add_pm(out, e->value, half > 0 ? half : NAN, unit, sign);
		return;
	}
	number_add(out, e->value, half, unit, sign);
	strbuf_addch(out, ' ');
	number_add_interval(out, e->lo95, e->hi95,
			    number_decimals(e->value * unit.scale, half * unit.scale), unit);
}

static void add_number(struct strbuf *out, const struct table_column *c,
		       const struct table_cell *cell)
{
	double value = cell->value;
	struct number_unit unit = unit_of(c->format, value);
	if (c->format == FORMAT_P)
		number_add_p(out, value);
	else if (c->format == FORMAT_COUNT && isfinite(value))
		strbuf_addf(out, "%.0f", value);
	else if (c->format == FORMAT_BYTES && value >= 0 && value < 0x1p63)
		format_size(out, (uint64_t)value);
	else
		number_add(out, value, cell->u, unit, c->format == FORMAT_RELATIVE);
}

void table_cell_text(struct strbuf *out, const struct table_column *c,
		     const struct table_cell *cell, bool half_width)
{
	switch (cell->kind) {
	case CELL_NONE:
		strbuf_addstr(out, "–");
		return;
	case CELL_TEXT:
		strbuf_addstr(out, cell->text);
		return;
	case CELL_DECISION:
		strbuf_addstr(out, decision_name(cell->decision));
		return;
	case CELL_VERDICT:
		strbuf_addstr(out, verdict_name(cell->verdict));
		return;
	case CELL_NUMBER:
	case CELL_ESTIMATE:
		break;
	}
	if (cell->status != STAT_OK)
		strbuf_addstr(out, table_status_words(cell->status));
	else if (cell->kind == CELL_ESTIMATE)
		add_estimate(out, c, cell->estimate, half_width);
	else
		add_number(out, c, cell);
}

/* --- cells in data files ------------------------------------------------- */

static const char *const field_names[] = {"", "_lo90", "_hi90", "_lo95", "_hi95", "_df"};
#define N_FIELDS (sizeof field_names / sizeof *field_names)

bool table_column_is_text(const struct table_column *c)
{
	return c->format == FORMAT_TEXT || c->format == FORMAT_DECISION ||
	       c->format == FORMAT_VERDICT;
}

const char *table_unit(const struct table_column *c)
{
	switch (c->format) {
	case FORMAT_TIME:
		return "ns";
	case FORMAT_RATE:
		return "per_s";
	case FORMAT_BYTES:
		return "bytes";
	case FORMAT_RELATIVE:
	case FORMAT_SHARE:
		return "ratio";
	case FORMAT_PERCENT:
		return "percent";
	default:
		return "";
	}
}

size_t table_n_fields(const struct table_column *c)
{
	return c->estimate ? N_FIELDS : 1;
}

void table_field_name(struct strbuf *out, const struct table_column *c, size_t field)
{
	const char *unit = field + 1 < N_FIELDS ? table_unit(c) : "";
	strbuf_addf(out, "%s%s%s%s", c->key, field_names[field], *unit ? "_" : "", unit);
}

const char *table_field_value(const struct table_cell *c, size_t field, double *x)
{
	const struct estimate *e = c->kind == CELL_ESTIMATE ? c->estimate : NULL;
	const double of_estimate[N_FIELDS] = {e ? e->value : 0, e ? e->lo90 : 0, e ? e->hi90 : 0,
					      e ? e->lo95 : 0,  e ? e->hi95 : 0, e ? e->df : 0};
	*x = e ? of_estimate[field] : c->value;
	return c->status  ? stat_status_name(c->status)
	       : isnan(*x) ? "undefined"
	       : *x == INFINITY ? "infinite"
	       : *x == -INFINITY ? "-infinite"
				 : NULL;
}
