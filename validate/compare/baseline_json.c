/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A baseline as JSON. Each member of an object and each replicate has a separate line, so that a
 * diff is readable. A file that is read is untrusted. */
#include "common/files.h"
#include "common/json_members.h"
#include "common/text.h"
#include "validate/compare/baseline_private.h"

#define FILE_MAX_BYTES (UINT64_C(1) << 30)
#define SPAN_MAX 30
#define LEVEL_MAX 0.5
#define LOOK_MAX 100

#define HEAD(kind, field, ...) MEMBER(baseline, kind, field, __VA_ARGS__)
#define LINES(s, field, length)                                                                    \
	MEMBER_AS("conditions", s, STRING, field, .n = SIZE_MAX, .allocated = true,                \
		  MEMBER_LENGTH(s, length), .may_be_empty = true)
static const struct json_member head_members[] = {
    HEAD(STRING, title),
    HEAD(STRING, protocol),
    HEAD(DIGITS, protocol_hash, .size = CONDITIONS_HASH_SIZE),
    LINES(baseline, condition, n_conditions),
    HEAD(DIGITS, campaign, .size = sizeof((struct baseline){0}.campaign)),
    HEAD(STRING, program_version),
    HEAD(STRING, date),
    HEAD(STRING, host),
    HEAD(BOOL, complete),
    HEAD(WHOLE, look),
    HEAD(WHOLE, n_replicates),
    HEAD(POSITIVE, level_accept, .nullable = true),
    HEAD(POSITIVE, level_reject, .nullable = true),
    /* absent if there is only one look, and in earlier versions */
    HEAD(POSITIVE, span, .if_set = true),
    {0}};

static const struct json_member scenario_members[] = {
    MEMBER(baseline_scenario, STRING, name), LINES(baseline_scenario, condition, n_conditions),
    MEMBER(baseline_scenario, HASH, requests, .nullable = true, .n = SIZE_MAX, .allocated = true,
	   MEMBER_LENGTH(baseline_scenario, n_requests), .may_be_empty = true), {0}};

#define CASE(kind, field, ...) MEMBER(baseline_case, kind, field, __VA_ARGS__)
static const struct json_member case_members[] = {
    CASE(STRING, replayer),
    CASE(STRING, settings),
    CASE(STRING, verdict),
    CASE(STRING, reason),
    CASE(BOOL, single_reference),
    CASE(BOOL, incomplete, .if_set = true),
    CASE(WHOLE, n_failed),
    CASE(REAL, bias, .n = 3, .nullable = true), /* and the two following fields, its interval */
    CASE(POSITIVE, u_c, .nullable = true),
    CASE(POSITIVE, u_c_df, .nullable = true),
    CASE(POSITIVE, U95, .nullable = true),
    {0}};

/* Whether earlier versions did not have this limit. */
static bool is_later(size_t offset)
{
	return offset == offsetof(struct protocol, compare.typical_response) ||
	       offset == offsetof(struct protocol, compare.tail) ||
	       offset == offsetof(struct protocol, compare.shape);
}

/* Returns the member of a limit in [compare]; null: no limit. */
static struct json_member limit_member(const struct option_spec *s)
{
	return (struct json_member){.name = s->name,
				    .kind = s->type == OPT_STRING ? MEMBER_STRING
					    : s->type == OPT_UINT ? MEMBER_COUNT
								  : MEMBER_REAL,
				    .offset = s->offset - offsetof(struct protocol, compare),
				    .nullable = true,
				    .may_be_absent = s->type == OPT_STRING || is_later(s->offset)};
}

/* --- writing ------------------------------------------------------------- */

/* Appends the value on one line, and releases it. */
static void value_add(struct strbuf *out, json_t *value)
{
	SCOPED_FREE char *text =
	    json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(BASELINE_DIGITS));
	strbuf_addstr(out, text ? text : "null");
	json_decref(value);
}

/* Appends each member on a separate line, and releases the object. */
static void members_add(struct strbuf *out, const char *indent, json_t *o)
{
	const char *key, *end = "";
	json_t *value;
	json_object_foreach(o, key, value)
	{
		strbuf_addf(out, "%s%s\"%s\": ", end, indent, key);
		value_add(out, json_incref(value));
		end = ",\n";
	}
	json_decref(o);
}

