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

/* Returns a copy without control characters, which could control a terminal. */
static char *text_clean(const char *s)
{
	char *copy = xstrdup(s);
	text_make_line(copy);
	return copy;
}

/* --- members of a case --------------------------------------------------- */

static json_t *scenario_put(const void *s, const void *outermost)
{
	const struct baseline_case *c = s;
	const struct baseline *b = outermost;
	return text_to_json(b->scenario[c->scenario].name);
}

static int scenario_get(void *s, const json_t *value, void *outermost, struct err *e)
{
	struct baseline_case *c = s;
	const struct baseline *b = outermost;
	const char *text = json_string_value(value);
	SCOPED_FREE char *name = text_clean(text ? text : "");
	while (c->scenario < b->n_scenarios && strcmp(b->scenario[c->scenario].name, name))
		c->scenario++;
	if (c->scenario < b->n_scenarios)
		return 0;
	c->scenario = 0;
	return err_set(e, EINVAL, "\"scenarios\" has no scenario \"%.100s\"", name);
}

static json_t *rows_put(const void *s, const void *outermost)
{
	const struct baseline_case *c = s;
	json_t *rows = json_array();
	(void)outermost;
	for (size_t i = 0; i < c->n; i++) {
		json_t *row = json_pack("[I]", (json_int_t)c->block[i]);
		for (size_t k = 0; k < COLUMN_N; k++)
			json_array_append_new(row, isfinite(c->column[k][i])
						       ? json_real(c->column[k][i])
						       : json_null());
		json_array_append_new(rows, row);
	}
	return rows;
}

/* Sets *x; null gives NaN. Rejects 1e999, which overflows to infinity. */
static bool value_get(double *x, const json_t *v, size_t k)
{
	*x = json_is_null(v) ? NAN : json_number_value(v);
	if ((!json_is_number(v) && !json_is_null(v)) || isinf(*x))
		return false;
	if (k >= COLUMN_SHAPE)
		return !(fabs(*x) > 1);
	return !(*x < 0) && !(k <= COLUMN_R_TIME && isnan(*x));
}

static int get_row(struct baseline_case *c, size_t i, const json_t *row, struct err *e)
{
	const json_t *block = json_array_get(row, 0);
	const size_t n_columns = json_array_size(row) - 1;
	if (!columns_are_known(n_columns) || !json_is_integer(block) ||
	    json_integer_value(block) < 1 || json_integer_value(block) > UINT32_MAX)
		return err_set(e, EINVAL, "replicate %zu: expected an array: the number of the "
					  "block, then %d values", i,
			       COLUMN_N);
	c->block[i] = (unsigned int)json_integer_value(block);
	if (i && c->block[i] <= c->block[i - 1])
		return err_set(e, EINVAL, "replicate %zu: block %u follows block %u, but the "
					  "numbers of blocks must increase", i,
			       c->block[i], c->block[i - 1]);
	for (size_t k = 0; k < COLUMN_N; k++)
		if (k >= n_columns)
			c->column[k][i] = NAN;
		else if (!value_get(&c->column[k][i], json_array_get(row, k + 1), k))
			return err_set(e, EINVAL, "replicate %zu: \"%s\" is not a number %s", i,
				       baseline_columns[k],
				       k >= COLUMN_SHAPE ? "from -1 to 1" : "of 0 or more");
	return 0;
}

static int rows_get(void *s, const json_t *rows, void *outermost, struct err *e)
{
	struct baseline_case *c = s;
	int ret = json_is_array(rows) ? 0 : member_refuse("replicates", "a list", e);
	(void)outermost;
	c->n = json_array_size(rows);
	baseline_rows_make(c);
	for (size_t i = 0; i < c->n && !ret; i++)
		ret = get_row(c, i, json_array_get(rows, i), e);
	return ret;
}

#define OTHER(name_, type_, ...)                                                                   \
	{.name = name_, .kind = MEMBER_OTHER, .type = type_, __VA_ARGS__}
#define CASE(kind, field, ...) MEMBER(baseline_case, kind, field, __VA_ARGS__)
static const struct json_member case_members[] = {
    OTHER("scenario", "string", .get = scenario_get, .put = scenario_put),
    CASE(STRING, replayer),
    CASE(STRING, settings),
    CASE(STRING, verdict, .words = verdict_names),
    CASE(STRING, reason),
    CASE(BOOL, single_reference),
    CASE(BOOL, incomplete, .if_set = true,
	 .about = "A trace of this case is incomplete. Absent if no trace is known to be "
		  "incomplete, or if an earlier version wrote the file."),
    CASE(WHOLE, n_failed),
    CASE(REAL, bias, .n = 3, .nullable = true, /* and the two following fields, its interval */
	 .about = "The bias and its 95 % interval."),
    CASE(POSITIVE, u_c, .nullable = true),
    CASE(POSITIVE, u_c_df, .nullable = true),
    CASE(POSITIVE, U95, .nullable = true),
    OTHER("replicates", "array of array of number|null", .get = rows_get, .put = rows_put,
	  .about = "For each replicate: the number of its block, then one value for each name "
		   "in `columns`."),
    {0}};

