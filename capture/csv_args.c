/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/csv_args.h"

#include "capture/number.h"
#include "capture/op.h"

enum arg {
	ARG_PATH,
	ARG_DEVICE,
	ARG_DESCRIPTOR,
	ARG_FD,
	ARG_OFFSET,
	ARG_LENGTH,
	ARG_MODE,
	ARG_FLAGS,
	ARG_WHENCE,
	ARG_UMASK,
	ARG_HEAP,
	ARG_N
};

static const char *const arg_names[ARG_N] = {"path", "device", "descriptor", "fd", "offset",
    "length", "mode", "flags", "whence", "umask", "heap"};

/* --- numbers ------------------------------------------------------------- */

/* `base` 16: "0x1f" or decimal; 8: octal. */
static int number_u32(const char *s, size_t len, unsigned int base, uint64_t *v)
{
	if (base == 16 && !(len > 2 && s[0] == '0' && s[1] == 'x'))
		return scan_all_u64(s, len, v) ? 0 : -EINVAL;
	size_t i = base == 16 ? 2 : 0;
	*v = 0;
	if (i == len)
		return -EINVAL;
	for (; i < len; i++) {
		if (hex_digit(s[i]) >= base)
			return -EINVAL;
		*v = *v * base + hex_digit(s[i]);
		if (*v > UINT32_MAX)
			return -ERANGE;
	}
	return 0;
}

/* --- text ---------------------------------------------------------------- */

size_t utf8_char_len(const unsigned char *s, size_t len)
{
	if (!len)
		return 0;
	if (s[0] < 0x80)
		return 1;
	size_t n = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || n > len)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

/* Includes C1 controls (U+0080 to U+009F), which terminals interpret. */
static bool is_control(const unsigned char *s, size_t n)
{
	return *s < ' ' || *s == 0x7f || (n == 2 && s[0] == 0xc2 && s[1] < 0xa0);
}

bool text_has_control(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	for (size_t left = strlen(text), n; left; s += n, left -= n) {
		n = utf8_char_len(s, left);
		if (!n || is_control(s, n))
			return true;
	}
	return false;
}

static void add_escaped(struct strbuf *out, const char *name)
{
	const unsigned char *s = (const unsigned char *)name;
	size_t left = strlen(name);
	while (left) {
		size_t n = utf8_char_len(s, left);
		bool plain = n && !is_control(s, n) && *s != '%' && *s != ';';
		if (!n)
			n = 1;
		if (plain)
			strbuf_add(out, s, n);
		for (size_t i = 0; i < n && !plain; i++)
			strbuf_addf(out, "%%%02X", s[i]);
		s += n;
		left -= n;
	}
}

static int name_unescape(struct strbuf *out, const char *s, size_t len, struct err *e)
{
	strbuf_reset(out);
	for (size_t i = 0; i < len; i++) {
		char c = s[i];
		if (c == '%') {
			if (i + 2 >= len || !hex_read(&c, s + i + 1, 1))
				return err_set(e, EINVAL,
					       "%% is not followed by two hexadecimal digits");
			i += 2;
		}
		if (!c)
			return err_set(e, EINVAL, "a name contains a NUL byte");
		strbuf_addch(out, c);
	}
	return 0;
}

static int heap_decode(struct strbuf *out, const char *s, size_t len, struct err *e)
{
	strbuf_reset(out);
	if (len % 2)
		return err_set(e, EINVAL, "the argument \"heap\" has an odd number of "
			       "hexadecimal digits");
	strbuf_add(out, s, len / 2); /* the place of the bytes */
	if (!hex_read(out->s, s, len / 2))
		return err_set(e, EINVAL, "the argument \"heap\" contains a character that is not "
			       "a hexadecimal digit");
	return 0;
}

/* --- defaults ------------------------------------------------------------ */

static int32_t default_fd(const struct trace_record *r, unsigned int uses)
{
	return (uses & OP_RETURNS_FD) && r->rvalue >= 0 && r->rvalue <= INT32_MAX
		   ? (int32_t)r->rvalue
		   : -1;
}

static uint64_t default_offset(unsigned int uses)
{
	return uses & OP_KNOWS_OFFSET ? OFFSET_NONE : 0;
}

/* --- writing ------------------------------------------------------------- */

static void add_name(struct strbuf *out, size_t start, enum arg a)
{
	if (out->len > start)
		strbuf_addch(out, ';');
	strbuf_addstr(out, arg_names[a]);
	strbuf_addch(out, '=');
}

static void add_number(struct strbuf *out, size_t start, enum arg a, const char *format,
		       unsigned long long v)
{
	char text[32];
	int len = snprintf(text, sizeof text, format, v);
	add_name(out, start, a);
	strbuf_add(out, text, (size_t)len);
}

