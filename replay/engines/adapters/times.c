/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/adapters/times.h"

#include "common/options.h"
#include "common/units.h"
#include "common/words.h"

const char *const times_names[] = {"self", "preload", "block", "none", NULL};

const char *times_name(enum adapter_times how)
{
	size_t i = 0;
	while (times_names[i + 1] && 1u << i != how)
		i++;
	return times_names[i];
}

/* --- the form ------------------------------------------------------------ */

struct form_text { /* the form, and the keys that are converted at its end */
	struct times_form form;
	int unit, separator;
	const char *comment;
};

#define KEY(key, kind, field, ...)                                                                 \
	{                                                                                          \
		.name = key, .type = kind, .offset = offsetof(struct form_text, field),            \
		##__VA_ARGS__                                                                      \
	}
#define COLUMN(key, which)                                                                         \
	KEY(key, OPT_UINT, form.column[which], .min = 1, .max = TIMES_COLUMNS_MAX)
static const char *const units[] = {"s", "ms", "us", "ns", NULL};
static const char *const separators[] = {"comma", "semicolon", "tab", "blank", "colon", NULL};
static const struct option_spec form_keys[] = {
	COLUMN("begin", TIMES_BEGIN),
	COLUMN("end", TIMES_END),
	COLUMN("took", TIMES_TOOK),
	COLUMN("op", TIMES_OP),
	COLUMN("offset", TIMES_OFFSET),
	COLUMN("length", TIMES_LENGTH),
	COLUMN("object", TIMES_OBJECT),
	COLUMN("seq", TIMES_SEQ),
	COLUMN("result", TIMES_RESULT),
	COLUMN("tid", TIMES_TID),
	KEY("unit", OPT_CHOICE, unit, .choices = units),
	KEY("unit-offset", OPT_SIZE, form.unit_bytes, .min = 1, .max = -1),
	KEY("first", OPT_UINT, form.first_seq),
	KEY("header", OPT_UINT, form.n_header),
	KEY("sep", OPT_CHOICE, separator, .choices = separators),
	KEY("comment", OPT_STRING, comment),
	{.name = NULL},
};

static int form_check(const struct times_form *f, struct err *e)
{
	const uint64_t *c = f->column;
	if (!c[TIMES_BEGIN] || (!c[TIMES_END] && !c[TIMES_TOOK]))
		return err_set(e, EINVAL, "begin=COLUMN is needed, and either end=COLUMN or "
			"took=COLUMN");
	if (c[TIMES_END] && c[TIMES_TOOK])
		return err_set(e, EINVAL, "end and took cannot be used together");
	bool whole = c[TIMES_OP] && c[TIMES_OFFSET] && c[TIMES_LENGTH],
	     any = c[TIMES_OP] || c[TIMES_OFFSET] || c[TIMES_LENGTH];
	if (any && !whole && !c[TIMES_SEQ])
		return err_set(e, EINVAL, "some of op, offset and length are missing: name the "
			"columns of all three, or name seq instead. If you name none of these "
			"four, the lines must be in the order of the input");
	return 0;
}

static int form_parse(struct times_form *f, const char *text, struct err *e)
{
	struct form_text x = {.form = {.unit_bytes = 1}, .unit = 2, .comment = ""};
	size_t len = strlen(text);
	if (strncmp(text, "csv(", 4) || text[len - 1] != ')')
		return err_set(e, EINVAL, "\"%s\" is not csv(begin=COLUMN,end=COLUMN,unit=UNIT)",
			       text);
	SCOPED_FREE char *inside = xasprintf("%.*s", (int)(len - 5), text + 4);
	SCOPED(words_list_release) struct words_list item;
	int ret = words_split(&item, inside, e);
	for (size_t i = 0; !ret && i < item.n; i++)
		ret = options_set_item(form_keys, &x, item.v[i], e);
	if (ret && e)
		e->code = EINVAL; /* also for an unknown key */
	if (!ret && strlen(x.comment) > 1)
		ret = err_set(e, EINVAL, "comment: \"%s\" is not one character", x.comment);
	*f = x.form;
	f->unit = 9 - 3 * x.unit;
	f->separator = ",;\t :"[x.separator];
	f->comment = *x.comment;
	return ret ? ret : form_check(f, e);
}

/* --- the option ---------------------------------------------------------- */

static int way_refuse(const struct adapter *a, const char *way, struct err *e)
{
	SCOPED_STRBUF has = STRBUF_INIT;
	for (int i = 0; times_names[i]; i++)
		if ((a->times | ADAPTER_UNTIMED) & 1u << i)
			strbuf_addf(&has, "%s%s", has.len ? ", " : "", times_names[i]);
	return err_set(e, EINVAL, "times: engine %s does not support %s (it supports %s)",
		       a->name, way, has.s);
}

int times_parse(struct times_how *t, const char *text, const struct adapter *a, struct err *e)
{
	*t = (struct times_how){.how = a->usual};
	if (!text || !*text)
		return 0;
	size_t len = strcspn(text, ":");
	SCOPED_FREE char *way = xasprintf("%.*s", (int)len, text);
	int at = 0, ret = 0;
	while (times_names[at] && strcmp(times_names[at], way))
		at++;
	if (!times_names[at]) {
		ret = name_refuse(e, EINVAL, way, times_names, "",
				  "times: \"%s\" is not one of self, preload, block, none", way);
	} else {
		t->how = (enum adapter_times)(1u << at);
		t->has_form = text[len] != 0;
		if (!((a->times | ADAPTER_UNTIMED) & t->how) && !t->has_form)
			ret = way_refuse(a, way, e);
	}
	if (!ret && t->has_form && t->how != ADAPTER_SELF)
		ret = err_set(e, EINVAL,
			"times: only self takes a format, as in self:csv(begin=3,end=4,unit=us)");
	if (!ret && t->has_form && form_parse(&t->form, text + len + 1, e))
		ret = err_context(e, "times");
	if (!ret && t->how == ADAPTER_SELF && !t->has_form && !a->parse)
		ret = err_set(e, EINVAL, "times: self needs the format of the output: "
			"self:csv(begin=COLUMN,end=COLUMN,unit=us)");
	return ret;
}