static void facts_add(struct strbuf *out, const struct baseline *b)
{
	strbuf_addstr(out, " \"environment\": {");
	for (size_t i = 0; i < b->n_facts; i++) {
		strbuf_addstr(out, i ? ",\n  " : "\n  ");
		value_add(out, text_to_json(b->fact[i].name));
		strbuf_addstr(out, ": ");
		value_add(out, text_to_json(b->fact[i].value));
	}
	strbuf_addstr(out, "\n },\n");
}

static void case_add(struct strbuf *out, const struct baseline *b, const struct baseline_case *c)
{
	json_t *o = json_object();
	json_object_set_new(o, "scenario", text_to_json(b->scenario[c->scenario].name));
	json_members_put(o, c, case_members);
	strbuf_addstr(out, "  {\n");
	members_add(out, "   ", o);
	strbuf_addstr(out, ",\n   \"replicates\": [\n");
	for (size_t i = 0; i < c->n; i++) {
		strbuf_addf(out, "    [%u", c->block[i]);
		for (size_t k = 0; k < COLUMN_N; k++)
			if (isfinite(c->column[k][i]))
				strbuf_addf(out, ", %.*g", BASELINE_DIGITS, c->column[k][i]);
			else
				strbuf_addstr(out, ", null");
		strbuf_addch(out, ']');
		strbuf_addstr(out, i + 1 < c->n ? ",\n" : "\n");
	}
	strbuf_addstr(out, "   ]\n  }");
}

static void head_add(struct strbuf *out, const struct baseline *b)
{
	json_t *o = json_object(), *columns = json_pack("[s]", "block"), *limits = json_object();
	for (size_t k = 0; k < COLUMN_N; k++)
		json_array_append_new(columns, json_string(baseline_columns[k]));
	for (const struct option_spec *s = compare_keys; s->name; s++)
		json_members_put(limits, &b->limits,
				 (const struct json_member[]){limit_member(s), {0}});
	json_object_set_new(o, "format", json_string(BASELINE_FORMAT));
	json_object_set_new(o, "format_version", json_integer(BASELINE_VERSION));
	json_members_put(o, b, head_members);
	json_object_set_new(o, "limits", limits);
	json_object_set_new(o, "columns", columns);
	members_add(out, " ", o);
	strbuf_addstr(out, ",\n");
}

/* Converts integers within the value to real numbers, because other programs write 2.0 as 2. */
static void integers_make_real(json_t *v)
{
	const char *key;
	json_t *x;
	size_t i;
	void *next;
	json_object_foreach_safe(v, next, key, x)
	{
		if (json_is_integer(x))
			json_object_set_new(v, key, json_real((double)json_integer_value(x)));
		else
			integers_make_real(x);
	}
	json_array_foreach(v, i, x)
	{
		if (json_is_integer(x))
			json_array_set_new(v, i, json_real((double)json_integer_value(x)));
		else
			integers_make_real(x);
	}
}

int baseline_digest(const json_t *file, char hex[FILE_DIGEST_HEX], struct err *e)
{
	json_auto_t *copy = json_deep_copy(file);
	integers_make_real(copy);
	SCOPED_FREE char *text =
	    json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
	return text ? bytes_digest(text, strlen(text), hex, e)
		    : err_set(e, EINVAL, "the baseline cannot be written as JSON");
}

/* Adds the digest as the last member of the object that begins at `start`. */
static int seal_add(struct strbuf *out, size_t start, struct err *e)
{
	static const char end[] = "\n}\n";
	char hex[FILE_DIGEST_HEX];
	json_error_t why;
	json_t *o = json_loadb(out->s + start, out->len - start, JSON_REJECT_DUPLICATES, &why);
	int ret = o ? baseline_digest(o, hex, e)
		    : err_set(e, EINVAL, "cannot convert the baseline to JSON: %s", why.text);
	json_decref(o);
	if (ret)
		return ret;
	out->len -= strlen(end);
	strbuf_addf(out, ",\n \"sha256\": \"%s\"%s", hex, end);
	return 0;
}