static void add_decimal(struct strbuf *out, size_t start, enum arg a, bool negative, uint64_t v)
{
	char text[24], *p = text + sizeof text;
	if (negative)
		v = 0 - v;
	do
		*--p = (char)('0' + v % 10);
	while (v /= 10);
	if (negative)
		*--p = '-';
	add_name(out, start, a);
	strbuf_add(out, p, (size_t)(text + sizeof text - p));
}

static void add_offset(struct strbuf *out, size_t start, const struct trace_record *r,
		       unsigned int uses)
{
	if (uses & OP_OFFSET_SIGNED) {
		add_decimal(out, start, ARG_OFFSET, (int64_t)r->offset < 0, r->offset);
	} else if (r->offset != default_offset(uses) || (uses & OP_HAS_OFFSET)) {
		if (r->offset == OFFSET_NONE) {
			add_name(out, start, ARG_OFFSET);
			strbuf_addstr(out, "none");
		} else {
			add_decimal(out, start, ARG_OFFSET, false, r->offset);
		}
	}
}

void csv_args_write(struct strbuf *out, const struct trace_record *r,
		    const struct trace_object *object, const void *heap, size_t heap_len)
{
	unsigned int uses = op_info(r->op)->uses;
	size_t start = out->len;
	if (object) {
		add_name(out, start,
			 object->kind == OBJECT_PATH     ? ARG_PATH
			 : object->kind == OBJECT_DEVICE ? ARG_DEVICE
							 : ARG_DESCRIPTOR);
		add_escaped(out, object->name);
	}
	if (r->fd != default_fd(r, uses) || ((uses & OP_HAS_FD) && !object))
		add_decimal(out, start, ARG_FD, r->fd < 0, (uint64_t)r->fd);
	add_offset(out, start, r, uses);
	const uint32_t umask = (uint32_t)r->length >> OP_UMASK_SHIFT & 0777;
	const bool known =
	    op_makes_file(r->op, r->flags) && r->length == op_mode_under(r->op, r->length, umask);
	if (known) {
		add_number(out, start, ARG_MODE, "%04llo", r->length & OP_MODE_BITS);
	} else if (uses & OP_HAS_MODE) {
		if (r->length > UINT32_MAX) /* not a valid mode, but it must survive a round trip */
			add_decimal(out, start, ARG_LENGTH, false, r->length);
		else if (r->length)
			add_number(out, start, ARG_MODE, "%04llo", r->length);
	} else if (r->length || (uses & OP_HAS_LENGTH)) {
		add_decimal(out, start, ARG_LENGTH, false, r->length);
	}
	if (r->op == OP_LSEEK)
		add_number(out, start, ARG_WHENCE, "%llu", r->flags);
	else if (r->flags || (uses & OP_HAS_FLAGS))
		add_number(out, start, ARG_FLAGS, "0x%llx", r->flags);
	if (known)
		add_number(out, start, ARG_UMASK, "%04llo", umask);
	if (heap) {
		const unsigned char *h = heap;
		add_name(out, start, ARG_HEAP);
		for (size_t i = 0; i < heap_len; i++) {
			strbuf_addch(out, "0123456789abcdef"[h[i] >> 4]);
			strbuf_addch(out, "0123456789abcdef"[h[i] & 15]);
		}
	}
}

/* --- reading ------------------------------------------------------------- */

static int bad_value(enum arg a, const char *s, size_t len, const char *wanted, struct err *e)
{
	return err_set(e, EINVAL, "argument %s: \"%.*s\" is not %s (a semicolon separates "
		       "arguments)", arg_names[a], (int)(len < 60 ? len : 60), s, wanted);
}

static int set_number(enum arg a, const char *s, size_t len, struct trace_record *r, struct err *e)
{
	unsigned int uses = op_info(r->op)->uses;
	uint64_t u = 0;
	int64_t i = 0;
	switch (a) {
	case ARG_FD:
		if (!scan_all_i64(s, len, &i) || i < INT32_MIN || i > INT32_MAX)
			return bad_value(a, s, len, "a descriptor number", e);
		r->fd = (int32_t)i;
		return 0;
	case ARG_OFFSET:
		if (len == 4 && !memcmp(s, "none", 4)) {
			r->offset = OFFSET_NONE;
			return 0;
		}
		if (!(uses & OP_OFFSET_SIGNED ? scan_all_i64(s, len, &i)
					      : scan_all_u64(s, len, &u)))
			return bad_value(a, s, len, "a number of bytes", e);
		r->offset = uses & OP_OFFSET_SIGNED ? (uint64_t)i : u;
		return 0;
	case ARG_LENGTH:
		if (!scan_all_u64(s, len, &u))
			return bad_value(a, s, len, "a number of bytes", e);
		r->length = u;
		return 0;
	case ARG_MODE:
		if (number_u32(s, len, 8, &u))
			return bad_value(a, s, len, "an octal number", e);
		r->length |= u;
		return 0;
	case ARG_UMASK:
		if (number_u32(s, len, 8, &u) || u > 0777)
			return bad_value(a, s, len, "an octal number of three digits", e);
		r->length |= OP_UMASK_KNOWN | u << OP_UMASK_SHIFT;
		return 0;
	default: /* flags and whence */
		if (number_u32(s, len, 16, &u) || u > UINT32_MAX)
			return bad_value(a, s, len, "a number from 0 to 0xffffffff", e);
		r->flags = (uint32_t)u;
		return 0;
	}
}

