/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a call's descriptors and paths are names of. */
#include <string.h>

#include "capture/app/app_private.h"
#include "capture/formats/number.h"
#include "capture/formats/strace_parsed.h"
#include "common/xalloc.h"

int strace_object(struct strace *t, const struct part *d, uint32_t *id, struct err *e)
{
	struct strbuf *b = &t->joined;
	strbuf_reset(b);
	strbuf_addch(b, '"');
	strbuf_add(b, d->s, d->len);
	strbuf_addch(b, '"');
	if (d->len > 10 && !memcmp(d->s + d->len - 10, " (deleted)", 10))
		b->s[b->len - 11] = '"';
	struct part p = {b->s, b->len};
	if (!strace_unquote(&t->path, &p))
		return foreign_at(&t->base, d->s, e, "\"%.*s\" is no name", (int)(d->len < 60 ? d->len : 60), d->s);
	bool is_path = t->path.s[0] == '/';
	size_t skip = is_path && t->path.len > 1;
	return foreign_object(&t->base, is_path ? OBJECT_PATH : OBJECT_FD, t->path.s + skip, t->path.len - skip, id, e);
}

uint64_t strace_decoration_hash(const struct part *d)
{
	uint64_t h = 0xcbf29ce484222325u, v;
	size_t i = 0;
	for (; i + 8 <= d->len; i += 8) {
		memcpy(&v, d->s + i, 8);
		h = (h ^ v) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29;
	}
	for (; i < d->len; i++)
		h = (h ^ (unsigned char)d->s[i]) * 0x100000001b3u;
	return h | 1;
}

/* Keeps what the descriptor is shown as, s[..end): the next call on it need not be taken apart. */
static void keep_shown(struct strace *t, struct open_file *f, uint64_t hash, const char *s, const char *end)
{
	f->name_hash = hash;
	f->n_renames = t->system.n_renames;
	f->n_shown = (size_t)(end - s);
	f->shown = xrealloc(f->shown, f->n_shown);
	memcpy(f->shown, s, f->n_shown);
}

static bool is_shown(const struct strace *t, const struct open_file *f, const char *s, const char *end)
{
	return f && f->shown && f->n_renames == t->system.n_renames && f->n_shown <= (size_t)(end - s) &&
	       !memcmp(f->shown, s, f->n_shown);
}

int strace_file(struct parsed *p, const struct part *a, int64_t *fd, struct open_file **f, struct err *e)
{
	const char *s = a->s, *end = s + a->len;
	struct strace *t = p->t;
	struct part d;
	if (!scan_i64(&s, end, fd))
		return foreign_at(&t->base, a->s, e, "\"%.*s\" is no descriptor", (int)(a->len < 60 ? a->len : 60),
				  a->s);
	const bool closed = p->r.op == OP_CLOSE && p->th->closed; /* what has the number now may be another file */
	*f = closed ? p->th->closing : descriptor_get(p->th, *fd);
	if (is_shown(t, *f, s, end))
		return 0;
	if (!strace_decoration(s, end, &d)) {
		t->base.base.notes.n_unknown_fd += !*f && *fd > 2;
		return 0;
	}
	uint64_t h = strace_decoration_hash(&d);
	if (*f && ((*f)->name_hash == h || !(*f)->name_hash || (*f)->n_renames != t->system.n_renames)) {
		keep_shown(t, *f, h, s, end);
		return 0;
	}
	uint32_t object;
	int rc = strace_object(t, &d, &object, e);
	if (rc)
		return rc;
	if (closed) {
		p->r.object = object;
		*f = NULL;
		return 0;
	}
	struct open_file *made = open_file_new(object, -1, false);
	keep_shown(t, made, h, s, end);
	descriptor_set(p->th, *fd, made, false);
	open_file_put(made);
	*f = *fd < DESCRIPTOR_MAX && *fd >= 0 ? made : NULL;
	if (!*f)
		p->r.object = object;
	return 0;
}

/* Into t->base_path: the directory that a path is relative to. Empty where it is not known. */
static void base_of(struct parsed *p, const struct part *dir)
{
	struct strace *t = p->t;
	struct strbuf *b = &t->base_path;
	struct part d;
	strbuf_reset(b);
	if (dir && !(dir->len >= 8 && !memcmp(dir->s, "AT_FDCWD", 8))) {
		const char *s = dir->s;
		int64_t fd;
		const struct open_file *f = scan_i64(&s, dir->s + dir->len, &fd) ? descriptor_get(p->th, fd) : NULL;
		const struct trace_object *o = f ? trace_object(&t->base.base, f->object) : NULL;
		if (o && o->kind == OBJECT_PATH) {
			strbuf_addch(b, '/');
			strbuf_addstr(b, o->name);
			return;
		}

	}
	const char *mark = dir ? memchr(dir->s, '<', dir->len) : NULL;
	uint32_t object;
	if (mark && strace_decoration(mark, dir->s + dir->len, &d) && *d.s == '/' &&
	    !strace_object(t, &d, &object, NULL)) {
		strbuf_add(b, t->path.s, t->path.len);
		if (!memcmp(dir->s, "AT_FDCWD", 8)) {
			strbuf_reset(&p->th->process->cwd);
			strbuf_add(&p->th->process->cwd, b->s, b->len);
		}
	} else if (!dir || !memcmp(dir->s, "AT_", 3)) {
		strbuf_add(b, p->th->process->cwd.s, p->th->process->cwd.len);
	}
}

int strace_path(struct parsed *p, const struct part *a, const struct part *dir, struct err *e)
{
	struct strace *t = p->t;
	base_of(p, dir);
	if (!strace_unquote(&t->path, a))
		return foreign_at(&t->base, a->s, e, "\"%.*s\" is no path", (int)(a->len < 60 ? a->len : 60), a->s);
	p->nameless_path = !t->path.len;
	path_join(&t->joined, t->base_path.s, t->path.s, t->path.len);
	path_keep_stroke(&t->joined, t->path.s, t->path.len, p->r.op, p->r.rvalue < 0 ? p->r.error : 0);
	if (t->joined.len > 1) {
		memmove(t->joined.s, t->joined.s + 1, t->joined.len); /* with the NUL */
		t->joined.len--;
	}
	return 0;
}