/* --- members of a baseline ----------------------------------------------- */

static json_t *columns_put(const void *s, const void *outermost)
{
	json_t *columns = json_pack("[s]", "block");
	(void)s;
	(void)outermost;
	for (size_t k = 0; k < COLUMN_N; k++)
		json_array_append_new(columns, json_string(baseline_columns[k]));
	return columns;
}

static json_t *facts_put(const void *s, const void *outermost)
{
	const struct baseline *b = s;
	json_t *facts = json_object();
	(void)outermost;
	for (size_t i = 0; i < b->n_facts; i++) {
		json_auto_t *name = text_to_json(b->fact[i].name);
		json_object_set_new(facts, json_string_value(name), text_to_json(b->fact[i].value));
	}
	return facts;
}

static int facts_get(void *s, const json_t *value, void *outermost, struct err *e)
{
	struct baseline *b = s;
	const char *key;
	json_t *v;
	(void)outermost;
	if (!json_is_object(value))
		return member_refuse("environment", "an object", e);
	b->fact = xcalloc(json_object_size(value) + 1, sizeof *b->fact);
	json_object_foreach((json_t *)value, key, v)
	{
		if (!json_is_string(v))
			return member_refuse(key, "a string", e);
		b->fact[b->n_facts++] =
		    (struct baseline_fact){text_clean(key), text_clean(json_string_value(v))};
	}
	return 0;
}

/* The keys of [compare]; null: no limit. */
#define LIMIT(kind, key, field, ...)                                                               \
	MEMBER_AS(key, compare_limits, kind, field, .nullable = true, __VA_ARGS__)
#define CHANGE(field, ...) LIMIT(REAL, #field, field, __VA_ARGS__)
#define LATER .may_be_absent = true
static const struct json_member limit_members[] = {
    LIMIT(REAL, "response-time", response_time),
    LIMIT(REAL, "typical-response", typical_response, LATER),
    CHANGE(tail, LATER), CHANGE(shape, LATER),
    CHANGE(median), CHANGE(p90), CHANGE(p99), CHANGE(p999),
    LIMIT(REAL, "execution-time", execution_time), LIMIT(REAL, "in-flight", in_flight),
    LIMIT(REAL, "precision-ratio", precision_ratio),
    LIMIT(REAL, "uncertainty-ratio", uncertainty_ratio),
    CHANGE(reordered), CHANGE(concurrency),
    LIMIT(COUNT, "mismatches", n_mismatched),
    LIMIT(STRING, "environment", environment, LATER),
    LIMIT(STRING, "old", old, LATER), LIMIT(STRING, "new", new, LATER),
    {0}};

#define ARRAY(s, kind, field, length, ...)                                                         \
	MEMBER_AT(s, kind, field), .n = SIZE_MAX, .allocated = true, MEMBER_LENGTH(s, length),     \
	    .may_be_empty = true, __VA_ARGS__
#define LINES(s) {.name = "conditions", ARRAY(s, STRING, condition, n_conditions)}
static const struct json_member scenario_members[] = {
    MEMBER(baseline_scenario, STRING, name),
    LINES(baseline_scenario),
    {.name = "requests", ARRAY(baseline_scenario, HASH, requests, n_requests, .nullable = true)},
    {0}};

static const char *const formats[] = {BASELINE_FORMAT, NULL}, *const versions[] = {"1", NULL};
_Static_assert(BASELINE_VERSION == 1, "the schema states another version");