/* `plain`: the value has no escapes. */
static int set_arg(enum arg a, const char *s, size_t len, bool plain, struct trace_record *r,
		   struct csv_args *args, struct err *e)
{
	switch (a) {
	case ARG_PATH:
	case ARG_DEVICE:
	case ARG_DESCRIPTOR:
		if (args->object_kind)
			return err_set(e, EINVAL, "more than one of the arguments path, device and "
						  "descriptor is given");
		args->object_kind = a == ARG_PATH     ? OBJECT_PATH
				    : a == ARG_DEVICE ? OBJECT_DEVICE
						      : OBJECT_FD;
		int ret = plain ? 0 : name_unescape(&args->unescaped, s, len, e);
		args->object_name = plain ? s : args->unescaped.s;
		args->object_name_len = plain ? len : args->unescaped.len;
		return ret;
	case ARG_HEAP:
		args->has_heap = true;
		return heap_decode(&args->heap, s, len, e);
	default:
		return set_number(a, s, len, r, e);
	}
}

/* Checks that all arguments without a default are given. */
static int check_given(unsigned int given, const struct trace_record *r, struct err *e)
{
	unsigned int uses = op_info(r->op)->uses;
	const unsigned int object = 1u << ARG_PATH | 1u << ARG_DEVICE | 1u << ARG_DESCRIPTOR;
	const char *missing = (uses & OP_HAS_PATH) && !(given & object) ? "path"
			      : (uses & OP_HAS_FD) && !(given & (object | 1u << ARG_FD))
				  ? "fd= or path"
			      : (uses & OP_HAS_OFFSET) && !(given & 1u << ARG_OFFSET) ? "offset"
			      : (uses & OP_HAS_LENGTH) && !(given & 1u << ARG_LENGTH) ? "length"
			      : r->op == OP_LSEEK && !(given & 1u << ARG_WHENCE)      ? "whence"
										      : NULL;
	return missing ? err_set(e, EINVAL, "operation %s needs the argument %s=", op_name(r->op),
				 missing)
		       : 0;
}

static enum arg arg_find(const char *s, size_t len)
{
	enum arg a = 0;
	while (a < ARG_N && (strlen(arg_names[a]) != len || memcmp(s, arg_names[a], len)))
		a++;
	return a;
}

static int no_such_arg(const char *s, const char *equal, const char *end, struct err *e)
{
	const char *stop = memchr(s, ';', (size_t)(end - s));
	stop = stop ? stop : end;
	equal = memchr(equal, '=', (size_t)(stop - equal));
	if (!equal)
		return err_set(e, EINVAL, "\"%.*s\" is not of the form name=value",
			       (int)(stop - s < 60 ? stop - s : 60), s);
	return err_set(e, EINVAL, "argument \"%.*s\" is unknown",
		       (int)(equal - s < 60 ? equal - s : 60), s);
}

int csv_args_read(const char *text, size_t len, struct trace_record *r, struct csv_args *args,
		  struct err *e)
{
	unsigned int given = 0, uses = op_info(r->op)->uses;
	const char *s = text, *end = text + len;
	args->object_kind = 0;
	args->has_heap = false;
	r->fd = default_fd(r, uses);
	r->offset = default_offset(uses);
	r->length = 0;
	r->flags = 0;
	while (s < end) {
		const char *equal = s;
		while (equal < end && *equal != '=' && *equal != ';')
			equal++;
		enum arg a =
		    equal < end && *equal == '=' ? arg_find(s, (size_t)(equal - s)) : ARG_N;
		if (a == ARG_N)
			return no_such_arg(s, equal, end, e);
		if (given & 1u << a)
			return err_set(e, EINVAL, "argument \"%s\" is given twice", arg_names[a]);
		given |= 1u << a;
		const char *stop = equal + 1;
		bool plain = true; /* no escapes and no NUL (a NUL is an error) */
		for (; stop < end && *stop != ';'; stop++)
			plain &= *stop && *stop != '%';
		int ret = set_arg(a, equal + 1, (size_t)(stop - equal - 1), plain, r, args, e);
		if (ret)
			return ret;
		s = stop + (stop < end);
	}
	return check_given(given, r, e);
}
