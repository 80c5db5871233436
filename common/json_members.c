/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/json_members.h"

#include "common/text.h"

#define HASH_DIGITS 16

static void *field_at(const void *base, size_t offset)
{
	return (char *)base + offset;
}

static size_t size_of(const struct json_member *m)
{
	return m->size		       ? m->size
	       : m->kind == MEMBER_WHOLE ? sizeof(uint32_t)
	       : m->kind == MEMBER_BOOL  ? sizeof(bool)
					 : sizeof(uint64_t); /* also of a pointer */
}

/* --- reading ------------------------------------------------------------- */

static int member_refuse(const struct json_member *m, const json_t *value, const char *wanted,
			 struct err *e)
{
	return err_set(e, EINVAL, "\"%s\" %s %s", m->name,
		       value ? "is not" : "is missing: it must be", wanted);
}

static int integer_get(void *field, const struct json_member *m, const json_t *value, struct err *e)
{
	const json_int_t least = m->kind == MEMBER_INTEGER ? INT64_MIN : 0,
			 most = m->kind == MEMBER_WHOLE ? UINT32_MAX : INT64_MAX;
	const json_int_t x = json_integer_value(value);
	if (!json_is_integer(value) || x < least || x > most)
		return member_refuse(m, value,
				     least ? "a whole number" : "a whole number of 0 or more", e);
	if (m->kind == MEMBER_WHOLE)
		*(uint32_t *)field = (uint32_t)x;
	else
		*(int64_t *)field = x;
	return 0;
}

static int real_get(double *field, const struct json_member *m, const json_t *value, struct err *e)
{
	*field = json_number_value(value);
	if (!json_is_number(value) || !isfinite(*field))
		return member_refuse(m, value, m->nullable ? "a number or null" : "a number", e);
	if (*field < 0 && (m->kind == MEMBER_POSITIVE || m->kind == MEMBER_RATIO))
		return member_refuse(m, value, "a number of 0 or more", e);
	return *field > 1 && m->kind == MEMBER_RATIO
		   ? member_refuse(m, value, "a number between 0 and 1", e)
		   : 0;
}

static int text_get(void *field, const struct json_member *m, const json_t *value, struct err *e)
{
	const char *text = json_string_value(value);
	const size_t len = text ? strlen(text) : 0,
		     n_digits = m->kind == MEMBER_HASH ? HASH_DIGITS : m->size - 1;
	const bool digits = len == n_digits && strspn(text, "0123456789abcdef") == len;
	if (!text)
		return member_refuse(m, value, "a string", e);
	if (m->kind == MEMBER_TEXT && (!len || len >= m->size))
		return err_set(e, EINVAL, "\"%s\" is not a string of 1 to %zu bytes", m->name,
			       m->size - 1);
	if ((m->kind == MEMBER_HASH || m->kind == MEMBER_DIGITS) && !digits)
		return err_set(e, EINVAL, "\"%s\" is not %zu hexadecimal digits", m->name,
			       n_digits);
	if (m->kind == MEMBER_STRING) {
		*(char **)field = xstrdup(text);
		text_make_line(*(char **)field);
	} else if (m->kind == MEMBER_HASH) {
		*(uint64_t *)field = strtoull(text, NULL, 16);
	} else {
		strcpy(field, text);
	}
	return 0;
}

static void null_get(void *field, const struct json_member *m)
{
	if (m->kind == MEMBER_STRING)
		*(char **)field = NULL;
	else if (m->kind == MEMBER_HASH || m->kind == MEMBER_COUNT)
		*(uint64_t *)field = m->kind == MEMBER_HASH ? 0 : UINT64_MAX;
	else
		*(double *)field = NAN;
}

static int members_get(void *base, const struct json_member *m, const json_t *o, void *outermost,
		       struct err *e);

static int value_get(void *field, const struct json_member *m, const json_t *value, void *outermost,
		     struct err *e)
{
	if (m->nullable && json_is_null(value)) {
		null_get(field, m);
		return 0;
	}
	switch (m->kind) {
	case MEMBER_OBJECT:
		if (!json_is_object(value))
			return member_refuse(m, value, "an object", e);
		if (members_get(field, m->of, value, outermost, e))
			return m->n ? -EINVAL : err_context(e, "%s", m->name);
		return 0;
	case MEMBER_OTHER:
		return m->get ? m->get(field, value, outermost, e) : 0;
	case MEMBER_BOOL:
		*(bool *)field = json_is_true(value);
		return json_is_boolean(value) ? 0 : member_refuse(m, value, "true or false", e);
	case MEMBER_HASH:
	case MEMBER_TEXT:
	case MEMBER_DIGITS:
	case MEMBER_STRING:
		return text_get(field, m, value, e);
	case MEMBER_REAL:
	case MEMBER_POSITIVE:
	case MEMBER_RATIO:
		return real_get(field, m, value, e);
	default:
		return integer_get(field, m, value, e);
	}
}

static int array_get(void *base, const struct json_member *m, const json_t *value, void *outermost,
		     struct err *e)
{
	const size_t n = json_array_size(value), size = size_of(m);
	uint64_t *length = m->length_at ? field_at(base, m->length_at - 1) : NULL;
	const size_t exactly = length && m->known ? (size_t)*length : m->n;
	void *field = field_at(base, m->offset);
	if (!json_is_array(value) ||
	    (length && !m->known ? n > m->n || (!n && !m->may_be_empty) : n != exactly))
		return exactly == SIZE_MAX
			   ? member_refuse(m, value, "an array", e)
			   : err_set(e, EINVAL, "\"%s\" is not an array of %s%zu elements",
				     m->name, length && !m->known ? "up to " : "", exactly);
	if (m->allocated)
		field = *(void **)field = xcalloc(n + 1, size);
	if (length)
		*length = n;
	for (size_t i = 0; i < n; i++)
		if (value_get(field_at(field, i * size), m, json_array_get(value, i), outermost, e))
			return err_context(e, "%s[%zu]", m->name, i);
	return 0;
}

