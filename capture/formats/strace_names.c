/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the files to which a call's descriptors and paths refer. */

#include "capture/formats/strace_parsed.h"
#include "capture/number.h"

bool strace_decoration_text(struct strace *t, const struct part *d)
{
	SCOPED_STRBUF quoted = STRBUF_INIT;
	strbuf_addch(&quoted, '"');
	strbuf_add(&quoted, d->s, d->len);
	strbuf_addch(&quoted, '"');
	return strace_unquote(&t->path, &(struct part){quoted.s, quoted.len});
}

struct part strace_without_deleted(const char *s, size_t len)
{
	return (struct part){s, state_name_length(s, len)};
}

void strace_keep_shown(const struct strace *t, struct app_open_file *f, const struct part *d)
{
	f->shown_at = t->n_renames;
	f->n_shown = d->len + 2;
	f->shown = xrealloc(f->shown, f->n_shown);
	memcpy(f->shown, d->s - 1, f->n_shown);
}

bool strace_rename_under_way(const struct strace *t)
{
	for (uint32_t i = 0; i < t->n_threads; i++)
		if (t->thread[i].pending && t->thread[i].call && t->thread[i].call->op == OP_RENAME)
			return true;
	return false;
}

static const char *path_last(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* Whether the decoration `d` can be the name of the open file: it equals the previous decoration,
 * or renames explain the difference. Links may lead to a renamed name, so only the last components
 * are compared. */
static bool is_same_file(struct strace *t, const struct app_open_file *f, const struct part *d)
{
	if (!f->shown)
		return true;
	const struct part now = strace_without_deleted(d->s, d->len),
			  before = strace_without_deleted(f->shown + 1, f->n_shown - 2);
	if (now.len == before.len && !memcmp(now.s, before.s, now.len))
		return true;
	if (strace_rename_under_way(t))
		return true;
	if (f->shown_at == t->n_renames || !strace_decoration_text(t, &before))
		return false;
	SCOPED_FREE char *first = xstrdup(path_last(t->path.s));
	const char *last = first, *shown = strace_decoration_text(t, &now) ? path_last(t->path.s)
									   : "";
	const uint64_t oldest = t->n_renames > STRACE_RENAMES ? t->n_renames - STRACE_RENAMES : 0;
	bool same = !strcmp(shown, last) || (f->now && !strcmp(shown, path_last(f->now)));
	for (uint64_t i = f->shown_at > oldest ? f->shown_at : oldest; i < t->n_renames; i++)
		if (!strcmp(last, t->renamed[i % STRACE_RENAMES].from))
			last = t->renamed[i % STRACE_RENAMES].to;
	same |= !strcmp(shown, last);
	return same;
}

int strace_descriptor(struct strace_parsed *p, const struct part *a, int64_t *fd, struct err *e)
{
	const char *s = a->s, *end = s + a->len;
	struct strace *t = p->t;
	struct part d;
	if (!scan_i64(&s, end, fd))
		return foreign_at(&t->base, a->s, e, "\"%.*s\" is not a descriptor",
				  (int)(a->len < 60 ? a->len : 60), a->s);
	struct app_open_file *f = syscalls_file(t->calls_made, p->tid, *fd);
	if (f && f->shown && f->n_shown <= (size_t)(end - s) && !memcmp(f->shown, s, f->n_shown))
		return 0;
	if (!strace_decoration(s, end, &d)) {
		t->base.base.notes.n_unknown_fd +=
		    !f && *fd > 2 && p->r.error != EBADF && !p->unfinished;
		return 0;
	}
	if (!f || !is_same_file(t, f, &d)) {
		const struct part name = strace_without_deleted(d.s, d.len);
		if (!strace_decoration_text(t, &name))
			return foreign_at(&t->base, d.s, e, "\"%.*s\" is not a name",
					  (int)(d.len < 60 ? d.len : 60), d.s);
		if (!f)
			strace_unopened(t, p->tid, *fd, &name);
		const bool sent = !f && *fd > 2 && *fd <= INT32_MAX && t->missing.passed &&
				  *t->path.s == '/' &&
				  syscalls_descriptor_sent(t->calls_made, p->tid, (int)*fd,
							   t->path.s);
		if (!sent && *fd >= 0 && *fd <= INT32_MAX)
			syscalls_descriptor(t->calls_made, p->tid, (int)*fd, t->path.s, 0,
					    OFFSET_NONE, 0);
		f = syscalls_file(t->calls_made, p->tid, *fd);
	}
	if (f)
		strace_keep_shown(t, f, &d);
	return 0;
}

void strace_set_cwd(struct strace_parsed *p, const char *path)
{
	struct strace *t = p->t;
	/* the directory in which the command was started */
	if (!t->moved && !t->start.len && t->n_orphans == 1)
		strbuf_addstr(&t->start, path);
	if (*path == '/' && !u64_map_find(&t->links.real, state_link_key(path)))
		free(strace_links_real(&t->links, &t->before, path + 1));
	syscalls_thread(t->calls_made, p->tid, 0, path, false);
}

/* The directory to which a path is relative; "": unknown. `dir`: the descriptor argument; NULL: the
 * working directory. *fd: the descriptor, or -1. Borrowed. */
static const char *base_of(struct strace_parsed *p, const struct part *dir, int64_t *fd)
{
	struct strace *t = p->t;
	const bool at_cwd = !dir || (dir->len >= 3 && !memcmp(dir->s, "AT_", 3));
	const char *mark = dir && at_cwd ? memchr(dir->s, '<', dir->len) : NULL;
	struct err ignored;
	struct part d;
	*fd = -1;
	err_clear(&ignored);
	if (mark && strace_decoration(mark, dir->s + dir->len, &d) && *d.s == '/') {
		const struct part name = strace_without_deleted(d.s, d.len);
		if (strace_decoration_text(t, &name))
			strace_set_cwd(p, t->path.s);
	}
	if (at_cwd)
		return syscalls_cwd(t->calls_made, p->tid);
	const struct app_open_file *f = strace_descriptor(p, dir, fd, &ignored)
					    ? NULL : syscalls_file(t->calls_made, p->tid, *fd);
	return f && f->is_path ? state_file_now(f) : "";
}

/* For an open that succeeded: its result shows the name of the file, even if the directory is
 * unknown. */
static bool opened_name(struct strace_parsed *p)
{
	struct part d;
	if (p->r.op != OP_OPEN || !strace_result_decoration(p, &d))
		return false;
	const struct part name = strace_without_deleted(d.s, d.len);
	return strace_decoration_text(p->t, &name) && p->t->path.s[0] == '/';
}

int strace_path(struct strace_parsed *p, const struct part *a, const struct part *dir,
		struct strbuf *to, struct err *e)
{
	struct strace *t = p->t;
	int64_t fd;
	const char *base = base_of(p, dir, &fd);
	if (!strace_unquote(to, a))
		return foreign_at(&t->base, a->s, e, "\"%.*s\" is not a path",
				  (int)(a->len < 60 ? a->len : 60), a->s);
	if (!to->len || to->s[0] == '/')
		return 0;
	if (*base) {
		if (fd >= 0)
			p->value[p->dir_at] = (uint64_t)fd;
		return 0;
	}
	t->base.base.notes.n_unknown_cwd++;
	if (opened_name(p)) {
		strbuf_reset(to);
		strbuf_add(to, t->path.s, t->path.len);
		return 0;
	}
	SCOPED_FREE char *relative = xstrdup(to->s);
	strbuf_reset(to);
	strbuf_addf(to, "/%s", relative);
	return 0;
}
