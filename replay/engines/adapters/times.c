/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/adapters/times.h"

#include "common/units.h"

const char *const times_names[] = {"self", "preload", "block", "none", NULL};
static const enum adapter_times times_values[] = {ADAPTER_SELF, ADAPTER_PRELOAD, ADAPTER_BLOCK,
						  ADAPTER_UNTIMED};

const char *times_name(enum adapter_times how)
{
	size_t i = 0;
	while (times_names[i + 1] && times_values[i] != how)
		i++;
	return times_names[i];
}

/* --- the form ------------------------------------------------------------ */

/* columns */
static const char *const form_keys[] = {"begin", "end", "took", "op", "offset", "length", "object",
    "seq", "result", "tid", "unit", "unit-offset", "first", "header", "sep", "comment", NULL};
static const char *const units[] = {"s", "ms", "us", "ns", NULL};
static const char *const separators[] = {"comma", "semicolon", "tab", "blank", "colon", NULL};

static int place_in(const char *const *names, const char *word)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], word))
			return i;
	return -1;
}

static int column_set(struct times_form *f, int which, const char *value, struct err *e)
{
	uint64_t n;
	int ret = parse_uint(value, &n, e);
	if (ret)
		return ret;
	if (!n || n > TIMES_COLUMNS_MAX)
		return err_set(e, EINVAL, "column %s: columns are counted from 1 to %d", value,
			       TIMES_COLUMNS_MAX);
	f->column[which] = n;
	return 0;
}

static int setting_set(struct times_form *f, const char *key, const char *value, struct err *e)
{
	if (!strcmp(key, "unit")) {
		int at = place_in(units, value);
		f->unit = 9 - 3 * at;
		return at < 0 ? err_set(e, EINVAL, "\"%s\" is not one of s, ms, us, ns", value) : 0;
	}
	if (!strcmp(key, "sep")) {
		int at = place_in(separators, value);
		f->separator = ",;\t :"[at < 0 ? 0 : at];
		return at < 0 ? err_set(e, EINVAL,
					"\"%s\" is not one of comma, semicolon, tab, blank, colon",
					value)
			      : 0;
	}
	if (!strcmp(key, "comment")) {
		f->comment = *value;
		return strlen(value) == 1
			   ? 0
			   : err_set(e, EINVAL, "\"%s\" is not one character", value);
	}
	if (!strcmp(key, "unit-offset")) {
		int ret = parse_size(value, &f->unit_bytes, e);
		return ret || f->unit_bytes ? ret : err_set(e, EINVAL,
			"the unit must be larger than 0");
	}
	return parse_uint(value, !strcmp(key, "header") ? &f->n_header : &f->first_seq, e);
}

/* "key=value" */
static int item_take(struct times_form *f, char *item, struct err *e)
{
	char *value = strchr(item, '=');
	if (!value)
		return err_set(e, EINVAL, "\"%s\" is not of the form key=value", item);
	*value++ = 0;
	int at = place_in(form_keys, item);
	if (at >= 0) {
		int ret =
		    at < TIMES_N ? column_set(f, at, value, e) : setting_set(f, item, value, e);
		return ret ? err_context(e, "%s", item) : 0;
	}
	return name_refuse(e, EINVAL, item, form_keys, "", "unknown key \"%s\"", item);
}

static int form_check(const struct times_form *f, struct err *e)
{
	const uint64_t *c = f->column;
	if (!c[TIMES_BEGIN] || (!c[TIMES_END] && !c[TIMES_TOOK]))
		return err_set(e, EINVAL, "begin=COLUMN and one of end=COLUMN and took=COLUMN are "
			"needed");
	if (c[TIMES_END] && c[TIMES_TOOK])
		return err_set(e, EINVAL, "end and took exclude each other");
	bool whole = c[TIMES_OP] && c[TIMES_OFFSET] && c[TIMES_LENGTH],
	     any = c[TIMES_OP] || c[TIMES_OFFSET] || c[TIMES_LENGTH];
	if (any && !whole && !c[TIMES_SEQ])
		return err_set(e, EINVAL, "a request needs op, offset and length together, or seq, "
			"or none of these (order of the input)");
	return 0;
}

static int form_parse(struct times_form *f, const char *text, struct err *e)
{
	*f = (struct times_form){.unit = 3, .unit_bytes = 1, .separator = ','};
	size_t len = strlen(text);
	char **item;
	size_t n;
	if (strncmp(text, "csv(", 4) || text[len - 1] != ')')
		return err_set(e, EINVAL, "\"%s\" is not csv(begin=COLUMN,end=COLUMN,unit=UNIT)",
			       text);
	SCOPED_FREE char *inside = xasprintf("%.*s", (int)(len - 5), text + 4);
	int ret = split_list(inside, &item, &n, e);
	for (size_t i = 0; !ret && i < n; i++)
		ret = item_take(f, item[i], e);
	if (!item)
		n = 0;
	list_free(item, n);
	return ret ? ret : form_check(f, e);
}

/* --- the option ---------------------------------------------------------- */

static int way_refuse(const struct adapter *a, const char *way, struct err *e)
{
	SCOPED_STRBUF has = STRBUF_INIT;
	for (int i = 0; times_names[i]; i++)
		if ((a->times | ADAPTER_UNTIMED) & times_values[i])
			strbuf_addf(&has, "%s%s", has.len ? ", " : "", times_names[i]);
	return err_set(e, EINVAL, "times: %s has no %s (it has %s)", a->name, way, has.s);
}

int times_parse(struct times_how *t, const char *text, const struct adapter *a, struct err *e)
{
	*t = (struct times_how){.how = a->usual};
	if (!text || !*text)
		return 0;
	size_t len = strcspn(text, ":");
	SCOPED_FREE char *way = xasprintf("%.*s", (int)len, text);
	int at = place_in(times_names, way), ret = 0;
	if (at < 0) {
		ret = name_refuse(e, EINVAL, way, times_names, "",
				  "times: \"%s\" is not one of self, preload, block, none", way);
	} else {
		t->how = times_values[at];
		t->has_form = text[len] != 0;
		if (!((a->times | ADAPTER_UNTIMED) & t->how) && !t->has_form)
			ret = way_refuse(a, way, e);
	}
	if (!ret && t->has_form && t->how != ADAPTER_SELF)
		ret = err_set(e, EINVAL,
			"times: only self takes a form, as in self:csv(begin=3,end=4,unit=us)");
	if (!ret && t->has_form && form_parse(&t->form, text + len + 1, e))
		ret = err_context(e, "times");
	if (!ret && t->how == ADAPTER_SELF && !t->has_form && !a->parse)
		ret = err_set(e, EINVAL, "times: self needs the form of the output: "
			"self:csv(begin=COLUMN,end=COLUMN,unit=us)");
	return ret;
}
