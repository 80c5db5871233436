/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/units.h"

static const char blanks[] = " \t\r\n";

/* The text without leading and trailing blanks. */
static const char *text_trim(const char *text, size_t *len)
{
	text += strspn(text, blanks);
	*len = strlen(text);
	while (*len && strchr(blanks, text[*len - 1]))
		(*len)--;
	return text;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* --- whole numbers with units -------------------------------------------- */

struct units_unit {
	const char *name;
	uint64_t factor;
};

static const struct units_unit size_units[] = {
	{"", 1},
	{"B", 1},
	{"K", 1ull << 10},
	{"k", 1ull << 10},
	{"KiB", 1ull << 10},
	{"kB", 1000},
	{"KB", 1000},
	{"M", 1ull << 20},
	{"MiB", 1ull << 20},
	{"MB", 1000000},
	{"G", 1ull << 30},
	{"GiB", 1ull << 30},
	{"GB", 1000000000},
	{"T", 1ull << 40},
	{"TiB", 1ull << 40},
	{"TB", 1000000000000},
	{NULL, 0},
};

static const struct units_unit duration_units[] = {
	{"ns", 1},
	{"us", 1000},
	{"\xc2\xb5s", 1000}, /* micro sign */
	{"\xce\xbcs", 1000}, /* Greek mu */
	{"ms", 1000000},
	{"s", 1000000000},
	{"min", 60000000000},
	{"h", 3600000000000},
	{"d", 86400000000000},
	{NULL, 0},
};

static const struct units_unit *unit_find(const struct units_unit *units, const char *name,
					  size_t len)
{
	for (const struct units_unit *u = units; u->name; u++)
		if (strlen(u->name) == len && !memcmp(u->name, name, len))
			return u;
	return NULL;
}

/* A decimal number without rounding: value = digits / 10^n_fraction. */
struct decimal {
	uint64_t digits;
	int n_fraction;
	bool too_large;
};

/* Returns the text after the number. NULL: the text does not begin with a number. */
static const char *decimal_scan(const char *p, const char *end, struct decimal *d)
{
	*d = (struct decimal){0, 0, false};
	bool any = false, fraction = false;
	for (; p < end; p++) {
		if (*p == '.' && !fraction) {
			fraction = true;
			continue;
		}
		if (!is_digit(*p))
			break;
		any = true;
		if (d->too_large || __builtin_mul_overflow(d->digits, 10, &d->digits) ||
		    __builtin_add_overflow(d->digits, *p - '0', &d->digits))
			d->too_large = true;
		d->n_fraction += fraction;
	}
	return any ? p : NULL;
}

/* Returns NULL, or the reason for ERANGE: the product must be a whole number of at most `max`. */
static const char *decimal_scale(const struct decimal *d, uint64_t factor, uint64_t max,
				 uint64_t *value)
{
	if (d->too_large)
		return "too large, or has too many digits";
	unsigned __int128 v = (unsigned __int128)d->digits * factor;
	for (int i = 0; i < d->n_fraction; i++) {
		if (v % 10)
			return "not a whole number of the smallest unit";
		v /= 10;
	}
	if (v > max)
		return "too large";
	*value = (uint64_t)v;
	return NULL;
}

/* Parses a number with a unit; `what` names the smallest unit. `bare`: any number may have no unit;
 * otherwise only 0. */
static int quantity_parse(const char *text, const char *expected, const struct units_unit *units,
			  bool bare, const char *what, uint64_t max, uint64_t *value, struct err *e)
{
	size_t len;
	const char *t = text_trim(text, &len), *end = t + len;
	struct decimal d;
	const char *p = decimal_scan(t, end, &d);
	if (!p)
		return err_set(e, EINVAL, "\"%s\" is not %s", text, expected);
	p += strspn(p, blanks);
	const bool has_unit = p < end;
	if (!has_unit && !bare && (d.digits || d.too_large))
		return err_set(e, EINVAL, "\"%s\" has no unit: expected %s", text, expected);
	const struct units_unit *u = has_unit ? unit_find(units, p, (size_t)(end - p)) : &units[0];
	if (!u)
		return err_set(e, EINVAL, "\"%s\" is not %s: unknown unit \"%.*s\"", text, expected,
			       (int)(end - p), p);
	const char *why = decimal_scale(&d, u->factor, max, value);
	return why ? err_set(e, ERANGE, "\"%s\" is %s (%s)", text, why, what) : 0;
}

int parse_size(const char *text, uint64_t *bytes, struct err *e)
{
	return quantity_parse(text, "a size such as 4096, 4K, 1.5MiB or 10GB", size_units, true,
			      "bytes", UINT64_MAX, bytes, e);
}

/* leaves room, so that sums of some durations do not overflow */
#define DURATION_MAX_NS (INT64_MAX / 4)

int parse_duration(const char *text, int64_t *ns, struct err *e)
{
	uint64_t value;
	int ret = quantity_parse(text, "a duration such as 10us, 1.5ms, 200ms, 2s, 5min or 1h",
				 duration_units, false, "nanoseconds", DURATION_MAX_NS, &value, e);
	if (!ret)
		*ns = (int64_t)value;
	return ret;
}

int parse_uint(const char *text, uint64_t *value, struct err *e)
{
	size_t len;
	const char *t = text_trim(text, &len), *end = t + len;
	struct decimal d;
	const char *p = decimal_scan(t, end, &d);
	if (!p || p != end || memchr(t, '.', len))
		return err_set(e, EINVAL, "\"%s\" is not a whole number of 0 or more", text);
	if (d.too_large)
		return err_set(e, ERANGE, "\"%s\" is too large", text);
	*value = d.digits;
	return 0;
}

int parse_int(const char *text, int64_t *value, struct err *e)
{
	size_t len;
	const char *t = text_trim(text, &len), *end = t + len;
	bool negative = len && *t == '-';
	const char *start = t + (len && (*t == '-' || *t == '+'));
	struct decimal d;
	const char *p = decimal_scan(start, end, &d);
	if (!p || p != end || memchr(t, '.', len))
		return err_set(e, EINVAL, "\"%s\" is not a whole number", text);
	if (d.too_large || d.digits > (uint64_t)INT64_MAX + negative)
		return err_set(e, ERANGE, "\"%s\" is too %s", text, negative ? "small" : "large");
	*value = negative ? (int64_t)(0 - d.digits) : (int64_t)d.digits;
	return 0;
}

/* --- real numbers -------------------------------------------------------- */

/* Accepts decimal notation only, not "nan", "inf" or hexadecimal as strtod() does. */
static int real_scan(const char *t, size_t len, double *value)
{
	char buf[64];
	if (!len || len >= sizeof buf || strspn(t, "0123456789+-.eE") < len)
		return -EINVAL;
	memcpy(buf, t, len);
	buf[len] = 0;
	char *end;
	double v = strtod(buf, &end);
	if (*end)
		return -EINVAL;
	if (!isfinite(v))
		return -ERANGE;
	*value = v;
	return 0;
}

int parse_double(const char *text, double *value, struct err *e)
{
	size_t len;
	const char *t = text_trim(text, &len);
	int ret = real_scan(t, len, value);
	if (ret == -ERANGE)
		return err_set(e, ERANGE, "\"%s\" is too large", text);
	return ret ? err_set(e, EINVAL, "\"%s\" is not a number", text) : 0;
}

int parse_ratio(const char *text, double *ratio, struct err *e)
{
	size_t len;
	const char *t = text_trim(text, &len);
	bool percent = len && t[len - 1] == '%';
	if (percent) {
		len--;
		while (len && strchr(blanks, t[len - 1]))
			len--;
	}
	double v;
	int ret = real_scan(t, len, &v);
	if (ret == -ERANGE)
		return err_set(e, ERANGE, "\"%s\" is too large", text);
	if (ret)
		return err_set(e, EINVAL, "\"%s\" is not a ratio such as 10%% or 0.1", text);
	*ratio = percent ? v / 100 : v;
	return 0;
}

int parse_bool(const char *text, int *value, struct err *e)
{
	static const char *const words[] = {"no", "yes", "false", "true", "off", "on", "0", "1"};
	size_t len;
	const char *t = text_trim(text, &len);
	for (int i = 0; i < 8; i++) {
		if (strlen(words[i]) == len && !memcmp(words[i], t, len)) {
			*value = i & 1;
			return 0;
		}
	}
	return err_set(e, EINVAL, "\"%s\" is neither yes nor no", text);
}

/* --- printing ------------------------------------------------------------ */

/* Appends three significant digits without trailing zeros; whole numbers from 100 on. */
static void short_add(struct short_text *t, double v, const char *unit)
{
	size_t len = strlen(t->s);
	snprintf(t->s + len, sizeof t->s - len, "%.*f", v < 10 ? 2 : v < 100 ? 1 : 0, v);
	if (strchr(t->s, '.')) {
		len = strlen(t->s);
		while (t->s[len - 1] == '0')
			t->s[--len] = 0;
		if (t->s[len - 1] == '.')
			t->s[--len] = 0;
	}
	len = strlen(t->s);
	snprintf(t->s + len, sizeof t->s - len, " %s", unit);
}

struct short_text count_text(uint64_t n)
{
	struct short_text t;
	char digits[24], *to = t.s;
	int len = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = 0;
	return t;
}

struct short_text size_text(uint64_t bytes)
{
	static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	struct short_text t = {""};
	double v = (double)bytes;
	size_t i = 0;
	while (i < 6 && v >= 1023.5) {
		v /= 1024;
		i++;
	}
	short_add(&t, v, names[i]);
	return t;
}

struct short_text duration_text(double ns)
{
	static const char *const names[] = {"ns", "us", "ms", "s"};
	struct short_text t = {""};
	const char *sign = ns < 0 ? "-" : "";
	double v = fabs(ns), s = round(v / 1e9);
	if (!isfinite(ns)) {
		snprintf(t.s, sizeof t.s, "%s s", isnan(ns) ? "nan" : ns > 0 ? "inf" : "-inf");
	} else if (s >= 7200) {
		double minutes = floor(fmod(s, 3600) / 60);
		snprintf(t.s, sizeof t.s, "%s%.0f h %.0f min", sign, floor(s / 3600), minutes);
	} else if (v >= 119.5e9) {
		snprintf(t.s, sizeof t.s, "%s%.0f min %.0f s", sign, floor(s / 60), fmod(s, 60));
	} else {
		size_t i = 0;
		snprintf(t.s, sizeof t.s, "%s", sign);
		for (; i < 3 && v >= 999.5; i++)
			v /= 1000;
		short_add(&t, v, names[i]);
	}
	return t;
}

void format_count(struct strbuf *out, uint64_t n)
{
	strbuf_addstr(out, count_text(n).s);
}

void format_size(struct strbuf *out, uint64_t bytes)
{
	strbuf_addstr(out, size_text(bytes).s);
}

void format_duration(struct strbuf *out, double ns)
{
	strbuf_addstr(out, duration_text(ns).s);
}

/* --- nearest name -------------------------------------------------------- */

#define NAME_MAX_LEN 63

static char char_fold(char c)
{
	if (c >= 'A' && c <= 'Z')
		return (char)(c - 'A' + 'a');
	return c == '_' ? '-' : c;
}

static size_t least_of_three(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;
	return m < c ? m : c;
}

/* Edit distance. A swap of adjacent letters counts as one edit (optimal string alignment). */
static size_t edit_distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][NAME_MAX_LEN + 2];
	size_t *before = rows[0], *last = rows[1], *now = rows[2];
	for (size_t j = 0; j <= nb; j++)
		last[j] = j;
	for (size_t i = 1; i <= na; i++) {
		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			bool same = char_fold(a[i - 1]) == char_fold(b[j - 1]);
			now[j] = least_of_three(last[j] + 1, now[j - 1] + 1, last[j - 1] + !same);
			if (i > 1 && j > 1 && char_fold(a[i - 1]) == char_fold(b[j - 2]) &&
			    char_fold(a[i - 2]) == char_fold(b[j - 1]) &&
			    before[j - 2] + 1 < now[j])
				now[j] = before[j - 2] + 1;
		}
		size_t *free_row = before;
		before = last;
		last = now;
		now = free_row;
	}
	return last[nb];
}

