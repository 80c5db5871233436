/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A baseline as JSON. Members of objects and replicates have lines of their own, so that a diff is
 * readable. */
#include "validate/compare/baseline_private.h"
#include "validate/protocol/text.h"

static json_t *number_to_json(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

/* Appends the value on one line, and releases it. */
static void value_add(struct strbuf *out, json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(BASELINE_DIGITS));
	strbuf_addstr(out, text ? text : "null");
	free(text);
	json_decref(value);
}

static void member_add(struct strbuf *out, const char *indent, const char *key, json_t *value,
		       const char *end)
{
	strbuf_addf(out, "%s\"%s\": ", indent, key);
	value_add(out, value);
	strbuf_addstr(out, end);
}

static json_t *texts_to_json(char *const *line, size_t n)
{
	json_t *all = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, text_to_json(line[i]));
	return all;
}

/* Each limit; null: none. */
static json_t *limits_to_json(const struct compare_limits *l)
{
	static const size_t from = offsetof(struct protocol, compare);
	json_t *o = json_object();
	for (const struct option_spec *s = compare_keys; s->name; s++) {
		const void *field = (const char *)l + (s->offset - from);
		if (s->type == OPT_STRING)
			json_object_set_new(o, s->name, text_to_json(*(char *const *)field));
		else if (s->type == OPT_UINT)
			json_object_set_new(
			    o, s->name,
			    *(const uint64_t *)field == UINT64_MAX
				? json_null()
				: json_integer((json_int_t) * (const uint64_t *)field));
		else
			json_object_set_new(o, s->name,
					    number_to_json(baseline_round(*(const double *)field)));
	}
	return o;
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

static void scenario_add(struct strbuf *out, const struct baseline_scenario *s)
{
	json_t *requests = json_array();
	char digits[17];
	for (size_t i = 0; i < s->n_requests; i++) {
		snprintf(digits, sizeof digits, "%016" PRIx64, s->requests[i]);
		json_array_append_new(requests, s->requests[i] ? json_string(digits) : json_null());
	}
	strbuf_addstr(out, "  {\n");
	member_add(out, "   ", "name", text_to_json(s->name), ",\n");
	member_add(out, "   ", "conditions", texts_to_json(s->condition, s->n_conditions), ",\n");
	member_add(out, "   ", "requests", requests, "\n  }");
}

static void row_add(struct strbuf *out, const struct baseline_case *c, size_t i)
{
	strbuf_addf(out, "    [%u", c->block[i]);
	for (size_t k = 0; k < COLUMN_N; k++)
		if (isfinite(c->column[k][i]))
			strbuf_addf(out, ", %.*g", BASELINE_DIGITS, c->column[k][i]);
		else
			strbuf_addstr(out, ", null");
	strbuf_addch(out, ']');
}

static void case_add(struct strbuf *out, const struct baseline *b, const struct baseline_case *c)
{
	strbuf_addstr(out, "  {\n");
	member_add(out, "   ", "scenario", text_to_json(b->scenario[c->scenario].name), ",\n");
	member_add(out, "   ", "replayer", text_to_json(c->replayer), ",\n");
	member_add(out, "   ", "settings", text_to_json(c->settings), ",\n");
	member_add(out, "   ", "verdict", text_to_json(c->verdict), ",\n");
	member_add(out, "   ", "reason", text_to_json(c->reason), ",\n");
	member_add(out, "   ", "single_reference", json_boolean(c->single_reference), ",\n");
	member_add(out, "   ", "n_failed", json_integer(c->n_failed), ",\n");
	member_add(out, "   ", "bias",
		   json_pack("[o, o, o]", number_to_json(c->bias), number_to_json(c->bias_lo95),
			     number_to_json(c->bias_hi95)),
		   ",\n");
	member_add(out, "   ", "u_c", number_to_json(c->u_c), ",\n");
	member_add(out, "   ", "u_c_df", number_to_json(c->u_c_df), ",\n");
	member_add(out, "   ", "U95", number_to_json(c->U95), ",\n");
	strbuf_addstr(out, "   \"replicates\": [\n");
	for (size_t i = 0; i < c->n; i++) {
		row_add(out, c, i);
		strbuf_addstr(out, i + 1 < c->n ? ",\n" : "\n");
	}
	strbuf_addstr(out, "   ]\n  }");
}

static void head_add(struct strbuf *out, const struct baseline *b)
{
	json_t *columns = json_pack("[s]", "block");
	for (size_t k = 0; k < COLUMN_N; k++)
		json_array_append_new(columns, json_string(baseline_columns[k]));
	member_add(out, " ", "format", json_string(BASELINE_FORMAT), ",\n");
	member_add(out, " ", "format_version", json_integer(BASELINE_VERSION), ",\n");
	member_add(out, " ", "title", text_to_json(b->title), ",\n");
	member_add(out, " ", "protocol", text_to_json(b->protocol), ",\n");
	member_add(out, " ", "protocol_hash", json_string(b->protocol_hash), ",\n");
	member_add(out, " ", "conditions", texts_to_json(b->condition, b->n_conditions), ",\n");
	member_add(out, " ", "campaign", json_string(b->campaign), ",\n");
	member_add(out, " ", "program_version", text_to_json(b->program_version), ",\n");
	member_add(out, " ", "date", text_to_json(b->date), ",\n");
	member_add(out, " ", "host", text_to_json(b->host), ",\n");
	member_add(out, " ", "complete", json_boolean(b->complete), ",\n");
	member_add(out, " ", "look", json_integer(b->look), ",\n");
	member_add(out, " ", "n_replicates", json_integer(b->n_replicates), ",\n");
	member_add(out, " ", "level_accept", number_to_json(baseline_round(b->level_accept)),
		   ",\n");
	member_add(out, " ", "level_reject", number_to_json(baseline_round(b->level_reject)),
		   ",\n");
	if (b->span > 0)
		member_add(out, " ", "span", number_to_json(baseline_round(b->span)), ",\n");
	member_add(out, " ", "limits", limits_to_json(&b->limits), ",\n");
	member_add(out, " ", "columns", columns, ",\n");
}

/* Makes integers within the value real numbers, because other writers print 2.0 as 2. */
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
	json_t *copy = json_deep_copy(file);
	integers_make_real(copy);
	char *text = json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS | JSON_REAL_PRECISION(17));
	int ret = text ? bytes_digest(text, strlen(text), hex, e)
		       : err_set(e, EINVAL, "the baseline cannot be written as JSON");
	json_decref(copy);
	free(text);
	return ret;
}

/* Adds the digest as the last member of the object that begins at `start`. */
static int seal_add(struct strbuf *out, size_t start, struct err *e)
{
	static const char end[] = "\n}\n";
	char hex[FILE_DIGEST_HEX];
	json_error_t why;
	json_t *o = json_loadb(out->s + start, out->len - start, JSON_REJECT_DUPLICATES, &why);
	int ret = o ? baseline_digest(o, hex, e)
		    : err_set(e, EINVAL, "no memory for the baseline as JSON, or: %s", why.text);
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
		scenario_add(out, &b->scenario[i]);
	}
	strbuf_addstr(out, "\n ],\n \"cases\": [");
	for (size_t i = 0; i < b->n_cells; i++) {
		strbuf_addstr(out, i ? ",\n" : "\n");
		case_add(out, b, &b->cell[i]);
	}
	strbuf_addstr(out, "\n ]\n}\n");
	return b->sealed ? seal_add(out, start, e) : 0;
}
