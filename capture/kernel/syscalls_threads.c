/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads: their processes, with descriptors and working directory. */
#include <sched.h>

#include "capture/kernel/syscalls_private.h"

static struct syscall_thread **slot_of(struct syscalls *c, uint32_t tid)
{
	struct syscall_thread **t = &c->slot[tid * 2654435761u >> 20];
	while (*t && (*t)->tid != tid)
		t = &(*t)->next;
	return t;
}

struct syscall_thread *syscall_thread_find(struct syscalls *c, uint32_t tid)
{
	if (c->last && c->last->tid == tid)
		return c->last;
	return c->last = *slot_of(c, tid);
}

/* Limit of the recorded descriptors and mappings of all processes, against hostile traces. */
#define SLOTS_MAX (UINT64_C(1) << 22) /* 64 MiB */

bool syscall_room_for(struct syscalls *c, const struct process_state *p, int64_t fd)
{
	if (fd < 0 || (uint64_t)fd < p->files->n_fds)
		return true;
	const uint64_t more = (uint64_t)fd + 16 - p->files->n_fds;
	if (c->n_slots + more > SLOTS_MAX)
		return false;
	c->n_slots += more;
	return true;
}

void syscall_process_leave(struct syscalls *c, struct process_state *p)
{
	if (--p->n_threads)
		return;
	const uint64_t n = (p->files->n_users > 1 ? 0 : p->files->n_fds) + p->n_maps;
	c->n_slots -= c->n_slots < n ? c->n_slots : n;
	state_process_drop(&c->state, p);
}

/* A new process, or the next program of a process. It is empty if the limit is reached. */
static struct process_state *process_new(struct syscalls *c, uint32_t pid,
					 const struct process_state *from, enum state_birth how)
{
	const bool room = !from || c->n_slots + from->files->n_fds + from->n_maps + 16 <= SLOTS_MAX;
	struct process_state *p = state_process_from(&c->state, pid, room ? from : NULL, how);
	c->n_slots += (p->files->n_users > 1 ? 0 : p->files->n_fds) + p->n_maps;
	return p;
}

static struct syscall_thread *thread_new(struct syscalls *c, uint32_t tid, uint32_t pid,
					 struct process_state *p)
{
	struct syscall_thread *t = xcalloc(1, sizeof *t);
	t->tid = tid;
	t->pid = pid;
	t->process = p;
	t->first_fd = NO_FD;
	p->n_threads++;
	*slot_of(c, tid) = t;
	return c->last = t;
}

struct syscall_thread *syscall_thread_of(struct syscalls *c, uint32_t tid)
{
	struct syscall_thread *t = syscall_thread_find(c, tid);
	if (t)
		return t;
	t = thread_new(c, tid, tid, process_new(c, tid, NULL, STATE_COPIED));
	if (c->sink.from_text)
		t->process->fs->cwd[0] = '\0';
	return t;
}

void syscalls_ended(struct syscalls *c, uint32_t tid)
{
	struct syscall_thread **slot = slot_of(c, tid), *t = *slot;
	if (!t)
		return;
	syscall_abandon(c, t);
	syscall_process_leave(c, t->process);
	*slot = t->next;
	c->last = NULL;
	free(t);
}

static enum state_birth shared_by(uint64_t flags)
{
	return (flags & CLONE_FILES ? STATE_SHARES_FILES : 0) |
	       (flags & CLONE_FS ? STATE_SHARES_FS : 0);
}

void syscall_unshared(struct syscalls *c, struct syscall_thread *t, uint64_t flags)
{
	struct process_state *from = t->process;
	if (flags & (CLONE_NEWNS | CLONE_NEWUSER))
		flags |= CLONE_FS;
	if (!(flags & (CLONE_FS | CLONE_FILES)))
		return;
	t->process = process_new(c, t->pid, from, shared_by(~flags));
	t->process->n_threads++;
	syscall_process_leave(c, from);
}

void syscalls_cloned(struct syscalls *c, uint32_t parent, uint32_t tid, uint64_t flags)
{
	if (tid == parent)
		return; /* impossible */
	syscalls_ended(c, tid); /* the number of the thread is reused */
	const struct syscall_thread *from = syscall_thread_of(c, parent);
	const bool thread = flags & CLONE_THREAD;
	struct process_state *p =
	    thread ? from->process : process_new(c, tid, from->process, shared_by(flags));
	bool hidden = from->hidden;
	/* a replay gives each process its own descriptors; a vfork executes at once */
	c->counts.n_unshared += !thread && !hidden && flags & CLONE_FILES && !(flags & CLONE_VFORK);
	thread_new(c, tid, thread ? from->pid : tid, p)->hidden = hidden;
}

void syscalls_executed(struct syscalls *c, uint32_t tid, uint32_t old_tid)
{
	struct syscall_thread *t = syscall_thread_of(c, old_tid ? old_tid : tid);
	const uint32_t pid = t->pid;
	struct process_state *after = process_new(c, pid, t->process, STATE_EXECUTED);
	if (t->tid != tid) { /* not the main thread; it takes over the main thread's number */
		syscalls_ended(c, t->tid);
		syscalls_ended(c, tid);
		thread_new(c, tid, pid, after);
		return;
	}
	syscall_abandon(c, t);
	syscall_process_leave(c, t->process);
	t->hidden = false;
	t->process = after;
	after->n_threads++;
}