#define HEAD(kind, field, ...) MEMBER(baseline, kind, field, __VA_ARGS__)
const struct json_member baseline_members[] = {
    OTHER("format", "string", .words = formats),
    OTHER("format_version", "integer", .words = versions),
    HEAD(STRING, title),
    HEAD(STRING, protocol),
    HEAD(DIGITS, protocol_hash, .size = CONDITIONS_HASH_SIZE,
	 .about = "SHA-256 of the conditions: the part of the protocol that must be equal for "
		  "two campaigns to measure the same quantity."),
    LINES(baseline),
    HEAD(DIGITS, campaign, .size = sizeof((struct baseline){0}.campaign)),
    HEAD(STRING, program_version),
    HEAD(STRING, date),
    HEAD(STRING, host),
    HEAD(BOOL, complete),
    HEAD(WHOLE, look),
    HEAD(WHOLE, n_replicates),
    HEAD(POSITIVE, level_accept, .nullable = true),
    HEAD(POSITIVE, level_reject, .nullable = true),
    HEAD(POSITIVE, span, .if_set = true,
	 .about = "ln(largest number of replicates / smallest number of replicates), for a "
		  "campaign with a budget. Absent without a budget, and in files of earlier "
		  "versions."),
    HEAD(OBJECT, limits, .of = limit_members),
    OTHER("columns", "array of string", .put = columns_put,
	  .about = "Names of the values of a replicate, in order."),
    OTHER("environment", "object of string", .get = facts_get, .put = facts_put),
    {.name = "scenarios", ARRAY(baseline, OBJECT, scenario, n_scenarios, .of = scenario_members,
				.size = sizeof(struct baseline_scenario))},
    {.name = "cases", ARRAY(baseline, OBJECT, cell, n_cells, .of = case_members,
			    .size = sizeof(struct baseline_case))},
    HEAD(DIGITS, sha256, .size = FILE_DIGEST_HEX, MEMBER_FLAG(baseline, sealed),
	 .about = "SHA-256 of all other members, as JSON with sorted keys and without white "
		  "space. In this JSON text, every number is a real with 17 digits. Files of "
		  "earlier versions do not have this member."),
    {0}};

/* --- writing ------------------------------------------------------------- */

/* Appends the value on one line. */
static void line_add(struct strbuf *out, const json_t *value)
{
	SCOPED_FREE char *text =
	    json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(BASELINE_DIGITS));
	strbuf_addstr(out, text ? text : "null");
}

/* Appends a replicate. Unlike jansson, it writes 2.0 as 2. */
static void row_add(struct strbuf *out, const json_t *row)
{
	const json_t *x;
	size_t i;
	json_array_foreach(row, i, x)
	{
		strbuf_addstr(out, i ? ", " : "[");
		if (json_is_real(x))
			strbuf_addf(out, "%.*g", BASELINE_DIGITS, json_real_value(x));
		else
			line_add(out, x);
	}
	strbuf_addch(out, ']');
}

/* Appends the value. Objects except `limits`, and the lists of objects and of replicates, have a
 * line for each of their values. `key`: "" for the document and for an element of an array. */
static void value_add(struct strbuf *out, const char *key, json_t *value, int depth)
{
	const char *name, *end = "";
	json_t *x;
	size_t i;
	if (json_is_array(value) && !*key) {
		row_add(out, value);
		return;
	}
	if (json_is_object(value) ? !strcmp(key, "limits")
				  : !json_is_array(value) ||
					(strcmp(key, "scenarios") && strcmp(key, "cases") &&
					 strcmp(key, "replicates"))) {
		line_add(out, value);
		return;
	}
	strbuf_addch(out, json_is_object(value) ? '{' : '[');
	json_object_foreach(value, name, x)
	{
		json_auto_t *text = json_string(name);
		strbuf_addf(out, "%s\n%*s", end, depth + 1, "");
		line_add(out, text);
		strbuf_addstr(out, ": ");
		value_add(out, name, x, depth + 1);
		end = ",";
	}
	json_array_foreach(value, i, x)
	{
		strbuf_addf(out, "%s\n%*s", end, depth + 1, "");
		value_add(out, "", x, depth + 1);
		end = ",";
	}
	strbuf_addf(out, "\n%*s%c", depth, "", json_is_object(value) ? '}' : ']');
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

/* Computes the SHA-256 of the members of a baseline's file in a canonical form, sorted and without
 * white space. */
static int baseline_digest(const json_t *file, char hex[FILE_DIGEST_HEX], struct err *e)
{
	json_auto_t *copy = json_deep_copy(file);
	integers_make_real(copy);
	SCOPED_FREE char *text =
	    json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
	return text ? bytes_digest(text, strlen(text), hex, e)
		    : err_set(e, EINVAL, "the baseline cannot be written as JSON");
}

/* Adds the digest of the text to the object that it shows. */
static int seal_put(json_t *o, const char *text, struct err *e)
{
	char hex[FILE_DIGEST_HEX];
	json_error_t why;
	json_auto_t *read = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	int ret = read ? baseline_digest(read, hex, e)
		       : err_set(e, EINVAL, "cannot convert the baseline to JSON: %s", why.text);
	return ret ? ret : json_object_set_new(o, "sha256", json_string(hex));
}

int baseline_print(const struct baseline *b, struct strbuf *out, struct err *e)
{
	const size_t start = out->len;
	struct baseline unsealed = *b;
	json_auto_t *o = json_pack("{s:s, s:i}", "format", BASELINE_FORMAT, "format_version",
				   BASELINE_VERSION);
	unsealed.sealed = false; /* the digest is that of the other members */
	if (json_members_put(o, &unsealed, baseline_members))
		return err_set(e, EINVAL, "the baseline cannot be written as JSON");
	value_add(out, "", o, 0);
	if (b->sealed) {
		int ret = seal_put(o, out->s + start, e);
		if (ret)
			return ret;
		out->len = start;
		value_add(out, "", o, 0);
	}
	strbuf_addch(out, '\n');
	return 0;
}

/* --- reading ------------------------------------------------------------- */

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
				       "column %zu is \"%.60s\", but must be \"%s\" (the unit is "
				       "part of the name)", k, is ? is : "missing", must);
	}
	return json_array_size(all) == n + 1 ? 0 : err_set(e, EINVAL,
		"\"columns\" has more columns than this version of validate knows");
}

