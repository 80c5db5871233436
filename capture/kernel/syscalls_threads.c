/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Threads: which process each belongs to, and whose descriptors and directory it has. */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "capture/kernel/syscalls_private.h"
#include "common/xalloc.h"

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

static struct syscall_thread *thread_new(struct syscalls *c, uint32_t tid, uint32_t pid, struct process_state *p)
{
	struct syscall_thread *t = xcalloc(1, sizeof *t);
	t->tid = tid;
	t->pid = pid;
	t->process = p;
	*slot_of(c, tid) = t;
	return c->last = t;
}

struct syscall_thread *syscall_thread_of(struct syscalls *c, uint32_t tid)
{
	struct syscall_thread *t = syscall_thread_find(c, tid);
	return t ? t : thread_new(c, tid, tid, state_process_from(&c->state, tid, NULL, false));
}

void syscalls_ended(struct syscalls *c, uint32_t tid)
{
	struct syscall_thread **slot = slot_of(c, tid), *t = *slot;
	if (!t)
		return;
	syscall_abandon(c, t);
	*slot = t->next;
	c->last = NULL;
	free(t);
}

void syscalls_cloned(struct syscalls *c, uint32_t parent, uint32_t tid, uint64_t flags)
{
	struct syscall_thread *from = syscall_thread_of(c, parent);
	syscalls_ended(c, tid); /* the number is used anew */
	from = syscall_thread_of(c, parent);
	const bool thread = flags & CLONE_THREAD;
	struct process_state *p = thread || flags & CLONE_FILES ? from->process : state_process_from(&c->state, tid, from->process, false);
	bool hidden = from->hidden;
	thread_new(c, tid, thread ? from->pid : tid, p)->hidden = hidden;
}

void syscalls_executed(struct syscalls *c, uint32_t tid, uint32_t old_tid)
{
	struct syscall_thread *t = syscall_thread_of(c, old_tid ? old_tid : tid);
	struct process_state *before = t->process;
	if (t->tid != tid) { /* another thread than the first: it takes that one's number */
		uint32_t pid = t->pid;
		syscalls_ended(c, old_tid);
		syscalls_ended(c, tid);
		t = thread_new(c, tid, pid, before);
	}
	syscall_abandon(c, t);
	t->hidden = false;
	t->process = state_process_from(&c->state, t->pid, before, true);
}

/* --- what is known from elsewhere --------------------------------------------------------------------------------- */

void syscalls_thread(struct syscalls *c, uint32_t tid, uint32_t pid, const char *cwd, bool hidden)
{
	struct syscall_thread *leader = syscall_thread_of(c, pid ? pid : tid), *t = leader;
	if (pid && pid != tid && !syscall_thread_find(c, tid))
		t = thread_new(c, tid, pid, leader->process);
	t->hidden = hidden;
	if (cwd && cwd[0] == '/') {
		free(t->process->cwd);
		t->process->cwd = xstrdup(cwd);
	}
}

void syscalls_descriptor(struct syscalls *c, uint32_t tid, int fd, const char *path, uint32_t flags, uint64_t position)
{
	struct syscall_thread *t = syscall_thread_of(c, tid);
	struct open_file *f = state_file_make(path, strlen(path));
	f->append = flags & O_APPEND;
	f->position = position;
	f->n_users++;
	state_descriptor_set(t->process, fd, f, flags & O_CLOEXEC);
	state_file_drop(f);
}

void syscalls_mapping(struct syscalls *c, uint32_t tid, uint64_t from, uint64_t to, uint64_t offset, const char *path)
{
	struct syscall_thread *t = syscall_thread_of(c, tid);
	struct open_file *f = state_file_make(path, strlen(path));
	f->n_users++;
	state_map(t->process, from, to - from, offset, f);
	state_file_drop(f);
}

const char *syscalls_path(struct syscalls *c, uint32_t tid, const char *path)
{
	return state_path(&c->state, syscall_thread_of(c, tid)->process, AT_FDCWD, path, strlen(path));
}
