/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Page faults and the page cache: finds files by device and inode, and the pages that calls
 * requested. */

#include "capture/kernel/syscalls_private.h"

/* --- files by device and inode ------------------------------------------- */

int syscall_object(struct syscalls *c, const char *path, bool is_path, uint32_t *id, struct err *e)
{
	const char *name = is_path ? path + 1 : path;
	return c->sink.object(c->sink.context, is_path ? OBJECT_PATH : OBJECT_FD,
			      is_path && !*name ? "." : name, id, e);
}

static struct syscall_file *file_slot(struct syscall_file *file, size_t n, uint64_t device,
				      uint64_t inode)
{
	size_t i = (size_t)((inode ^ device << 32) * 0x9e3779b97f4a7c15u >> 20) & (n - 1);
	while (file[i].used && (file[i].device != device || file[i].inode != inode))
		i = (i + 1) & (n - 1);
	return &file[i];
}

static void file_put(struct syscalls *c, uint64_t device, uint64_t inode, uint32_t object)
{
	if (c->n_files * 2 >= c->n_file_slots) {
		size_t n = c->n_file_slots ? c->n_file_slots * 2 : 1024;
		struct syscall_file *more = xcalloc(n, sizeof *more);
		for (size_t i = 0; i < c->n_file_slots; i++)
			if (c->file[i].used)
				*file_slot(more, n, c->file[i].device, c->file[i].inode) =
				    c->file[i];
		free(c->file);
		c->file = more;
		c->n_file_slots = n;
	}
	struct syscall_file *f = file_slot(c->file, c->n_file_slots, device, inode);
	c->n_files += !f->used;
	*f = (struct syscall_file){device, inode, object, true};
}

static void identified_set(struct syscalls *c, uint32_t object, unsigned char how)
{
	if (object >= c->n_identified) {
		size_t n = (size_t)object + object / 2 + 256;
		c->identified = xreallocarray(c->identified, n, 1);
		memset(c->identified + c->n_identified, 0, n - c->n_identified);
		c->n_identified = n;
	}
	c->identified[object] = how;
}

int syscall_file_identify(struct syscalls *c, const char *path, uint32_t object, struct err *e)
{
	uint64_t device, inode;
	(void)e;
	if (!c->sink.identify || (object < c->n_identified && c->identified[object]))
		return 0;
	bool known = c->sink.identify(c->sink.context, path, &device, &inode);
	identified_set(c, object, known ? 2 : 1);
	if (known)
		file_put(c, device, inode, object);
	return 0;
}

int syscalls_identify(struct syscalls *c, const char *path, struct err *e)
{
	uint32_t id;
	if (path[0] != '/')
		return 0;
	int ret = syscall_object(c, path, true, &id, e);
	return ret ? ret : syscall_file_identify(c, path, id, e);
}

static int object_of(struct syscalls *c, const struct page_event *v, uint32_t *id, struct err *e)
{
	char name[80];
	const struct syscall_file *f =
	    c->n_file_slots ? file_slot(c->file, c->n_file_slots, v->device, v->inode) : NULL;
	if (f && f->used) {
		*id = f->object;
		return 0;
	}
	snprintf(name, sizeof name, "device %" PRIu64 ":%" PRIu64 " inode %" PRIu64,
		 v->device >> 20, v->device & 0xfffff, v->inode);
	return c->sink.object(c->sink.context, OBJECT_FD, name, id, e);
}

/* --- the range of the current call --------------------------------------- */

struct call_range {
	const struct app_open_file *file;
	uint64_t offset, length;
};

/* Gets the range that the call reads or writes. False: the call does not read or write a file at a
 * known offset. */
static bool range_of_call(const struct syscall_thread *t, struct call_range *w)
{
	if (!t->row || !(op_info(t->row->op)->uses & OP_HAS_LENGTH))
		return false;
	*w = (struct call_range){.offset = OFFSET_NONE};
	bool vector = strchr(t->row->args, 'i') != NULL;
	for (unsigned int i = 0; t->row->args[i]; i++) {
		const char letter = t->row->args[i];
		if (letter == 'f')
			w->file = state_file(t->process, (int32_t)t->arg[i]);
		else if (letter == 'o')
			w->offset = t->arg[i];
		else if (letter == 's')
			w->length = t->arg[i];
	}
	if (w->offset == OFFSET_NONE && w->file && w->file->position_known)
		w->offset = w->file->position;
	/* the length is known only at the end, so all pages after the beginning are accepted */
	if (vector)
		w->length = UINT64_MAX;
	return w->file && w->offset != OFFSET_NONE;
}

static bool overlap(uint64_t a, uint64_t a_len, uint64_t b, uint64_t b_len)
{
	return a < b ? b - a < a_len : a - b < b_len;
}

/* Finds out the inode of a file without a known name (deleted, renamed): it is the file that the
 * current call reads at the offset of the new page. */
