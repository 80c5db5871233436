/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/app/app_state.h"

#include "capture/op.h"
#include "common/fnv1a.h"

#define FDS_MAX (1 << 20)
#define PENDING_MAX 4096

void state_init(struct app_state *s)
{
	*s = (struct app_state){.path = STRBUF_INIT};
}

/* --- files and descriptors ----------------------------------------------- */

size_t state_name_length(const char *path, size_t len)
{
	static const char deleted[] = " (deleted)";
	const size_t tail = sizeof deleted - 1;
	return len > tail && !memcmp(path + len - tail, deleted, tail) ? len - tail : len;
}

struct app_open_file *state_file_make(const char *path, size_t len)
{
	struct app_open_file *f = xcalloc(1, sizeof *f);
	f->path = xstrndup(path, state_name_length(path, len));
	f->is_path = path[0] == '/';
	f->position_known = f->is_path;
	return f;
}

struct app_open_file *state_file_listed(const struct process_state *p, const char *path, size_t len,
				    uint32_t flags, uint64_t position)
{
	struct app_open_file *f;
	for (size_t i = 0; i < p->files->n_fds; i++) {
		f = p->files->fd[i].file;
		if (f && f->is_path && f->listed_flags && f->listed_flags == flags &&
		    f->position == position && strlen(f->path) == len &&
		    !memcmp(f->path, path, len))
			return f;
	}
	f = state_file_make(path, len);
	f->append = flags & O_APPEND;
	f->listed_flags = flags;
	f->position = position;
	return f;
}

struct app_open_file *state_file_sent(const struct app_state *s, const char *path, size_t len,
				      uint64_t position)
{
	struct app_open_file *found = NULL;
	len = state_name_length(path, len);
	for (size_t i = 0; i < s->n_processes; i++) {
		const struct process_state *p = s->process[i];
		for (size_t k = 0; k < p->files->n_fds && !p->is_stale; k++) {
			struct app_open_file *f = p->files->fd[k].file;
			if (!f || f == found || !f->is_path ||
			    (position != OFFSET_NONE && f->position_known &&
			     f->position != position) ||
			    strncmp(state_file_now(f), path, len) || state_file_now(f)[len])
				continue;
			if (found)
				found->position_known = f->position_known = false;
			found = f;
		}
	}
	return found;
}

static struct app_open_file *file_keep(struct app_open_file *f)
{
	if (f)
		f->n_users++;
	return f;
}

void state_file_drop(struct app_open_file *f)
{
	if (f && !--f->n_users)
		FREE_EACH(f->path, f->now, f->shown, f);
}

void state_descriptor_set(struct process_state *p, int fd, struct app_open_file *f,
			  bool close_on_exec)
{
	if (fd < 0 || fd >= FDS_MAX)
		return;
	if ((size_t)fd >= p->files->n_fds) {
		size_t n = (size_t)fd + 16;
		p->files->fd = xreallocarray(p->files->fd, n, sizeof *p->files->fd);
		memset(p->files->fd + p->files->n_fds, 0,
		       (n - p->files->n_fds) * sizeof *p->files->fd);
		p->files->n_fds = n;
	}
	file_keep(f);
	state_file_drop(p->files->fd[fd].file);
	p->files->fd[fd] = (struct descriptor){.file = f, .close_on_exec = close_on_exec};
}

int state_buffered(const struct process_state *p, int fd)
{
	for (; (size_t)fd < p->files->n_fds; fd++)
		if (p->files->fd[fd].file && p->files->fd[fd].buffers)
			return fd;
	return -1;
}

struct app_open_file *state_file(const struct process_state *p, int fd)
{
	return fd >= 0 && (size_t)fd < p->files->n_fds ? p->files->fd[fd].file : NULL;
}

const char *state_file_now(const struct app_open_file *f)
{
	return f->now ? f->now : f->path;
}

/* --- processes ----------------------------------------------------------- */

static void process_free(struct process_state *p)
{
	if (!--p->files->n_users) {
		for (size_t i = 0; i < p->files->n_fds; i++)
			state_file_drop(p->files->fd[i].file);
		FREE_EACH(p->files->fd, p->files);
	}
	if (!--p->fs->n_users)
		FREE_EACH(p->fs->cwd, p->fs->root, p->fs);
	for (size_t i = 0; i < p->n_maps; i++)
		state_file_drop(p->map[i].file);
	FREE_EACH(p->map, p);
}

void state_release(struct app_state *s)
{
	for (size_t i = 0; i < s->n_pending; i++)
		state_file_drop(s->pending[i].file);
	for (size_t i = 0; i < s->n_processes; i++)
		process_free(s->process[i]);
	FREE_EACH(s->pending, s->process);
	state_links_release(&s->links);
	u64_map_release(&s->removed);
	strbuf_release(&s->path);
}

