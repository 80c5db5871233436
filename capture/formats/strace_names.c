/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The files that a call's descriptors and paths name. */

#include "capture/formats/number.h"
#include "capture/formats/strace_parsed.h"
#include "common/xalloc.h"

bool strace_decoration_text(struct strace *t, const struct part *d)
{
	struct strbuf *b = &t->joined;
	strbuf_reset(b);
	strbuf_addch(b, '"');
	strbuf_add(b, d->s, d->len);
	strbuf_addch(b, '"');
	struct part p = {b->s, b->len};
	return strace_unquote(&t->path, &p);
}

struct part strace_without_deleted(const char *s, size_t len)
{
	static const char mark[] = " (deleted)";
	const size_t n = sizeof mark - 1;
	return (struct part){s, len > n && !memcmp(s + len - n, mark, n) ? len - n : len};
}

int strace_object(struct strace *t, const struct part *decoration, uint32_t *id, struct err *e)
{
	const struct part d = strace_without_deleted(decoration->s, decoration->len);
	if (!strace_decoration_text(t, &d))
		return foreign_at(&t->base, d.s, e, "\"%.*s\" is no name",
				  (int)(d.len < 60 ? d.len : 60), d.s);
	if (t->path.s[0] != '/')
		return foreign_object(&t->base, OBJECT_FD, t->path.s, t->path.len, id, e);
	if (t->path.len == 1)
		return foreign_object(&t->base, OBJECT_PATH, ".", 1, id, e);
	return foreign_object(&t->base, OBJECT_PATH, t->path.s + 1, t->path.len - 1, id, e);
}

void strace_keep_shown(struct strace *t, struct open_file *f, const char *s, const char *end)
{
	f->shown_at = t->system.n_renames;
	f->n_shown = (size_t)(end - s);
	f->shown = xrealloc(f->shown, f->n_shown);
	memcpy(f->shown, s, f->n_shown);
	free(f->renamed_last);
	f->renamed_last = NULL;
}

bool strace_rename_under_way(const struct traced_system *s)
{
	for (size_t i = 0; i < THREAD_SLOTS; i++)
		for (const struct traced_thread *t = s->slot[i]; t; t = t->next) {
			const struct strace_call *call = t->pending ? t->call : NULL;
			if (call && call->op == OP_RENAME)
				return true;
		}
	return false;
}

/* Whether the current decoration `d` can name the open file: it equals the previous decoration, or
 * a rename explains the difference. Links may lead to the renamed name, so only last components are
 * compared. */
static bool is_same_file(struct strace *t, const struct open_file *f, const struct part *d)
{
	if (!f->shown)
		return true;
	const struct part now = strace_without_deleted(d->s, d->len),
			  before = strace_without_deleted(f->shown + 1, f->n_shown - 2);
	if (now.len == before.len && !memcmp(now.s, before.s, now.len))
		return true;
	if (strace_rename_under_way(&t->system))
		return true;
	if (f->shown_at == t->system.n_renames || !strace_decoration_text(t, &before))
		return false;
	char *last = xstrdup(path_last(t->path.s));
	const char *shown = strace_decoration_text(t, &now) ? path_last(t->path.s) : "";
	const bool same = !strcmp(shown, last) || (f->now && !strcmp(shown, path_last(f->now))) ||
			  (f->renamed_last && !strcmp(shown, f->renamed_last));
	free(last);
	return same;
}

