/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the kernel's events, in their order, to requests. */
#include <linux/aio_abi.h>
#include <sched.h>

#include "capture/kernel/vfs_private.h"

/* struct syscall_trace_enter: offset of the arguments, which is the same for every call */
#define ARGS_AT 16

const char **vfs_events_make(enum vfs_faults faults)
{
	static const char *const fixed[VFS_N_FIXED] = {
	    [VFS_NEWTASK] = "task:task_newtask",
	    [VFS_EXEC] = "sched:sched_process_exec",
	    [VFS_EXIT] = "sched:sched_process_exit",
	    [VFS_WAIT] = "?syscalls:sys_exit_wait4",
	    [VFS_ADD] = "?filemap:mm_filemap_add_to_page_cache",
	    [VFS_FAULT] = "?filemap:mm_filemap_fault",
	    [VFS_MAP] = "?filemap:mm_filemap_map_pages",
	    [VFS_USER_FAULT] = "?exceptions:page_fault_user"};
	static const char nothing[] = "?task:none";
	size_t n = 0;
	while (syscall_rows[n].name)
		n++;
	const char **event = xcalloc(VFS_N_FIXED + 2 * n + 1, sizeof *event);
	for (size_t i = 0; i < VFS_N_FIXED; i++) {
		bool file = i == VFS_FAULT || i == VFS_MAP, address = i == VFS_USER_FAULT;
		bool wanted = file ? faults == FAULTS_FILEMAP
				   : (!address && i != VFS_ADD) || faults != FAULTS_NONE;
		event[i] = xstrdup(wanted ? fixed[i] : nothing);
	}
	for (size_t i = 0; i < n; i++) {
		const char *name = syscall_rows[i].number >= 0 ? syscall_rows[i].name : "none";
		event[VFS_N_FIXED + 2 * i] = xasprintf("?syscalls:sys_enter_%s", name);
		event[VFS_N_FIXED + 2 * i + 1] = xasprintf("?syscalls:sys_exit_%s", name);
	}
	return event;
}

void vfs_events_free(const char **event)
{
	for (size_t i = 0; event && event[i]; i++)
		free((char *)(uintptr_t)event[i]);
	free(event);
}

struct event_fields {
	struct tracing_field child, flags;	     /* newtask */
	struct tracing_field filename, pid, old_pid; /* exec */
	/* fields of page events; no kind has all of them */
	struct tracing_field device, inode, index, last, order;
	struct tracing_field address, error_code;
};

struct converting {
	const struct user_memory *memory;
	struct syscalls *c;
	struct processes *processes, *threads;
	int64_t epoch_ns;
	struct event_fields task, add, fault, map, user;
	struct tracing_field result, waited; /* result of any call; result of wait4 */
	bool by_address; /* the only fault events are those with addresses */
};

static struct event_fields page_fields(const struct tracing *t, unsigned int kind)
{
	return (struct event_fields){.device = tracing_field(t, kind, "s_dev"),
				     .inode = tracing_field(t, kind, "i_ino"),
				     .index = tracing_field(t, kind, "index"),
				     .last = tracing_field(t, kind, "last_index"),
				     .order = tracing_field(t, kind, "order"),
				     .address = tracing_field(t, kind, "address"),
				     .error_code = tracing_field(t, kind, "error_code")};
}

static struct page_event page_of(const struct tracing_event *v, const struct event_fields *f)
{
	struct page_event p = {.tid = (uint32_t)v->pid,
			       .ns = v->ns,
			       .device = tracing_unsigned(v, f->device),
			       .inode = tracing_unsigned(v, f->inode),
			       .first = tracing_unsigned(v, f->index),
			       .n = 1};
	if (f->order.size)
		p.n = UINT64_C(1) << (tracing_unsigned(v, f->order) & 31);
	if (f->last.size) {
		const uint64_t last = tracing_unsigned(v, f->last);
		p.n = last >= p.first ? last - p.first + 1 : 1;
	}
	return p;
}

static int exec_event(struct converting *w, const struct tracing_event *v, struct err *e)
{
	const uint32_t place = (uint32_t)tracing_unsigned(v, w->task.filename), at = place & 0xffff,
		       len = place >> 16;
	syscalls_executed(w->c, (uint32_t)tracing_unsigned(v, w->task.pid),
			  (uint32_t)tracing_unsigned(v, w->task.old_pid));
	if (!len || at + len > v->n_bytes || v->data[at + len - 1])
		return 0;
	const char *path =
	    syscalls_path_at(w->c, (uint32_t)v->pid, AT_FDCWD, (const char *)v->data + at, len - 1);
	return path ? vfs_program_identify(w->c, path, e) : 0;
}

