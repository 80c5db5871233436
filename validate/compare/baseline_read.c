/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a baseline from JSON of unknown origin. */
#include "common/files.h"
#include "common/xalloc.h"
#include "validate/compare/baseline_private.h"
#include "validate/protocol/text.h"

#define FILE_MAX_BYTES (UINT64_C(1) << 30)
/* Numbers of columns in files of earlier versions and of this one. */
static const size_t columns_known[] = {COLUMN_X_TYPICAL, COLUMN_X_TAIL, COLUMN_N};
#define SPAN_MAX 30
#define LEVEL_MAX 0.5

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

/* Removes control characters, which would reach a terminal. */
static char *text_clean(const char *s)
{
	char *copy = xstrdup(s);
	text_make_line(copy);
	return copy;
}

static int get_text(char **out, const json_t *o, const char *key, struct err *e)
{
	const char *s = json_string_value(json_object_get(o, key));
	if (!s)
		return member_refuse(key, "a text", e);
	*out = text_clean(s);
	return 0;
}

static int get_count(uint64_t *out, const json_t *o, const char *key, uint64_t most, struct err *e)
{
	const json_t *v = json_object_get(o, key);
	if (!json_is_integer(v) || json_integer_value(v) < 0 ||
	    (uint64_t)json_integer_value(v) > most)
		return member_refuse(key, "a count", e);
	*out = (uint64_t)json_integer_value(v);
	return 0;
}

/* Sets *out; null is NaN. Rejects 1e999, which overflows to infinity. */
static int number_of(double *out, const json_t *v, double least)
{
	*out = json_is_null(v) ? NAN : json_number_value(v);
	return (!json_is_number(v) && !json_is_null(v)) || isinf(*out) || *out < least ? -EINVAL
										       : 0;
}

static int get_number(double *out, const json_t *o, const char *key, double least, struct err *e)
{
	const json_t *v = json_object_get(o, key);
	return !v || number_of(out, v, least)
		   ? member_refuse(key, "a number in its range, or null", e)
		   : 0;
}

static int get_texts(char ***out, size_t *n, const json_t *o, const char *key, struct err *e)
{
	const json_t *all = json_object_get(o, key);
	json_t *v;
	size_t i;
	if (!json_is_array(all))
		return member_refuse(key, "a list of texts", e);
	*out = xcalloc(json_array_size(all) + 1, sizeof **out);
	json_array_foreach(all, i, v)
	{
		if (!json_is_string(v))
			return member_refuse(key, "a list of texts", e);
		(*out)[(*n)++] = text_clean(json_string_value(v));
	}
	return 0;
}

static int get_hash(char *out, size_t digits, const json_t *o, const char *key, struct err *e)
{
	const char *s = json_string_value(json_object_get(o, key));
	if (!s || strlen(s) != digits || strspn(s, "0123456789abcdef") != digits)
		return member_refuse(key, "a hash in hexadecimal digits", e);
	memcpy(out, s, digits + 1);
	return 0;
}

/* True for a limit that earlier versions did not have. */
static bool is_later(size_t offset)
{
	return offset == offsetof(struct protocol, compare.typical_response) ||
	       offset == offsetof(struct protocol, compare.tail) ||
	       offset == offsetof(struct protocol, compare.shape);
}

static int get_limit(struct compare_limits *l, const json_t *o, const struct option_spec *s,
		     struct err *e)
{
	static const size_t from = offsetof(struct protocol, compare);
	void *field = (char *)l + (s->offset - from);
	const json_t *v = json_object_get(o, s->name);
	double x;
	if (s->type == OPT_STRING) {
		if (v && !json_is_null(v) && !json_is_string(v))
			return member_refuse(s->name, "a text, or null", e);
		*(char **)field = json_is_string(v) ? text_clean(json_string_value(v)) : NULL;
	} else if (s->type == OPT_UINT) {
		if (!json_is_null(v))
			return get_count(field, o, s->name, INT64_MAX, e);
		*(uint64_t *)field = UINT64_MAX;
	} else if (!v && is_later(s->offset)) {
		*(double *)field = NAN;
	} else {
		if (get_number(&x, o, s->name, s->min, e) < 0)
			return -EINVAL;
		*(double *)field = x;
	}
	return 0;
}

