/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arguments of a call, by the letters of its row (strace_private.h). */

#include "capture/formats/number.h"
#include "capture/formats/strace_parsed.h"

static bool is_null(const struct part *a)
{
	return a->len >= 4 && !memcmp(a->s, "NULL", 4);
}

int strace_number(struct parsed *p, const struct part *a, bool is_signed, uint64_t *v,
		  struct err *e)
{
	const char *s = a->s, *end = s + a->len;
	int64_t i = 0;
	bool good = is_signed && *s == '-' ? scan_i64(&s, end, &i) : scan_c_u64(&s, end, v);
	if (i)
		*v = (uint64_t)i;
	if (good && s == end)
		return 0;
	return foreign_at(&p->t->base, a->s, e, "\"%.*s\" is not a number",
			  (int)(a->len < 60 ? a->len : 60), a->s);
}

static uint64_t flags(struct parsed *p, const struct part *a)
{
	bool all;
	return names_or(&p->t->names, a->s, a->len, &all);
}

static uint64_t key_value(const struct part *a, const char *key, const struct name_table *names)
{
	const char *s = memmem(a->s, a->len, key, strlen(key)), *end = a->s + a->len;
	bool all;
	if (!s)
		return 0;
	s += strlen(key);
	const bool negative = s < end && *s == '-';
	s += negative;
	const char *stop = s;
	while (stop < end && *stop != ',' && *stop != '}' && *stop != ' ')
		stop++;
	const uint64_t v = names_or(names, s, (size_t)(stop - s), &all);
	return negative ? 0 - v : v;
}

/* The buffer lengths of [{iov_base="..."..., iov_len=4096}, ...]. strace cuts long lists. */
static void buffers(struct parsed *p, const struct part *a)
{
	const char *s = a->s, *end = s + a->len;
	while (s < end && (s = memmem(s, (size_t)(end - s), "iov_len=", 8))) {
		uint64_t v;
		s += 8;
		if (!scan_u64(&s, end, &v))
			break;
		strbuf_add(&p->heap, &v, sizeof v);
		p->r.length += v;
		p->has_heap = true;
	}
}

static void at_offset(const struct part *a, uint64_t *offset)
{
	const char *s = a->s + (a->len && *a->s == '['), *end = a->s + a->len;
	uint64_t v;
	*offset = !is_null(a) && scan_u64(&s, end, &v) ? v : OFFSET_NONE;
}

static int descriptor_arg(struct parsed *p, const struct part *a, struct err *e)
{
	int64_t fd;
	struct open_file *f = NULL;
	int rc = strace_file(p, a, &fd, &f, e);
	if (rc)
		return rc;
	if (f)
		f->refs++; /* another argument may replace the file of this descriptor */
	open_file_put(p->file);
	p->file = f;
	p->r.fd = fd >= INT32_MIN && fd <= INT32_MAX ? (int32_t)fd : -1;
	if (p->file)
		p->r.object = p->file->object;
	return 0;
}

static int peer_arg(struct parsed *p, const struct part *a, struct err *e)
{
	int64_t fd = -1;
	struct open_file *f = NULL;
	int rc = strace_file(p, a, &fd, &f, e);
	p->peer.fd = fd >= INT32_MIN && fd <= INT32_MAX ? (int32_t)fd : -1;
	p->peer.object = f ? f->object : OBJECT_NONE;
	p->has_peer = true;
	return rc;
}

static int path_arg(struct parsed *p, const struct part *a, const struct part *dir, struct err *e)
{
	bool none = dir && a->len == 4 && !memcmp(a->s, "NULL", 4); /* utimensat on a descriptor */
	int rc = none ? 0 : strace_path(p, a, dir, e);
	if (rc)
		return rc;
	p->has_path = true;
	p->nameless_path |= none;
	if (p->nameless_path) /* with AT_EMPTY_PATH the call concerns the descriptor */
		return dir && dir->len && *dir->s >= '0' && *dir->s <= '9'
			   ? descriptor_arg(p, dir, e)
			   : 0;
	return foreign_object(&p->t->base, OBJECT_PATH, p->t->joined.s, p->t->joined.len,
			      &p->r.object, e);
}

static int heap_text(struct parsed *p, const struct part *a, const struct part *dir, char letter,
		     struct err *e)
{
	struct strace *t = p->t;
	int rc = letter == 'P' ? strace_path(p, a, dir, e) : 0;
	if (letter != 'P' && !strace_unquote(&t->path, a))
		rc = foreign_at(&t->base, a->s, e, "\"%.*s\" is not text",
				(int)(a->len < 60 ? a->len : 60), a->s);
	if (rc)
		return rc;
	const struct strbuf *from = letter == 'P' ? &t->joined : &t->path;
	strbuf_reset(&p->heap);
	strbuf_add(&p->heap, from->s, from->len);
	p->has_heap = true;
	return 0;
}