static struct process_state *latest_of(const struct app_state *s, uint32_t pid)
{
	for (size_t i = s->n_processes; i-- > 0;)
		if (s->process[i]->pid == pid)
			return s->process[i];
	return NULL;
}

static void fs_inherit(struct process_state *to, const struct process_state *from, bool shares)
{
	to->fs = shares ? from->fs : xcalloc(1, sizeof *to->fs);
	to->fs->n_users++;
	if (shares)
		return;
	to->fs->cwd = xstrdup(from ? from->fs->cwd : "/");
	to->fs->root = from && from->fs->root ? xstrdup(from->fs->root) : NULL;
	to->fs->umask = from ? from->fs->umask : 0;
}

/* A program inherits from the previous program of the same process, a child from its parent, a
 * thread that leaves its process from the process. */
struct process_state *state_process_from(struct app_state *s, uint32_t pid,
					 const struct process_state *from, enum state_birth how)
{
	struct process_state *p = xcalloc(1, sizeof *p);
	const bool by_exec = how & STATE_EXECUTED;
	p->pid = pid;
	p->is_root = !from;
	fs_inherit(p, from, from && how & STATE_SHARES_FS);
	p->files = from && how & STATE_SHARES_FILES ? from->files : xcalloc(1, sizeof *p->files);
	p->files->n_users++;
	for (size_t i = 0; from && from->files != p->files && i < from->files->n_fds; i++) {
		const struct descriptor *d = &from->files->fd[i];
		if (d->file && !(by_exec && d->close_on_exec))
			state_descriptor_set(p, (int)i, d->file, d->close_on_exec);
	}
	for (size_t i = 0; from && i < from->n_maps && !by_exec; i++) {
		GROW(p->map, p->n_maps, p->maps_cap);
		p->map[p->n_maps] = from->map[i];
		file_keep(p->map[p->n_maps++].file);
	}
	GROW(s->process, s->n_processes, s->processes_cap);
	return s->process[s->n_processes++] = p;
}

void state_process_drop(struct app_state *s, struct process_state *p)
{
	for (size_t i = s->n_processes; i-- > 0;)
		if (s->process[i] == p) {
			s->process[i] = s->process[--s->n_processes];
			process_free(p);
			return;
		}
}

struct process_state *state_process(struct app_state *s, uint32_t image, uint32_t pid,
				    uint32_t image_pid, uint32_t parent)
{
	for (size_t i = s->n_processes; i-- > 0;)
		if (s->process[i]->image == image && s->process[i]->pid == pid)
			return s->process[i];
	struct process_state *before = latest_of(s, pid);
	bool by_exec = before && !before->is_stale;
	if (!by_exec) /* a child of vfork uses the memory of its parent */
		before = latest_of(s, pid != image_pid ? image_pid : parent);
	struct process_state *p =
	    state_process_from(s, pid, before, by_exec ? STATE_EXECUTED : STATE_COPIED);
	p->image = image;
	if (by_exec)
		before->is_stale = true;
	return p;
}

/* --- effects ------------------------------------------------------------- */

void state_later(struct app_state *s, uint64_t end, struct process_state *p, int fd,
	struct app_open_file *f, bool close_on_exec)
{
	/* There are more pending effects than threads, so their ends are impossible. */
	if (s->n_pending >= PENDING_MAX) {
		state_descriptor_set(p, fd, file_keep(f), close_on_exec);
		state_file_drop(f);
		return;
	}
	GROW(s->pending, s->n_pending, s->pending_cap);
	s->pending[s->n_pending++] = (struct effect){end, p, fd, file_keep(f), close_on_exec};
}

void state_advance(struct app_state *s, uint64_t now)
{
	for (;;) {
		size_t first = s->n_pending;
		for (size_t i = 0; i < s->n_pending; i++)
			if (s->pending[i].end <= now &&
			    (first == s->n_pending || s->pending[i].end < s->pending[first].end))
				first = i;
		if (first == s->n_pending)
			return;
		struct effect e = s->pending[first];
		memmove(s->pending + first, s->pending + first + 1,
			(--s->n_pending - first) * sizeof e);
		state_descriptor_set(e.process, e.fd, e.file, e.close_on_exec);
		state_file_drop(e.file);
	}
}

#define REMOVED_MAX (1u << 20) /* bounds the memory that a trace can require */

void state_removed(struct app_state *s, const char *path)
{
	if (s->removed.n < REMOVED_MAX)
		*u64_map_at(&s->removed, fnv1a_text(path), 0) = ++s->n_removed;
}