/* Checks the digest, if present, and removes it from the object. */
static int check_seal(const struct baseline *b, json_t *o, struct err *e)
{
	char hex[FILE_DIGEST_HEX];
	json_object_del(o, "sha256");
	int ret = b->sealed ? baseline_digest(o, hex, e) : 0;
	if (ret || !b->sealed || !strcmp(b->sha256, hex))
		return ret;
	return err_set(e, EBADMSG,
		       "the baseline was changed after it was saved: its content "
		       "does not match its member \"sha256\". Save the baseline again "
		       "from the results directory, or remove \"sha256\" to accept the change");
}

static int check_head(const struct baseline *b, struct err *e)
{
	if (b->look > LOOK_MAX)
		return member_refuse("look", "a count of at most 100", e);
	if (!(b->span >= 0 && b->span <= SPAN_MAX))
		return member_refuse("span", "a number from 0 to 30", e);
	if (!(b->level_accept > 0 && b->level_accept <= LEVEL_MAX))
		return member_refuse("level_accept", "above 0 and at most 0.5", e);
	if (!(b->level_reject > 0 && b->level_reject <= LEVEL_MAX))
		return member_refuse("level_reject", "above 0 and at most 0.5", e);
	for (const struct json_member *m = limit_members; m->name; m++) {
		const void *limit = (const char *)&b->limits + m->offset;
		if (m->kind == MEMBER_REAL &&
		    *(const double *)limit < options_find(compare_keys, m->name)->min)
			return member_refuse(m->name, "a limit that [compare] accepts", e);
	}
	for (size_t i = 0; i < b->n_scenarios; i++)
		if (baseline_scenario_find(b, b->scenario[i].name) != &b->scenario[i])
			return err_set(e, EINVAL, "scenarios[%zu]: two scenarios are called \"%s\"",
				       i, b->scenario[i].name);
	return 0;
}

static int check_case(const struct baseline *b, size_t i, struct err *e)
{
	const struct baseline_case *c = &b->cell[i];
	int ret = c->bias < -1 || c->bias_lo95 < -1 || c->bias_hi95 < -1
		      ? member_refuse("bias", "three numbers of -1 or more", e)
		      : 0;
	if (!ret && baseline_case_find(b, b->scenario[c->scenario].name, c->replayer) != c)
		ret = err_set(e, EINVAL, "replayer \"%s\" occurs twice in scenario \"%s\"",
			      c->replayer, b->scenario[c->scenario].name);
	return ret ? err_context(e, "cases[%zu]", i) : 0;
}

int baseline_read(struct baseline *b, const char *path, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	json_error_t why;
	/* without a limit if a file of an earlier version lacks its member */
	*b = (struct baseline){
	    .source = xstrdup(path),
	    .limits = {.typical_response = NAN, .tail = NAN, .shape = NAN}};
	int ret = file_read(path, &text, FILE_MAX_BYTES, e);
	json_auto_t *o =
	    ret ? NULL : json_loadb(text.s, text.len, JSON_REJECT_DUPLICATES, &why);
	if (!o) {
		baseline_release(b);
		return ret ? ret
			   : err_set(e, EINVAL, "%s is not a baseline: it is not JSON (line %d, "
				     "column %d: %s)", path, why.line, why.column, why.text);
	}
	strbuf_release(&text);
	ret = check_format(o, e);
	ret = ret ? ret : json_members_get(b, baseline_members, o, e);
	ret = ret ? ret : check_seal(b, o, e);
	ret = ret ? ret : check_head(b, e);
	for (size_t i = 0; i < b->n_cells && !ret; i++)
		ret = check_case(b, i, e);
	if (ret) {
		baseline_release(b);
		return err_context(e, "%s", path);
	}
	return 0;
}