/* A thread or process was created. */
static void task_event(struct converting *w, const struct tracing_event *v)
{
	const uint32_t child = (uint32_t)tracing_unsigned(v, w->task.child),
		       parent = syscalls_process(w->c, (uint32_t)v->pid);
	const uint64_t flags = tracing_unsigned(v, w->task.flags);
	syscalls_cloned(w->c, (uint32_t)v->pid, child, flags);
	if (flags & CLONE_THREAD)
		processes_see(w->threads, child, (uint32_t)v->pid, v->ns - w->epoch_ns);
	else
		processes_see(w->processes, child, parent, v->ns - w->epoch_ns);
}

/* wait4 also returns for processes that have only stopped. */
static void wait_event(struct converting *w, const struct tracing_event *v)
{
	const int64_t child = tracing_signed(v, w->waited);
	if (child > 0 && child <= UINT32_MAX && syscalls_process(w->c, (uint32_t)v->pid) &&
	    !syscalls_process(w->c, (uint32_t)child))
		processes_waited(w->processes, (uint32_t)child, (uint32_t)v->pid,
				 v->ns - w->epoch_ns);
}

/* Identifies a struct iocb by process and address, because processes may use equal addresses. */
static uint64_t aio_request(uint32_t pid, uint64_t address)
{
	return address ^ pid * UINT64_C(0x9e3779b97f4a7c15);
}

/* Ends the requests of libaio whose results io_getevents() returned at `ns`. */
static int aio_done(struct syscalls *c, uint32_t tid, int64_t ns, const struct syscall_memory *m,
		    struct err *e)
{
	const uint32_t pid = syscalls_process(c, tid);
	struct io_event v;
	int ret = 0;
	for (size_t at = 0; m->data && at + sizeof v <= m->len && !ret; at += sizeof v) {
		memcpy(&v, (const char *)m->data + at, sizeof v);
		ret = syscalls_ring_end(c, ns, aio_request(pid, v.obj), v.res, e);
	}
	return ret;
}

static int call_event(struct converting *w, const struct tracing_event *v, struct err *e)
{
	const struct syscall_row *row = &syscall_rows[(v->kind - VFS_N_FIXED) / 2], *under_way;
	const bool ends = (v->kind - VFS_N_FIXED) & 1;
	struct syscall_memory memory[SYSCALL_MEMORIES] = {{NULL, 0}};
	struct syscall_pointee p;
	int64_t after_ns;
	if (!ends) {
		uint64_t arg[SYSCALL_ARGS] = {0};
		const size_t n = strlen(row->args) * sizeof *arg;
		if (v->n_bytes > ARGS_AT)
			memcpy(arg, v->data + ARGS_AT,
			       v->n_bytes - ARGS_AT < n ? v->n_bytes - ARGS_AT
			       : n < sizeof arg         ? n
							: sizeof arg);
		return syscalls_enter(w->c, (uint32_t)v->pid, v->ns, row, arg, e);
	}
	if (w->memory && syscall_pointee(row, 0, &p) &&
	    syscalls_pending(w->c, (uint32_t)v->pid, &after_ns, &under_way) && under_way == row)
		user_memory_find(w->memory, (uint32_t)v->pid, row, after_ns, v->ns, memory);
	if (row->op == OP_IO_GETEVENTS) {
		const int ret = aio_done(w->c, (uint32_t)v->pid, v->ns, &memory[0], e);
		if (ret)
			return ret;
	}
	return syscalls_exit(w->c, (uint32_t)v->pid, v->ns, row, tracing_signed(v, w->result),
			     memory, e);
}