int baseline_print(const struct baseline *b, struct strbuf *out, struct err *e)
{
	const size_t start = out->len;
	strbuf_addstr(out, "{\n");
	head_add(out, b);
	facts_add(out, b);
	strbuf_addstr(out, " \"scenarios\": [");
	for (size_t i = 0; i < b->n_scenarios; i++) {
		strbuf_addstr(out, i ? ",\n" : "\n");
		json_t *o = json_object();
		json_members_put(o, &b->scenario[i], scenario_members);
		strbuf_addstr(out, "  {\n");
		members_add(out, "   ", o);
		strbuf_addstr(out, "\n  }");
	}
	strbuf_addstr(out, "\n ],\n \"cases\": [");
	for (size_t i = 0; i < b->n_cells; i++) {
		strbuf_addstr(out, i ? ",\n" : "\n");
		case_add(out, b, &b->cell[i]);
	}
	strbuf_addstr(out, "\n ]\n}\n");
	return b->sealed ? seal_add(out, start, e) : 0;
}

/* --- reading ------------------------------------------------------------- */

/* Numbers of columns in files of earlier versions and of this version. */
static const size_t columns_known[] = {COLUMN_X_TYPICAL, COLUMN_X_TAIL, COLUMN_N};

static bool columns_are_known(size_t n)
{
	bool known = false;
	for (size_t i = 0; i < sizeof columns_known / sizeof *columns_known; i++)
		known |= n == columns_known[i];
	return known;
}

static int member_refuse(const char *key, const char *wanted, struct err *e)
{
	return err_set(e, EINVAL, "\"%s\" is missing or not %s", key, wanted);
}

/* Sets *out; null gives NaN. Rejects 1e999, which overflows to infinity. */
static int number_of(double *out, const json_t *v, double least)
{
	*out = json_is_null(v) ? NAN : json_number_value(v);
	return (!json_is_number(v) && !json_is_null(v)) || isinf(*out) || *out < least ? -EINVAL
										       : 0;
}

static int get_limits(struct baseline *b, const json_t *o, struct err *e)
{
	const json_t *limits = json_object_get(o, "limits");
	if (!json_is_object(limits))
		return member_refuse("limits", "an object", e);
	for (const struct option_spec *s = compare_keys; s->name; s++) {
		const struct json_member m = limit_member(s);
		double *limit = (double *)((char *)&b->limits + m.offset);
		if (is_later(s->offset))
			*limit = NAN;
		if (json_members_get(&b->limits, (const struct json_member[]){m, {0}}, limits, e))
			return err_context(e, "limits");
		if (m.kind == MEMBER_REAL && *limit < s->min)
			return member_refuse(s->name, "a number in its range, or null", e);
	}
	return 0;
}

/* Returns a copy without control characters, which could control a terminal. */
static char *text_clean(const char *s)
{
	char *copy = xstrdup(s);
	text_make_line(copy);
	return copy;
}

static int get_facts(struct baseline *b, const json_t *o, struct err *e)
{
	json_t *facts = json_object_get(o, "environment"), *v;
	const char *key;
	if (!json_is_object(facts))
		return member_refuse("environment", "an object", e);
	b->fact = xcalloc(json_object_size(facts) + 1, sizeof *b->fact);
	json_object_foreach(facts, key, v)
	{
		if (!json_is_string(v))
			return member_refuse(key, "a text", e);
		b->fact[b->n_facts++] =
		    (struct baseline_fact){text_clean(key), text_clean(json_string_value(v))};
	}
	return 0;
}

static int get_scenario(struct baseline *b, const json_t *o, struct err *e)
{
	struct baseline_scenario *s = &b->scenario[b->n_scenarios++];
	*s = (struct baseline_scenario){0};
	int ret = json_members_get(s, scenario_members, o, e);
	for (size_t i = 0; i + 1 < b->n_scenarios && !ret; i++)
		if (!strcmp(b->scenario[i].name, s->name))
			ret = err_set(e, EINVAL, "two scenarios are called \"%s\"", s->name);
	return ret;
}