static int get_limits(struct baseline *b, const json_t *o, struct err *e)
{
	const json_t *limits = json_object_get(o, "limits");
	int ret = json_is_object(limits) ? 0 : member_refuse("limits", "an object", e);
	for (const struct option_spec *s = compare_keys; s->name && !ret; s++)
		ret = get_limit(&b->limits, limits, s, e);
	return ret;
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

/* --- scenarios and cases ------------------------------------------------- */

static int get_requests(struct baseline_scenario *s, const json_t *o, struct err *e)
{
	const json_t *all = json_object_get(o, "requests");
	json_t *v;
	size_t i;
	if (!json_is_array(all))
		return member_refuse("requests", "a list of hashes", e);
	s->requests = xcalloc(json_array_size(all) + 1, sizeof *s->requests);
	json_array_foreach(all, i, v)
	{
		const char *digits = json_string_value(v);
		if (!json_is_null(v) &&
		    (!digits || strlen(digits) != 16 || strspn(digits, "0123456789abcdef") != 16))
			return member_refuse("requests", "a list of hashes", e);
		s->requests[s->n_requests++] = digits ? strtoull(digits, NULL, 16) : 0;
	}
	return 0;
}

static int get_scenario(struct baseline *b, const json_t *o, struct err *e)
{
	struct baseline_scenario *s = &b->scenario[b->n_scenarios++];
	*s = (struct baseline_scenario){0};
	int ret = get_text(&s->name, o, "name", e);
	ret = ret ? ret : get_texts(&s->condition, &s->n_conditions, o, "conditions", e);
	ret = ret ? ret : get_requests(s, o, e);
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
		return err_set(e, EINVAL, "replicate %zu is not a block and %d numbers", i,
			       COLUMN_N);
	c->block[i] = (unsigned int)json_integer_value(block);
	if (i && c->block[i] <= c->block[i - 1])
		return err_set(e, EINVAL, "replicate %zu: block %u comes after block %u", i,
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

static int get_bias(struct baseline_case *c, const json_t *o, struct err *e)
{
	const json_t *v = json_object_get(o, "bias");
	if (json_array_size(v) != 3 || number_of(&c->bias, json_array_get(v, 0), -1) ||
	    number_of(&c->bias_lo95, json_array_get(v, 1), -1) ||
	    number_of(&c->bias_hi95, json_array_get(v, 2), -1))
		return member_refuse("bias", "three numbers", e);
	return 0;
}

static int find_scenario(const struct baseline *b, struct baseline_case *c, const json_t *o,
			 struct err *e)
{
	char *name = NULL;
	int ret = get_text(&name, o, "scenario", e);
	if (ret)
		return ret;
	while (c->scenario < b->n_scenarios && strcmp(b->scenario[c->scenario].name, name))
		c->scenario++;
	if (c->scenario == b->n_scenarios) {
		c->scenario = 0;
		ret = err_set(e, EINVAL, "there is no scenario \"%.100s\"", name);
	}
	free(name);
	return ret;
}

static int get_case(struct baseline *b, const json_t *o, struct err *e)
{
	struct baseline_case *c = &b->cell[b->n_cells++];
	const json_t *rows = json_object_get(o, "replicates"),
		     *single = json_object_get(o, "single_reference");
	uint64_t n_failed = 0;
	*c = (struct baseline_case){.n = json_array_size(rows),
				    .single_reference = json_is_true(single)};
	baseline_rows_make(c);
	int ret = json_is_array(rows) ? 0 : member_refuse("replicates", "a list", e);
	ret = ret || json_is_boolean(single)
		  ? ret
		  : member_refuse("single_reference", "true or false", e);
	ret = ret ? ret : find_scenario(b, c, o, e);
	ret = ret ? ret : get_text(&c->replayer, o, "replayer", e);
	ret = ret ? ret : get_text(&c->settings, o, "settings", e);
	ret = ret ? ret : get_text(&c->verdict, o, "verdict", e);
	ret = ret ? ret : get_text(&c->reason, o, "reason", e);
	ret = ret ? ret : get_count(&n_failed, o, "n_failed", UINT32_MAX, e);
	ret = ret ? ret : get_bias(c, o, e);
	ret = ret ? ret : get_number(&c->u_c, o, "u_c", 0, e);
	ret = ret ? ret : get_number(&c->u_c_df, o, "u_c_df", 0, e);
	ret = ret ? ret : get_number(&c->U95, o, "U95", 0, e);
	c->n_failed = (unsigned int)n_failed;
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

static int check_columns(const json_t *o, struct err *e)
{
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
	return json_array_size(all) == n + 1 ? 0 : err_set(e, EINVAL, "there are unknown columns");
}

static int check_format(const json_t *o, struct err *e)
{
	const char *format = json_string_value(json_object_get(o, "format"));
	const json_t *version = json_object_get(o, "format_version");
	if (!format || strcmp(format, BASELINE_FORMAT) || !json_is_integer(version))
		return err_set(e, EINVAL, "not a baseline (\"validate baseline save\" writes one)");
	if (json_integer_value(version) != BASELINE_VERSION)
		return err_set(e, EPROTONOSUPPORT,
			       "a baseline of version %lld; this program reads version %d",
			       (long long)json_integer_value(version), BASELINE_VERSION);
	return check_columns(o, e);
}

/* Checks the digest, if present, and removes it from the object. */
static int check_seal(struct baseline *b, json_t *o, struct err *e)
{
	char has[FILE_DIGEST_HEX], is[FILE_DIGEST_HEX];
	if (!json_object_get(o, "sha256"))
		return 0;
	int ret = get_hash(has, FILE_DIGEST_HEX - 1, o, "sha256", e);
	json_object_del(o, "sha256");
	ret = ret ? ret : baseline_digest(o, is, e);
	if (ret)
		return ret;
	b->sealed = !strcmp(has, is);
	if (b->sealed)
		return 0;
	return err_set(e, EBADMSG,
		       "it was changed after it was saved: its content does not fit its "
		       "\"sha256\". Save it again from its results directory. Without the member "
		       "\"sha256\" it is read as it is");
}

static int get_head(struct baseline *b, const json_t *o, struct err *e)
{
	uint64_t look = 0, n = 0;
	int ret = get_text(&b->title, o, "title", e);
	ret = ret ? ret : get_text(&b->protocol, o, "protocol", e);
	ret = ret ? ret : get_text(&b->program_version, o, "program_version", e);
	ret = ret ? ret : get_text(&b->date, o, "date", e);
	ret = ret ? ret : get_text(&b->host, o, "host", e);
	ret =
	    ret ? ret : get_hash(b->protocol_hash, CONDITIONS_HASH_SIZE - 1, o, "protocol_hash", e);
	ret = ret ? ret : get_hash(b->campaign, sizeof b->campaign - 1, o, "campaign", e);
	ret = ret ? ret : get_texts(&b->condition, &b->n_conditions, o, "conditions", e);
	ret = ret ? ret : get_count(&look, o, "look", 100, e);
	ret = ret ? ret : get_count(&n, o, "n_replicates", UINT32_MAX, e);
	ret = ret ? ret : get_number(&b->level_accept, o, "level_accept", 0, e);
	ret = ret ? ret : get_number(&b->level_reject, o, "level_reject", 0, e);
	/* absent with one look, and in earlier versions */
	if (!ret && json_object_get(o, "span"))
		ret = get_number(&b->span, o, "span", 0, e);
	if (!ret && !(b->span >= 0 && b->span <= SPAN_MAX))
		ret = member_refuse("span", "a logarithm of replicates", e);
	if (!ret && !(b->level_accept > 0 && b->level_accept <= LEVEL_MAX))
		ret = member_refuse("level_accept", "a level of significance", e);
	if (!ret && !(b->level_reject > 0 && b->level_reject <= LEVEL_MAX))
		ret = member_refuse("level_reject", "a level of significance", e);
	b->complete = json_is_true(json_object_get(o, "complete"));
	b->look = (unsigned int)look;
	b->n_replicates = (unsigned int)n;
	return ret;
}

int baseline_read(struct baseline *b, const char *path, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	json_error_t why;
	*b = (struct baseline){.source = xstrdup(path)};
	int ret = file_read(path, &text, FILE_MAX_BYTES, e);
	if (ret) {
		strbuf_release(&text);
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