static int member_get(void *base, const struct json_member *m, const json_t *o, void *outermost,
		      struct err *e)
{
	const bool group = m->kind == MEMBER_GROUP;
	const struct json_member *named = group ? &m->of[m->key] : m;
	const json_t *value = json_object_get(o, named->name);
	if (!value && named->old_name)
		value = json_object_get(o, named->old_name);
	bool *flag = m->flag_at ? field_at(outermost, m->flag_at - 1) : NULL;
	if (flag && !m->known)
		*flag = value;
	if (flag ? !*flag : !value && (m->if_set || m->may_be_absent))
		return 0;
	void *field = field_at(base, m->offset);
	if (group)
		return members_get(base, m->of, o, outermost, e);
	if (m->n)
		return array_get(base, m, value, outermost, e);
	if (m->allocated)
		field = *(void **)field = xcalloc(1, m->size);
	return value_get(field, m, value, outermost, e);
}

static int members_get(void *base, const struct json_member *m, const json_t *o, void *outermost,
		       struct err *e)
{
	int ret = 0;
	for (; (m->name || m->kind == MEMBER_GROUP) && !ret; m++)
		ret = member_get(base, m, o, outermost, e);
	return ret;
}

int json_members_get(void *s, const struct json_member *table, const json_t *o, struct err *e)
{
	return members_get(s, table, o, s, e);
}

/* --- writing ------------------------------------------------------------- */

static int members_put(json_t *o, const void *base, const struct json_member *m,
		       const void *outermost);

static json_t *value_put(const void *field, const struct json_member *m, const void *outermost)
{
	char digits[HASH_DIGITS + 1];
	json_t *o;
	switch (m->kind) {
	case MEMBER_OBJECT:
		o = json_object();
		if (!members_put(o, field, m->of, outermost))
			return o;
		json_decref(o);
		return NULL;
	case MEMBER_OTHER:
		return m->put(field, outermost);
	case MEMBER_BOOL:
		return json_boolean(*(const bool *)field);
	case MEMBER_HASH:
		snprintf(digits, sizeof digits, "%016" PRIx64, *(const uint64_t *)field);
		return m->nullable && !*(const uint64_t *)field ? json_null() : json_string(digits);
	case MEMBER_TEXT:
	case MEMBER_DIGITS:
		return json_string(field);
	case MEMBER_STRING:
		return text_to_json(*(char *const *)field);
	case MEMBER_REAL:
	case MEMBER_POSITIVE:
	case MEMBER_RATIO:
		return m->nullable && !isfinite(*(const double *)field)
			   ? json_null()
			   : json_real(*(const double *)field);
	case MEMBER_WHOLE:
		return json_integer(*(const uint32_t *)field);
	default:
		return m->nullable && *(const uint64_t *)field == UINT64_MAX
			   ? json_null()
			   : json_integer(*(const int64_t *)field);
	}
}

static bool is_set(const void *base, const struct json_member *m)
{
	const void *field = field_at(base, m->offset);
	if (m->kind == MEMBER_GROUP)
		return is_set(base, &m->of[m->key]);
	if (m->length_at)
		return *(const uint64_t *)field_at(base, m->length_at - 1) > 0;
	if (m->allocated)
		return *(void *const *)field;
	switch (m->kind) {
	case MEMBER_OBJECT:
		return is_set(field, m->of);
	case MEMBER_TEXT:
	case MEMBER_DIGITS:
		return *(const char *)field;
	case MEMBER_STRING:
		return *(char *const *)field;
	case MEMBER_BOOL:
		return *(const bool *)field;
	case MEMBER_HASH:
		return *(const uint64_t *)field;
	case MEMBER_WHOLE:
		return *(const uint32_t *)field > 0;
	case MEMBER_RATIO:
		return isfinite(*(const double *)field);
	case MEMBER_REAL:
	case MEMBER_POSITIVE:
		return *(const double *)field > 0;
	default:
		return *(const int64_t *)field > 0;
	}
}

static int member_put(json_t *o, const void *base, const struct json_member *m,
		      const void *outermost)
{
	const void *field = field_at(base, m->offset);
	const bool *flag = m->flag_at ? field_at(outermost, m->flag_at - 1) : NULL;
	if (flag ? !*flag : m->if_set && !is_set(base, m))
		return 0;
	if (m->kind == MEMBER_OTHER && !m->put)
		return 0;
	if (m->kind == MEMBER_GROUP)
		return members_put(o, base, m->of, outermost);
	if (m->allocated)
		field = *(const void *const *)field;
	if (!m->n)
		return json_object_set_new(o, m->name, value_put(field, m, outermost));
	json_t *array = json_array();
	const size_t n = m->length_at ? *(const uint64_t *)field_at(base, m->length_at - 1) : m->n;
	int ret = json_object_set_new(o, m->name, array);
	for (size_t i = 0; i < n && !ret; i++)
		ret = json_array_append_new(
		    array, value_put(field_at(field, i * size_of(m)), m, outermost));
	return ret;
}

static int members_put(json_t *o, const void *base, const struct json_member *m,
		       const void *outermost)
{
	int ret = 0;
	for (; m->name || m->kind == MEMBER_GROUP; m++)
		ret |= member_put(o, base, m, outermost);
	return ret;
}

int json_members_put(json_t *o, const void *s, const struct json_member *table)
{
	return members_put(o, s, table, s);
}
