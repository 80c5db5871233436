/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parses a mapping file: an INI file with [format], and a section [column N] or [column NAME] for
 * each column that is used. */
#include <ini.h>

#include "capture/formats/mapping.h"
#include "common/files.h"
#include "common/units.h"
#include "common/words.h"

const char *const mapping_field_names[MAP_N + 1] = {
    "none",   "begin",  "end",  "response", "dispatch", "operation", "object", "offset",
    "length", "last",   "count", "pid",     "tid",      "fd",        "rvalue", "error",  NULL};

struct mapping_parse {
	struct mapping *m;
	struct err *e;
	int ret;
	char section[128];
	struct mapping_column *column;
};

static int value_refuse(struct mapping_parse *p, const char *key, const char *value,
			const char *wanted)
{
	p->ret = err_set(p->e, EINVAL, "%s = %.60s: expected %s", key, value, wanted);
	return 0;
}

static void set_text(char **to, const char *value)
{
	free(*to);
	*to = xstrdup(value);
}

static int set_count(struct mapping_parse *p, const char *key, const char *value, unsigned int max,
		     unsigned int *to)
{
	uint64_t u;
	if (parse_uint(value, &u, NULL) || u > max) {
		char wanted[60];
		snprintf(wanted, sizeof wanted, "a whole number from 0 to %u", max);
		return value_refuse(p, key, value, wanted);
	}
	*to = (unsigned int)u;
	return 1;
}

static int set_bool(struct mapping_parse *p, const char *key, const char *value, bool *to)
{
	int b;
	if (parse_bool(value, &b, NULL))
		return value_refuse(p, key, value, "yes or no");
	*to = b;
	return 1;
}

static int set_delimiter(struct mapping_parse *p, const char *value)
{
	static const struct {
		const char *name;
		char c;
	} names[] = {{"comma", ','}, {"tab", '\t'},  {"semicolon", ';'}, {"colon", ':'},
		     {"bar", '|'},   {"space", ' '}, {"blanks", 0}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(value, names[i].name)) {
			p->m->delimiter = names[i].c;
			return 1;
		}
	if (strlen(value) != 1)
		return value_refuse(
		    p, "delimiter", value,
		    "comma, tab, semicolon, colon, bar, space, blanks (runs of blanks and tabs) "
		    "or one character");
	p->m->delimiter = *value;
	return 1;
}

static int set_epoch(struct mapping_parse *p, const char *value)
{
	p->m->absolute = strcmp(value, "none") != 0;
	p->m->epoch_s = 0;
	if (!strcmp(value, "1601")) /* days from 1601 to 1970 */
		p->m->epoch_s = 134774LL * 86400;
	else if (p->m->absolute && strcmp(value, "1970"))
		return value_refuse(p, "epoch", value, "1970 or 1601 (times are counted from the "
				    "start of that year), or none (times are unchanged)");
	return 1;
}

static int set_format(struct mapping_parse *p, const char *key, const char *value)
{
	struct mapping *m = p->m;
	unsigned int n = 0;
	int64_t ns;
	if (!strcmp(key, "name"))
		set_text(&m->name, value);
	else if (!strcmp(key, "help"))
		set_text(&m->help, value);
	else if (!strcmp(key, "heading"))
		set_text(&m->heading, value);
	else if (!strcmp(key, "clock"))
		set_text(&m->clock, value);
	else if (!strcmp(key, "delimiter"))
		return set_delimiter(p, value);
	else if (!strcmp(key, "comment"))
		m->comment = *value;
	else if (!strcmp(key, "header"))
		return set_bool(p, key, value, &m->header);
	else if (!strcmp(key, "skip"))
		return set_count(p, key, value, 1000000, &m->n_skipped_lines);
	else if (!strcmp(key, "columns"))
		return set_count(p, key, value, MAPPING_COLUMNS_MAX, &m->n_columns);
	else if (!strcmp(key, "more"))
		return set_bool(p, key, value, &m->more);
	else if (!strcmp(key, "epoch"))
		return set_epoch(p, value);
	else if (!strcmp(key, "level") && (!strcmp(value, "block") || !strcmp(value, "syscall")))
		m->level = *value == 'b' ? LEVEL_BLOCK : LEVEL_SYSCALL;
	else if (!strcmp(key, "object") && (!strcmp(value, "device") || !strcmp(value, "path")))
		m->object_kind = *value == 'd' ? OBJECT_DEVICE : OBJECT_PATH;
	else if (!strcmp(key, "resolution") && !parse_duration(value, &ns, NULL) && ns > 0)
		m->resolution_ns = (double)ns;
	else if (!strcmp(key, "bid")) {
		if (!set_count(p, key, value, 100, &n))
			return 0;
		m->bid = (int)n;
	} else
		return value_refuse(p, key, value,
				    !strcmp(key, "level")	 ? "block or syscall"
				    : !strcmp(key, "object")	 ? "device or path"
				    : !strcmp(key, "resolution") ? "a duration such as 1us"
								 : "a key of [format]");
	return 1;
}