static bool value_is_sound(size_t k, double x)
{
	if (k >= COLUMN_SHAPE)
		return !(fabs(x) > 1);
	return !(x < 0) && !(k <= COLUMN_R_TIME && isnan(x));
}

static int get_row(struct baseline_case *c, size_t i, const json_t *row, struct err *e)
{
	const json_t *block = json_array_get(row, 0);
	const size_t n_columns = json_array_size(row) - 1;
	if (!columns_are_known(n_columns) || !json_is_integer(block) ||
	    json_integer_value(block) < 1 || json_integer_value(block) > UINT32_MAX)
		return err_set(e, EINVAL, "replicate %zu: expected an array of the number of the "
					  "block and %d values", i,
			       COLUMN_N);
	c->block[i] = (unsigned int)json_integer_value(block);
	if (i && c->block[i] <= c->block[i - 1])
		return err_set(e, EINVAL, "replicate %zu: the blocks must ascend, but block %u "
					  "follows block %u", i,
			       c->block[i], c->block[i - 1]);
	for (size_t k = 0; k < COLUMN_N; k++)
		if (k >= n_columns)
			c->column[k][i] = NAN;
		else if (number_of(&c->column[k][i], json_array_get(row, k + 1), -1) ||
			 !value_is_sound(k, c->column[k][i]))
			return err_set(e, EINVAL, "replicate %zu: \"%s\" is not a number of %s", i,
				       baseline_columns[k],
				       k >= COLUMN_SHAPE ? "-1 to 1" : "0 or more");
	return 0;
}

static int find_scenario(const struct baseline *b, struct baseline_case *c, const json_t *o,
			 struct err *e)
{
	const char *text = json_string_value(json_object_get(o, "scenario"));
	SCOPED_FREE char *name = text_clean(text ? text : "");
	while (c->scenario < b->n_scenarios && strcmp(b->scenario[c->scenario].name, name))
		c->scenario++;
	if (c->scenario < b->n_scenarios)
		return 0;
	c->scenario = 0;
	return err_set(e, EINVAL, "\"scenarios\" has no scenario \"%.100s\"", name);
}

static int get_case(struct baseline *b, const json_t *o, struct err *e)
{
	struct baseline_case *c = &b->cell[b->n_cells++];
	const json_t *rows = json_object_get(o, "replicates");
	*c = (struct baseline_case){.n = json_array_size(rows)};
	baseline_rows_make(c);
	int ret = json_is_array(rows) ? 0 : member_refuse("replicates", "a list", e);
	ret = ret ? ret : find_scenario(b, c, o, e);
	ret = ret ? ret : json_members_get(c, case_members, o, e);
	if (!ret && (c->bias < -1 || c->bias_lo95 < -1 || c->bias_hi95 < -1))
		ret = member_refuse("bias", "three numbers of -1 or more", e);
	for (size_t i = 0; i < c->n && !ret; i++)
		ret = get_row(c, i, json_array_get(rows, i), e);
	for (size_t i = 0; i + 1 < b->n_cells && !ret; i++)
		if (b->cell[i].scenario == c->scenario && !strcmp(b->cell[i].replayer, c->replayer))
			ret = err_set(e, EINVAL, "\"%s\" occurs twice", c->replayer);
	return ret;
}

static int get_list(struct baseline *b, const json_t *o, const char *key,
		    int (*take)(struct baseline *, const json_t *, struct err *), struct err *e)
{
	const json_t *all = json_object_get(o, key);
	json_t *v;
	size_t i;
	if (!json_is_array(all))
		return member_refuse(key, "a list", e);
	json_array_foreach(all, i, v)
	{
		int ret = take(b, v, e);
		if (ret)
			return err_context(e, "%s[%zu]", key, i);
	}
	return 0;
}