int strace_file(struct parsed *p, const struct part *a, int64_t *fd, struct open_file **f,
		struct err *e)
{
	const char *s = a->s, *end = s + a->len;
	struct strace *t = p->t;
	struct part d;
	if (!scan_i64(&s, end, fd))
		return foreign_at(&t->base, a->s, e, "\"%.*s\" is not a descriptor",
				  (int)(a->len < 60 ? a->len : 60), a->s);
	/* during close() the number may belong to another file already */
	const bool closed = p->r.op == OP_CLOSE && p->th->closed;
	*f = closed ? p->th->closing : descriptor_get(p->th, *fd);
	if (*f && (*f)->shown && (*f)->n_shown <= (size_t)(end - s) &&
	    !memcmp((*f)->shown, s, (*f)->n_shown))
		return 0;
	if (!strace_decoration(s, end, &d)) {
		t->base.base.notes.n_unknown_fd += !*f && *fd > 2 && p->r.error != EBADF;
		return 0;
	}
	if (*f && is_same_file(t, *f, &d)) {
		strace_keep_shown(t, *f, s, d.s + d.len + 1);
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
	strace_keep_shown(t, made, s, d.s + d.len + 1);
	descriptor_set(p->th, *fd, made, false);
	open_file_put(made);
	*f = *fd < DESCRIPTOR_MAX && *fd >= 0 ? made : NULL;
	if (!*f)
		p->r.object = object;
	return 0;
}

void strace_set_cwd(struct parsed *p, const char *path, size_t len)
{
	struct strace *t = p->t;
	struct strbuf *cwd = &p->th->process->cwd;
	/* the directory in which the command was started */
	if (!cwd->len && !t->start.len && t->system.n_orphans == 1)
		strbuf_add(&t->start, path, len);
	strbuf_reset(cwd);
	strbuf_add(cwd, path, len);
}

/* Puts the directory that a path is relative to into t->base_path; empty: unknown. `dir`: NULL for
 * the working directory. */
static void base_of(struct parsed *p, const struct part *dir)
{
	struct strace *t = p->t;
	struct strbuf *b = &t->base_path;
	const bool at_cwd = !dir || (dir->len >= 3 && !memcmp(dir->s, "AT_", 3));
	const char *mark = dir && at_cwd ? memchr(dir->s, '<', dir->len) : NULL;
	struct open_file *f = NULL;
	struct err ignored;
	struct part d;
	int64_t fd;
	strbuf_reset(b);
	err_clear(&ignored);
	if (mark && strace_decoration(mark, dir->s + dir->len, &d) && *d.s == '/') {
		const struct part name = strace_without_deleted(d.s, d.len);
		if (strace_decoration_text(t, &name))
			strace_set_cwd(p, t->path.s, t->path.len);
	}
	if (at_cwd) {
		strbuf_add(b, p->th->process->cwd.s, p->th->process->cwd.len);
	} else if (!strace_file(p, dir, &fd, &f, &ignored) && f) {
		const char *path = open_file_path(f, &t->base.base, &t->path);
		strbuf_addstr(b, path ? path : "");
	}
}

/* A call on a link of /proc/self/fd concerns the open file. Flags may follow the path in the
 * arguments, which are still text here. */
static void descriptor_followed(struct parsed *p)
{
	struct strace *t = p->t;
	const int fd = path_descriptor(t->joined.s);
	struct open_file *f = fd < 0 ? NULL : descriptor_get(p->th, fd);
	const bool of_link = *p->call->name == 'l' && strncmp(p->call->name, "list", 4);
	bool follows = !of_link && path_follows(p->r.op, 0);
	for (unsigned int i = 0; i < p->n; i++)
		follows = follows && !memmem(p->arg[i].s, p->arg[i].len, "AT_SYMLINK_NOFOLLOW", 19);
	const char *path = f && follows ? open_file_path(f, &t->base.base, &t->path) : NULL;
	if (path)
		path_join(&t->joined, "/", path, strlen(path));
}

int strace_path(struct parsed *p, const struct part *a, const struct part *dir, struct err *e)
{
	struct strace *t = p->t;
	base_of(p, dir);
	if (!strace_unquote(&t->path, a))
		return foreign_at(&t->base, a->s, e, "\"%.*s\" is no path",
				  (int)(a->len < 60 ? a->len : 60), a->s);
	p->nameless_path = !t->path.len;
	t->base.base.notes.n_unknown_cwd += t->path.len && t->path.s[0] != '/' && !t->base_path.len;
	const struct strbuf *root = &p->th->process->root;
	const size_t slashes = root->len ? strspn(t->path.s, "/") : 0;
	path_join(&t->joined, slashes ? root->s : t->base_path.s, t->path.s + slashes,
		  t->path.len - slashes);
	descriptor_followed(p);
	path_keep_trailing_slash(&t->joined, t->path.s, t->path.len, p->r.op,
				 p->r.rvalue < 0 ? p->r.error : 0);
	if (t->joined.len > 1) {
		memmove(t->joined.s, t->joined.s + 1, t->joined.len); /* with the NUL */
		t->joined.len--;
	} else {
		/* as capture names the root: "/" would be taken for a path that needs no root */
		strbuf_reset(&t->joined);
		strbuf_addch(&t->joined, '.');
	}
	return 0;
}