static int event_convert(struct converting *w, const struct tracing_event *v, struct err *e)
{
	struct page_event p;
	switch (v->kind) {
	case VFS_NEWTASK:
		task_event(w, v);
		return 0;
	case VFS_EXEC:
		return exec_event(w, v, e);
	case VFS_EXIT:
		syscalls_ended(w->c, (uint32_t)v->pid);
		return 0;
	case VFS_WAIT:
		wait_event(w, v);
		return 0;
	case VFS_ADD:
		p = page_of(v, &w->add);
		return syscalls_page_add(w->c, &p, e);
	case VFS_FAULT:
	case VFS_MAP:
		p = page_of(v, v->kind == VFS_MAP ? &w->map : &w->fault);
		p.handled = v->kind == VFS_FAULT;
		return syscalls_fault(w->c, &p, e);
	case VFS_USER_FAULT:
		return syscalls_fault_at(w->c, &(struct fault_event){(uint32_t)v->pid, v->ns,
			tracing_unsigned(v, w->user.address),
			(unsigned int)tracing_unsigned(v, w->user.error_code), !w->by_address}, e);
	default:
		return call_event(w, v, e);
	}
}

/* Adds the file states that were recorded until `ns`, with names as the thread resolved them at
 * that time. */
static void looks_convert(struct syscalls *c, const struct vfs_looks *looks, int64_t ns)
{
	struct merge_record m;
	while (looks->snapshot && snapshot_next(looks->snapshot, ns, &m)) {
		const char *path = syscalls_path_at(c, m.tid, m.r->dir, m.path, m.path_len);
		if (path && S_ISLNK(m.r->flags))
			syscalls_link(c, path, m.extra, m.extra_len);
		if (path)
			files_see(looks->files, path[1] ? path + 1 : ".", &m);
	}
}

/* Adds the submissions of requests by io_uring and io_submit(), and their completions, until
 * `ns`. */
static int rings_convert(struct syscalls *c, struct user_memory *m,
			 const struct ring_entries *rings, int64_t ns, struct err *e)
{
	struct user_ring_event v;
	int ret = 0;
	while (m && !ret && user_memory_ring_next(m, ns, &v)) {
		uint64_t arg[SYSCALL_ARGS];
		if (v.is_aio) {
			const struct syscall_row *call = aio_entry_call(v.entry, arg);
			syscalls_aio_begin(c, v.tid, v.ns, aio_request(syscalls_process(c, v.tid),
				v.entry->request), (uint64_t)v.entry->result, call, arg);
			continue;
		}
		if (v.done) {
			ret = syscalls_ring_end(c, v.ns, v.entry->request, v.entry->result, e);
			continue;
		}
		const struct syscall_row *row = ring_entries_call(rings, v.entry, arg);
		syscalls_ring_begin(c, v.tid, v.ns, v.entry->request, row, arg, v.memory);
	}
	return ret;
}

int vfs_events_convert(struct tracing *t, struct user_memory *m, const struct ring_entries *rings,
	struct syscalls *c, struct processes *processes, struct processes *threads,
	const struct vfs_looks *looks, int64_t epoch_ns,
	int (*take)(void *context, struct err *e), void *context, struct err *e)
{
	struct converting w = {.memory = m,
			       .c = c,
			       .processes = processes,
			       .threads = threads,
			       .epoch_ns = epoch_ns,
			       .add = page_fields(t, VFS_ADD),
			       .fault = page_fields(t, VFS_FAULT),
			       .map = page_fields(t, VFS_MAP),
			       .user = page_fields(t, VFS_USER_FAULT),
			       .result = tracing_field(t, VFS_N_FIXED + 1, "ret"),
			       .waited = tracing_field(t, VFS_WAIT, "ret"),
			       .by_address = !tracing_has(t, VFS_FAULT)};
	w.task = (struct event_fields){.child = tracing_field(t, VFS_NEWTASK, "pid"),
				       .flags = tracing_field(t, VFS_NEWTASK, "clone_flags"),
				       .filename = tracing_field(t, VFS_EXEC, "filename"),
				       .pid = tracing_field(t, VFS_EXEC, "pid"),
				       .old_pid = tracing_field(t, VFS_EXEC, "old_pid")};
	struct tracing_event v;
	unsigned int n = 0;
	int any, ret = 0;
	while (!ret && (any = tracing_next(t, &v, e)) != 0) {
		if (any > 0)
			looks_convert(c, looks, v.ns);
		ret = any < 0 ? any : rings_convert(c, m, rings, v.ns, e);
		ret = ret ? ret : event_convert(&w, &v, e);
		if (!ret && ++n % 256 == 0)
			ret = take(context, e);
	}
	ret = ret ? ret : rings_convert(c, m, rings, INT64_MAX, e);
	syscalls_finish(c);
	return ret ? ret : take(context, e);
}