uint32_t syscalls_process(struct syscalls *c, uint32_t tid)
{
	const struct syscall_thread *t = syscall_thread_find(c, tid);
	return t && !t->hidden ? t->pid : 0;
}

/* --- initial facts ------------------------------------------------------- */

void syscalls_thread(struct syscalls *c, uint32_t tid, uint32_t pid, const char *cwd, bool hidden)
{
	struct syscall_thread *leader = syscall_thread_of(c, pid ? pid : tid), *t = leader;
	if (pid && pid != tid && !syscall_thread_find(c, tid))
		t = thread_new(c, tid, pid, leader->process);
	t->hidden = hidden;
	if (cwd && cwd[0] == '/') {
		free(t->process->fs->cwd);
		t->process->fs->cwd = xstrdup(cwd);
	}
}

void syscalls_umask(struct syscalls *c, uint32_t tid, uint32_t umask)
{
	syscall_thread_of(c, tid)->process->fs->umask = OP_UMASK_KNOWN | (umask & 0777);
}

uint32_t syscalls_umask_of(struct syscalls *c, uint32_t tid)
{
	return syscall_thread_of(c, tid)->process->fs->umask;
}

void syscalls_descriptor(struct syscalls *c, uint32_t tid, int fd, const char *path, uint32_t flags,
			 uint64_t position, int64_t as_of_ns)
{
	struct syscall_thread *t = syscall_thread_of(c, tid);
	if (!syscall_room_for(c, t->process, fd))
		return;
	struct app_open_file *f =
	    state_file_listed(t->process, path, strlen(path), flags, position);
	f->as_of_ns = as_of_ns;
	f->n_users++;
	state_descriptor_set(t->process, fd, f, flags & O_CLOEXEC);
	if (position == OFFSET_NONE)
		syscall_position_lost(c, f);
	state_file_drop(f);
}

bool syscalls_descriptor_sent(struct syscalls *c, uint32_t tid, int fd, const char *path)
{
	struct syscall_thread *t = syscall_thread_of(c, tid);
	struct app_open_file *f =
	    syscall_room_for(c, t->process, fd)
		? state_file_sent(&c->state, path, strlen(path), OFFSET_NONE)
		: NULL;
	if (f)
		state_descriptor_set(t->process, fd, f, false);
	return f != NULL;
}

struct app_open_file *syscalls_file(struct syscalls *c, uint32_t tid, int64_t fd)
{
	return fd < 0 || fd > INT32_MAX ? NULL
					: state_file(syscall_thread_of(c, tid)->process, (int)fd);
}

const char *syscalls_cwd(struct syscalls *c, uint32_t tid)
{
	return syscall_thread_of(c, tid)->process->fs->cwd;
}

void syscalls_under_way(struct syscalls *c, uint32_t tid, int fd)
{
	syscall_thread_of(c, tid)->first_fd = fd;
}

void syscall_position_lost(struct syscalls *c, struct app_open_file *f)
{
	c->counts.n_positions_unknown += f->is_path && f->position_known;
	f->position_known = false;
}

void syscalls_mapping(struct syscalls *c, uint32_t tid, uint64_t from, uint64_t to, uint64_t offset,
		      const char *path)
{
	struct syscall_thread *t = syscall_thread_of(c, tid);
	struct app_open_file *f = state_file_make(path, strlen(path));
	f->n_users++;
	state_map(t->process, from, to - from, offset, f);
	state_file_drop(f);
}

const char *syscalls_path_at(struct syscalls *c, uint32_t tid, int dir, const char *path,
			     size_t len)
{
	return state_path(&c->state, syscall_thread_of(c, tid)->process, dir, path, len);
}

void syscalls_link(struct syscalls *c, const char *path, const char *text, size_t len)
{
	state_link_set(&c->state, path, text, len);
}

/* Length of the parent's path, for a path of this length. */
static size_t parent_length(const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	return slash ? (size_t)(slash - path) : 0;
}

void syscalls_parent(struct syscalls *c, const char *path, const struct strbuf *text, size_t n)
{
	size_t up = strlen(path), len = text->len;
	for (size_t i = 0; i < n; i++) {
		up = parent_length(path, up);
		len = parent_length(text->s, len);
	}
	/* for a directory, the parents are those of its name */
	const bool is_link = up != len || memcmp(path, text->s, len) != 0;
	SCOPED_FREE char *no_link = xstrdup(is_link ? text->s : path);
	if (is_link)
		state_link_set(&c->state, path, text->s, text->len);
	for (size_t i = 0, at = strlen(no_link); i < n && at; i++) {
		no_link[at] = '\0';
		state_link_none(&c->state, no_link);
		at = parent_length(no_link, at);
	}
}

size_t syscalls_links_unclear(const struct syscalls *c, const struct u64_map *plain)
{
	return state_links_unclear(&c->state.links, plain);
}

void syscalls_links_take(struct syscalls *to, struct syscalls *from)
{
	state_links_release(&to->state.links);
	to->state.links = from->state.links;
	from->state.links = (struct state_links){.n = 0};
	state_links_restore(&to->state.links);
}