static int set_values(struct mapping_parse *p, const char *value)
{
	SCOPED(words_list_release) struct words_list item;
	if (words_split(&item, value, NULL))
		return value_refuse(p, "values", value, "a list of TEXT:OPERATION");
	/* the key may be repeated */
	int good = item.n <= MAPPING_VALUES_MAX - p->column->n_values;
	for (size_t i = 0; i < item.n && good; i++) {
		struct mapping_value *v = &p->column->value[p->column->n_values];
		char *colon = strrchr(item.v[i], ':');
		if (!colon || (strcmp(colon + 1, "skip") && op_find(colon + 1) == OP_INVALID)) {
			good = 0;
			break;
		}
		v->op = op_find(colon + 1);
		*colon = 0;
		v->text = xstrdup(item.v[i]);
		p->column->n_values++;
	}
	return good ? 1
		    : value_refuse(
			  p, "values", value,
			  "a list of at most 16 pairs TEXT:OPERATION, where OPERATION is a known "
			  "operation or \"skip\"");
}

static int set_unit(struct mapping_parse *p, const char *value)
{
	static const struct {
		const char *name;
		int64_t unit;
		enum mapping_unit kind;
	} units[] = {{"ns", 1, UNIT_OF_TIME},	  {"100ns", 100, UNIT_OF_TIME},
		     {"us", 1000, UNIT_OF_TIME},  {"ms", 1000000, UNIT_OF_TIME},
		     {"s", 1000000000, UNIT_OF_TIME}, {"bytes", 1, UNIT_OF_BYTES},
		     {"sectors", 512, UNIT_OF_BYTES}};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(value, units[i].name)) {
			p->column->unit = units[i].unit;
			p->column->unit_kind = units[i].kind;
			return 1;
		}
	uint64_t bytes, number;
	if (parse_size(value, &bytes, NULL) || !bytes || bytes > 1u << 30)
		return value_refuse(p, "unit", value,
				    "ns, 100ns, us, ms, s, bytes, sectors or a size such as 4K");
	p->column->unit = (int64_t)bytes;
	p->column->unit_kind = parse_uint(value, &number, NULL) ? UNIT_OF_BYTES : UNIT_IS_NUMBER;
	return 1;
}

static int set_column(struct mapping_parse *p, const char *key, const char *value)
{
	struct mapping_column *c = p->column;
	if (!strcmp(key, "field")) {
		for (c->field = 0; c->field < MAP_N && strcmp(value, mapping_field_names[c->field]);
		     c->field++)
			;
		if (c->field < MAP_N)
			return 1;
		c->field = MAP_NONE;
		p->ret = name_refuse(p->e, EINVAL, value, mapping_field_names, NULL,
				     "field = %.60s: unknown field", value);
		return 0;
	}
	if (!strcmp(key, "unit"))
		return set_unit(p, value);
	if (!strcmp(key, "values"))
		return set_values(p, value);
	if (!strcmp(key, "any_case"))
		return set_bool(p, key, value, &c->any_case);
	if (!strcmp(key, "optional"))
		return set_bool(p, key, value, &c->optional);
	if (!strcmp(key, "number"))
		return set_bool(p, key, value, &c->number);
	if (!strcmp(key, "digits"))
		return set_count(p, key, value, 9, &c->digits);
	if (strcmp(key, "write"))
		return value_refuse(p, key, value, "a key of [column]");
	set_text(&c->write, value);
	return 1;
}

static int new_column(struct mapping_parse *p, const char *what)
{
	uint64_t index;
	if (p->m->n == MAPPING_COLUMNS_MAX)
		return p->ret = err_set(p->e, EINVAL, "[column %.60s]: the file has more than 64 "
					"sections [column ...]", what), 0;
	struct mapping_column *c = &p->m->column[p->m->n++];
	*c = (struct mapping_column){.unit = 1};
	if (p->m->header) {
		c->name = xstrdup(what);
	} else if (parse_uint(what, &index, NULL) || !index || index > MAPPING_COLUMNS_MAX) {
		return p->ret = err_set(p->e, EINVAL, "[column %.60s]: expected a number from 1 to "
					"64 (names need header = yes in [format])", what), 0;
	} else {
		c->index = (unsigned int)index - 1;
	}
	p->column = c;
	return 1;
}

static int on_key(void *user, const char *section, const char *key, const char *value)
{
	struct mapping_parse *p = user;
	if (strcmp(section, p->section)) {
		snprintf(p->section, sizeof p->section, "%s", section);
		p->column = NULL;
		if (!strncmp(section, "column ", 7) && !new_column(p, section + 7))
			return 0;
	}
	if (!strcmp(section, "format"))
		return set_format(p, key, value);
	if (p->column)
		return set_column(p, key, value);
	p->ret =
	    err_set(p->e, EINVAL, "section [%.60s] is neither [format] nor [column ...]", section);
	return 0;
}

static unsigned int columns_count(const struct mapping *m, enum mapping_field f)
{
	unsigned int n = 0;
	for (unsigned int i = 0; i < m->n; i++)
		n += m->column[i].field == f;
	return n;
}

/* A unit of time must divide a second. There is no default for it, because a wrong one would give
 * wrong times without an error. */