/* Whether the file has lost its name. */
static bool is_removed(const struct app_state *s, const struct app_open_file *f)
{
	const uint32_t *at = u64_map_find(&s->removed, fnv1a_text(state_file_now(f)));
	return at && *at > f->n_removed;
}

/* The path that a link in /proc leads to for this process, or NULL. `follows`: the call acts on the
 * link's target, not on the link. */
static const char *process_path(struct app_state *s, const struct process_state *p, bool follows,
				bool *maybe_link)
{
	struct process_path to;
	struct strbuf joined = STRBUF_INIT;
	if (!path_of_process(s->path.s, &to) || (!*to.rest && !follows))
		return NULL;
	if (to.pid && !(p = latest_of(s, to.pid)))
		return NULL;
	const struct app_open_file *f = to.what == PROCESS_FD ? state_file(p, to.fd) : NULL;
	const char *base = to.what == PROCESS_CWD ? p->fs->cwd : p->fs->root ? p->fs->root : "/";
	if (to.what == PROCESS_FD && (!f || !f->is_path || f->unnamed || is_removed(s, f)))
		return NULL;
	base = f ? state_file_now(f) : base;
	*maybe_link = f && f->maybe_link && !*to.rest;
	path_join(&joined, base, to.rest + (*to.rest == '/'), strlen(to.rest) - (*to.rest == '/'));
	strbuf_release(&s->path);
	s->path = joined;
	return s->path.s;
}

const char *state_path(struct app_state *s, const struct process_state *p, int dir,
		       const char *path, size_t len)
{
	const char *base = p->fs->cwd;
	if (len && path[0] == '/') {
		base = p->fs->root ? p->fs->root : "/";
		for (; p->fs->root && len && path[0] == '/'; len--)
			path++;
	} else if (dir != AT_FDCWD) {
		const struct app_open_file *f = state_file(p, dir);
		if (!f || !f->is_path)
			return NULL;
		base = state_file_now(f);
	}
	state_join(s, p, base, path, len);
	bool maybe_link;
	const char *named = process_path(s, p, false, &maybe_link);
	return named ? named : s->path.s;
}

const char *state_path_asked(struct app_state *s, const struct process_state *p,
			     const struct log_record *l, int dir, const char *path, size_t len,
			     uint32_t *no_follow)
{
	const struct app_open_file *nameless =
	    l->op == OP_LINK && !len && l->flags & AT_EMPTY_PATH ? state_file(p, dir) : NULL;
	if (nameless && nameless->unnamed) { /* as linkat of this name with AT_SYMLINK_FOLLOW */
		strbuf_reset(&s->path);
		strbuf_addf(&s->path, "/proc/self/fd/%d", dir);
		return s->path.s;
	}
	if (!state_path(s, p, dir, path, len))
		return NULL;
	bool maybe_link = false;
	const char *named =
	    path_follows(l->op, l->flags) ? process_path(s, p, true, &maybe_link) : NULL;
	if (maybe_link && no_follow)
		*no_follow = l->op == OP_OPEN	   ? O_NOFOLLOW
			     : l->op == OP_STATFS ? 0
						  : AT_SYMLINK_NOFOLLOW;
	if (!named)
		path_keep_trailing_slash(&s->path, path, len, l->op, l->result < 0 ? l->error : 0);
	return s->path.s;
}

static bool name_follow(char **name, const char *now, const char *from, const char *to,
		bool exchange)
{
	char *renamed = path_renamed(now, from, to, exchange);
	if (!renamed)
		return false;
	free(*name);
	*name = renamed;
	return true;
}

void state_renamed(struct app_state *s, const char *from, const char *to, bool exchange)
{
	s->n_renames++;
	state_link_renamed(s, from, to, exchange);
	if (!exchange)
		state_removed(s, to);
	for (size_t i = 0; i < s->n_processes; i++) {
		struct process_state *p = s->process[i];
		if (p->is_stale)
			continue;
		if (p->fs->n_renames != s->n_renames)
			name_follow(&p->fs->cwd, p->fs->cwd, from, to, exchange);
		p->fs->n_renames = s->n_renames;
		for (size_t k = 0; k < p->files->n_fds; k++) {
			struct app_open_file *f = p->files->fd[k].file;
			if (!f || !f->is_path || f->n_renames == s->n_renames)
				continue; /* no path, or already renamed */
			if (name_follow(&f->now, state_file_now(f), from, to, exchange))
				f->n_removed = s->n_removed;
			f->n_renames = s->n_renames;
		}
	}
}

struct app_mapping *state_mapping(const struct process_state *p, uint64_t address, uint64_t len)
{
	for (size_t i = p->n_maps; i-- > 0;)
		if (p->map[i].from < address + (len ? len : 1) && address < p->map[i].to)
			return &p->map[i];
	return NULL;
}