static void file_learn(struct syscalls *c, const struct page_event *v, const struct call_range *w,
		       uint64_t page)
{
	uint32_t object;
	const struct syscall_file *f =
	    c->n_file_slots ? file_slot(c->file, c->n_file_slots, v->device, v->inode) : NULL;
	if ((f && f->used) || !w->file->is_path || w->offset / page != v->first)
		return;
	if (syscall_object(c, w->file->path, true, &object, NULL) ||
	    (object < c->n_identified && c->identified[object] == 2))
		return;
	identified_set(c, object, 2);
	file_put(c, v->device, v->inode, object);
}

/* --- events -------------------------------------------------------------- */

static void page_record(struct syscalls *c, const struct syscall_thread *t,
			const struct page_event *v, enum trace_op op, uint32_t flags,
			uint32_t object, int64_t result)
{
	const uint64_t page = c->sink.page_bytes;
	struct trace_record r = {.begin_ns = v->ns,
				 .end_ns = v->ns,
				 .intended_ns = TIME_NONE,
				 .dispatch_ns = TIME_NONE,
				 .object = object,
				 .fd = -1,
				 .heap = HEAP_NONE,
				 .pid = t->pid,
				 .tid = t->tid,
				 .op = (uint16_t)op,
				 .offset = v->first * page,
				 .length = v->n * page,
				 .rvalue = result,
				 .flags = flags,
				 .commit = TRACE_COMMIT};
	record_queue_add(c->queue, &r);
}

/* `at`: the address of the access, or NULL. */
static int fault_record(struct syscalls *c, const struct syscall_thread *t,
			const struct page_event *v, const struct fault_event *at, uint32_t object)
{
	const uint32_t flags =
	    (v->handled ? PAGE_HANDLED : 0) | (at && at->how & FAULT_WRITE ? PAGE_WRITTEN : 0);
	page_record(c, t, v, OP_PAGE_FAULT, flags, object,
		    at && at->address >= PAGE_ADDRESS_MIN ? (int64_t)at->address : (int64_t)v->n);
	return 0;
}

/* Whether the thread's last fault at an address caused this event of a file, which may be one of
 * several. */
static bool fault_is_of(const struct syscalls *c, const struct syscall_thread *t,
			const struct page_event *v)
{
	const struct app_mapping *m = t->fault.followed ? state_mapping(t->process,
									t->fault.address, 1) : NULL;
	const uint64_t page = m ? (t->fault.address - m->from + m->offset) / c->sink.page_bytes : 0;
	return m && page >= v->first && page - v->first < v->n;
}

int syscalls_fault(struct syscalls *c, const struct page_event *v, struct err *e)
{
	struct syscall_thread *t = syscall_thread_of(c, v->tid);
	uint32_t object;
	if (t->hidden)
		return 0;
	t->fault_device = v->device;
	t->fault_inode = v->inode;
	t->fault_page = v->first;
	const struct fault_event *at = fault_is_of(c, t, v) ? &t->fault : NULL;
	int ret = object_of(c, v, &object, e);
	return ret ? ret : fault_record(c, t, v, at, object);
}

int syscalls_fault_at(struct syscalls *c, const struct fault_event *v, struct err *e)
{
	struct syscall_thread *t = syscall_thread_of(c, v->tid);
	const struct app_mapping *m = state_mapping(t->process, v->address, 1);
	const bool separate = !v->followed || (v->how & FAULT_PRESENT && v->how & FAULT_WRITE);
	uint32_t object;
	t->fault = *v;
	t->fault.followed = !separate;
	if (t->hidden || !m || !separate)
		return 0;
	const struct page_event p = {.tid = v->tid,
				     .ns = v->ns,
				     .n = 1,
				     .first =
					 (v->address - m->from + m->offset) / c->sink.page_bytes,
				     .handled = true};
	int ret = syscall_object(c, m->file->path, m->file->is_path, &object, e);
	return ret ? ret : fault_record(c, t, &p, v, object);
}

int syscalls_page_add(struct syscalls *c, const struct page_event *v, struct err *e)
{
	struct syscall_thread *t = syscall_thread_of(c, v->tid);
	const uint64_t page = c->sink.page_bytes;
	struct call_range w;
	uint32_t object;
	bool asked = false;
	if (t->hidden)
		return 0;
	bool by_call = range_of_call(t, &w);
	if (by_call)
		file_learn(c, v, &w, page);
	int ret = object_of(c, v, &object, e);
	if (ret)
		return ret;
	if (by_call) {
		uint32_t of_call;
		ret = syscall_object(c, w.file->path, w.file->is_path, &of_call, e);
		asked = !ret && of_call == object &&
			overlap(v->first * page, v->n * page, w.offset, w.length);
	} else if (v->device == t->fault_device && v->inode == t->fault_inode) {
		asked = overlap(v->first, v->n, t->fault_page, 1);
	}
	if (!ret)
		page_record(c, t, v, OP_PAGE_CACHE_ADD, asked ? PAGE_ASKED : 0, object,
			    (int64_t)v->n);
	return ret;
}