static int unit_check(const struct mapping_column *c, struct err *e)
{
	const char *name = mapping_field_names[c->field];
	switch (c->field) {
	case MAP_BEGIN:
	case MAP_END:
	case MAP_RESPONSE:
	case MAP_DISPATCH:
		if (c->unit_kind == UNIT_ABSENT || c->unit_kind == UNIT_OF_BYTES ||
		    1000000000 % c->unit)
			return err_set(e, EINVAL, "the column with field = %s needs a unit of time "
						  "(unit = s, ms, us, 100ns or ns)", name);
		return 0;
	case MAP_OFFSET:
	case MAP_LENGTH:
	case MAP_LAST:
		if (c->unit_kind == UNIT_OF_TIME)
			return err_set(e, EINVAL,
				       "the column with field = %s cannot have a unit of "
				       "time: use unit = bytes, unit = sectors or a size "
				       "such as unit = 4K", name);
		return 0;
	default:
		return c->unit_kind == UNIT_ABSENT
			   ? 0
			   : err_set(e, EINVAL,
				     "the column with field = %s cannot have a unit", name);
	}
}

/* Whether another column before column i has the same field, name or number. */
static int twice_check(const struct mapping *m, unsigned int i, struct err *e)
{
	const struct mapping_column *c = &m->column[i];
	for (unsigned int k = 0; k < i; k++) {
		const struct mapping_column *x = &m->column[k];
		if (c->field && c->field != MAP_OBJECT && c->field == x->field)
			return err_set(e, EINVAL, "two columns have field = %s",
				       mapping_field_names[c->field]);
		if (c->name && x->name ? !strcasecmp(c->name, x->name)
				       : !c->name && !x->name && c->index == x->index)
			return c->name ? err_set(e, EINVAL, "[column %s] occurs twice", c->name)
				       : err_set(e, EINVAL, "[column %u] occurs twice",
						 c->index + 1);
	}
	return 0;
}

static int columns_check(struct mapping *m, struct err *e)
{
	static const enum mapping_field needed[] = {MAP_BEGIN, MAP_OPERATION, MAP_LENGTH,
						    MAP_OFFSET};
	/* for an object store, the offset may be missing: an object is read from its beginning */
	const size_t n_needed = m->object_kind == OBJECT_PATH ? 3 : 4;
	for (size_t i = 0; i < n_needed; i++)
		if (!columns_count(m, needed[i]) &&
		    !(needed[i] == MAP_LENGTH && columns_count(m, MAP_LAST)))
			return err_set(e, EINVAL, "no column has field = %s",
				       mapping_field_names[needed[i]]);
	for (unsigned int i = 0; i < m->n; i++) {
		int ret = unit_check(&m->column[i], e);
		ret = ret ? ret : twice_check(m, i, e);
		if (ret)
			return ret;
		if (!m->column[i].name != !m->header)
			return err_set(e, EINVAL, "the key \"header\" must come before the first "
				"section [column], because it defines whether columns have names "
				"or numbers");
		if (m->column[i].field == MAP_OPERATION && !m->column[i].n_values)
			return err_set(e, EINVAL, "the column with field = operation lacks the key "
				"values = TEXT:OPERATION, ...");
		if (m->column[i].index >= m->n_columns && !(m->more && m->column[i].optional))
			m->n_columns = m->column[i].index + 1;
	}
	if (m->header)
		m->n_columns = m->n_columns ? m->n_columns : 1;
	return 0;
}

int mapping_parse(struct mapping *m, const char *name, const char *text, struct err *e)
{
	struct err inner = ERR_INIT;
	struct mapping_parse p = {.m = m, .e = &inner};
	*m = (struct mapping){
	    .delimiter = ',', .level = LEVEL_BLOCK, .object_kind = OBJECT_DEVICE, .bid = 30};
	int line = ini_parse_string(text, on_key, &p);
	if (p.ret)
		return err_set(e, EINVAL, "%s: line %d: %s", name, line, inner.msg);
	if (line)
		return err_set(e, EINVAL, "%s: line %d: neither [section] nor key = value", name,
			       line);
	if (!m->name)
		m->name = xstrdup("mapping");
	int ret = columns_check(m, &inner);
	return ret ? err_set(e, -ret, "%s: %s", name, inner.msg) : 0;
}

int mapping_load(struct mapping *m, const char *path, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	memset(m, 0, sizeof *m);
	int ret = file_read(path, &text, 1u << 20, e);
	if (!ret && strlen(text.s) != text.len)
		ret = err_set(e, EINVAL, "%s: not a mapping file: it contains NUL bytes", path);
	ret = ret ? ret : mapping_parse(m, path, text.s, e);
	return ret;
}

void mapping_release(struct mapping *m)
{
	for (unsigned int i = 0; i < m->n; i++) {
		for (unsigned int j = 0; j < m->column[i].n_values; j++)
			free(m->column[i].value[j].text);
		FREE_EACH(m->column[i].name, m->column[i].write);
	}
	FREE_EACH(m->name, m->help, m->heading, m->clock);
	memset(m, 0, sizeof *m);
}