const char *nearest_name(const char *word, const char *const *names)
{
	size_t len = strlen(word), best = SIZE_MAX;
	const char *found = NULL;
	if (!len || len > NAME_MAX_LEN)
		return NULL;
	for (; *names; names++) {
		size_t name_len = strlen(*names);
		if (name_len > NAME_MAX_LEN)
			continue;
		size_t d = edit_distance(word, len, *names, name_len);
		/* an abbreviation counts as one typing error */
		if (len >= 2 && len < name_len && !strncasecmp(word, *names, len) && d > 1)
			d = 1;
		size_t longer = len > name_len ? len : name_len;
		if (d < best && d <= (longer + 2) / 3 && d < longer) {
			best = d;
			found = *names;
		}
	}
	return found;
}

bool word_in(const char *word, const char *const *list)
{
	while (list && *list && strcmp(*list, word))
		list++;
	return list && *list;
}

int name_refuse(struct err *e, int code, const char *name, const char *const *names,
		const char *otherwise, const char *fmt, ...)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	const char *near = nearest_name(name, names);
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	for (size_t k = 0; !near && !otherwise && names[k]; k++)
		strbuf_addf(&text, "%s%s", k ? ", " : ": expected ", names[k]);
	return near ? err_set(e, code, "%s (did you mean \"%s\"?)", text.s, near)
		    : err_set(e, code, "%s%s", text.s, otherwise ? otherwise : "");
}

const char **names_of(const void *table)
{
	const char **names = NULL;
	size_t n = 0, cap = 0;
	const char *const *entry;
	for (const char *at = table;; at += sizeof entry) {
		memcpy(&entry, at, sizeof entry);
		APPEND(names, n, cap, entry ? *entry : NULL);
		if (!names[n - 1])
			return names;
	}
}