static int check_format(const json_t *o, struct err *e)
{
	const char *format = json_string_value(json_object_get(o, "format"));
	const json_t *version = json_object_get(o, "format_version");
	if (!format || strcmp(format, BASELINE_FORMAT) || !json_is_integer(version))
		return err_set(e, EINVAL, "the file is not a baseline (\"validate baseline save\" "
			"writes one)");
	if (json_integer_value(version) != BASELINE_VERSION)
		return err_set(e, EPROTONOSUPPORT,
			       ERR_OTHER_VERSION,
			       (long long)json_integer_value(version), BASELINE_VERSION);
	const json_t *all = json_object_get(o, "columns");
	const size_t n =
	    columns_are_known(json_array_size(all) - 1) ? json_array_size(all) - 1 : COLUMN_N;
	for (size_t k = 0; k <= n; k++) {
		const char *is = json_string_value(json_array_get(all, k)),
			   *must = k ? baseline_columns[k - 1] : "block";
		if (!is || strcmp(is, must))
			return err_set(e, EINVAL,
				       "column %zu is \"%.60s\", and must be \"%s\" (the unit is "
				       "part of the name)", k, is ? is : "missing", must);
	}
	return json_array_size(all) == n + 1 ? 0 : err_set(e, EINVAL,
		"\"columns\" has more columns than this version of validate knows");
}

static const struct json_member seal_members[] = {
    {.name = "sha256", .kind = MEMBER_DIGITS, .size = FILE_DIGEST_HEX}, {0}};

/* Checks the digest, if present, and removes it from the object. */
static int check_seal(struct baseline *b, json_t *o, struct err *e)
{
	char has[FILE_DIGEST_HEX], is[FILE_DIGEST_HEX];
	if (!json_object_get(o, "sha256"))
		return 0;
	int ret = json_members_get(has, seal_members, o, e);
	json_object_del(o, "sha256");
	ret = ret ? ret : baseline_digest(o, is, e);
	if (ret)
		return ret;
	b->sealed = !strcmp(has, is);
	if (b->sealed)
		return 0;
	return err_set(e, EBADMSG,
		       "the baseline was changed after it was saved: its content "
		       "does not match its member \"sha256\". Save the baseline again "
		       "from the results directory, or remove \"sha256\" to accept the change");
}

static int get_head(struct baseline *b, const json_t *o, struct err *e)
{
	int ret = json_members_get(b, head_members, o, e);
	if (!ret && b->look > LOOK_MAX)
		ret = member_refuse("look", "a count", e);
	if (!ret && !(b->span >= 0 && b->span <= SPAN_MAX))
		ret = member_refuse("span", "a logarithm of replicates", e);
	if (!ret && !(b->level_accept > 0 && b->level_accept <= LEVEL_MAX))
		ret = member_refuse("level_accept", "a level of significance", e);
	if (!ret && !(b->level_reject > 0 && b->level_reject <= LEVEL_MAX))
		ret = member_refuse("level_reject", "a level of significance", e);
	return ret;
}

int baseline_read(struct baseline *b, const char *path, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	json_error_t why;
	*b = (struct baseline){.source = xstrdup(path)};
	int ret = file_read(path, &text, FILE_MAX_BYTES, e);
	if (ret) {
		baseline_release(b);
		return ret;
	}
	json_t *o = json_loadb(text.s, text.len, JSON_REJECT_DUPLICATES, &why);
	strbuf_release(&text);
	if (!o) {
		baseline_release(b);
		return err_set(e, EINVAL, "%s:%d:%d: %s", path, why.line, why.column, why.text);
	}
	ret = check_format(o, e);
	ret = ret ? ret : check_seal(b, o, e);
	ret = ret ? ret : get_head(b, o, e);
	ret = ret ? ret : get_limits(b, o, e);
	ret = ret ? ret : get_facts(b, o, e);
	b->scenario =
	    xcalloc(json_array_size(json_object_get(o, "scenarios")) + 1, sizeof *b->scenario);
	b->cell = xcalloc(json_array_size(json_object_get(o, "cases")) + 1, sizeof *b->cell);
	ret = ret ? ret : get_list(b, o, "scenarios", get_scenario, e);
	ret = ret ? ret : get_list(b, o, "cases", get_case, e);
	json_decref(o);
	if (ret) {
		baseline_release(b);
		return err_context(e, "%s", path);
	}
	return 0;
}