static int fcntl_args(struct parsed *p, unsigned int i)
{
	p->r.flags = (uint32_t)flags(p, &p->arg[i]);
	const struct part *a = &p->arg[i + 1];
	if (i + 1 >= p->n)
		return 0;
	if (*a->s != '{') {
		p->r.offset = flags(p, a);
	} else if (memmem(a->s, a->len, "l_type=", 7)) {
		const struct name_table *names = &p->t->names;
		struct op_lock lock = {(int64_t)key_value(a, "l_type=", names),
				       (int64_t)key_value(a, "l_whence=", names),
				       (int64_t)key_value(a, "l_start=", names),
				       (int64_t)key_value(a, "l_len=", names)};
		strbuf_reset(&p->heap);
		strbuf_add(&p->heap, (const char *)&lock, sizeof lock);
		p->has_heap = true;
	}
	return 0;
}

/* [{tv_sec=1, tv_nsec=2}, UTIME_OMIT]; without times both are "now". */
static void times_arg(struct parsed *p, const struct part *a)
{
	const struct name_table *names = &p->t->names;
	const char *s = a->s + 1, *end = a->s + a->len;
	int64_t t[4] = {0, UTIME_NOW, 0, UTIME_NOW};
	struct part one;
	for (int i = 0; i < 2 && *a->s == '['; i++) {
		if (!strace_next_part(&s, end, &one) ||
			(*one.s == '{' && !memmem(one.s, one.len, "tv_nsec=", 8)))
			return;
		if (*one.s == '{') {
			t[2 * i] = (int64_t)key_value(&one, "tv_sec=", names);
			t[2 * i + 1] = (int64_t)key_value(&one, "tv_nsec=", names);
		} else if (memmem(one.s, one.len, "UTIME_OMIT", 10)) {
			t[2 * i + 1] = UTIME_OMIT;
		}
	}
	strbuf_reset(&p->heap);
	strbuf_add(&p->heap, (const char *)t, sizeof t);
	p->has_heap = true;
}

static int take_arg(struct parsed *p, char letter, unsigned int i, const struct part **dir,
		    struct err *e)
{
	const struct part *a = &p->arg[i];
	uint64_t v = 0;
	int rc = 0;
	switch (letter) {
	case 'f':
		return descriptor_arg(p, a, e);
	case 'D':
	case 'd':
		*dir = a;
		return 0;
	case 'p':
		return path_arg(p, a, *dir, e);
	case 'P':
	case 'T':
	case 'N':
		return heap_text(p, a, *dir, letter, e);
	case 's':
		return strace_number(p, a, false, &p->r.length, e);
	case 'o':
		return strace_number(p, a, true, &p->r.offset, e);
	case 'B':
		return is_null(a) ? 0 : strace_number(p, a, false, &p->r.offset, e);
	case 'i':
		buffers(p, a);
		return 0;
	case 'O':
	case 'A':
	case 'w':
	case 'v':
		p->r.flags |= (uint32_t)flags(p, a);
		return 0;
	case 'H':
		p->r.flags = (uint32_t)key_value(a, "flags=", &p->t->names);
		p->r.length = key_value(a, "mode=", &p->t->names);
		return 0;
	case 'm':
	case 'a':
		p->r.length = flags(p, a);
		return 0;
	case 'n':
		p->peer = (struct op_peer){(int32_t)strace_first_fd(a->s, a->s + a->len),
					   OBJECT_NONE, OFFSET_NONE};
		p->has_peer = true;
		return rc;
	case 'X':
		return peer_arg(p, a, e);
	case '@':
		at_offset(a, &p->r.offset);
		p->has_at_offset = p->r.offset != OFFSET_NONE;
		return 0;
	case '#':
		at_offset(a, &p->peer.offset);
		return 0;
	case 'u':
	case 'g':
		rc = strace_number(p, a, true, &v, e);
		p->r.offset |= letter == 'u' ? (uint32_t)v : (uint64_t)(uint32_t)v << 32;
		return rc;
	case 't':
		times_arg(p, a);
		return 0;
	case 'c':
		return fcntl_args(p, i);
	case 'K':
		return strace_clone_args(p, e);
	case 'k':
		return strace_bind_args(p, e);
	case 'R':
		p->r.flags |= (uint32_t)(flags(p, a) & 7) << 29;
		return 0;
	case 'M':
		p->r.flags |= (uint32_t)flags(p, a) & 0x1fffffff;
		return 0;
	default:
		return 0;
	}
}

int strace_take_args(struct parsed *p, struct err *e)
{
	const struct part *dir = NULL;
	unsigned int i = 0;
	int rc = 0;
	for (const char *letter = p->call->args; *letter && !rc; letter++, i++) {
		if (i >= p->n && (strchr("mAOv_c", *letter) || (*letter == 's' && p->r.rvalue < 0)))
			return 0; /* an optional argument */
		if (i >= p->n)
			return foreign_at(&p->t->base, p->ret, e,
					  "%s has %u arguments, more are needed", p->call->name,
					  p->n);
		rc = take_arg(p, *letter, i, &dir, e);
		if (rc && p->r.rvalue < 0 && strchr("pPTN", *letter))
			rc = 0; /* an unreadable path: the call failed because of it */
	}
	return rc;
}
