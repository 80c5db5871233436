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

/* The file, or NULL. *key: its key in the table, or that of a new file. */
static struct syscall_file *file_find(const struct syscalls *c, uint64_t device, uint64_t inode,
				      uint64_t *key)
{
	const uint32_t *i;
	for (*key = inode ^ device << 32; (i = u64_map_find(&c->file_of, *key)) != NULL; ++*key)
		if (c->file[*i].device == device && c->file[*i].inode == inode)
			return &c->file[*i];
	return NULL;
}

static void file_put(struct syscalls *c, uint64_t device, uint64_t inode, uint32_t object)
{
	uint64_t key;
	struct syscall_file *f = file_find(c, device, inode, &key);
	if (!f) {
		GROW(c->file, c->n_files, c->cap_files);
		u64_map_at(&c->file_of, key, (uint32_t)c->n_files);
		f = &c->file[c->n_files++];
	}
	*f = (struct syscall_file){device, inode, object};
}

int syscalls_identify(struct syscalls *c, const char *path, struct err *e)
{
	uint32_t id;
	uint64_t device, inode;
	if (path[0] != '/')
		return 0;
	int ret = syscall_object(c, path, true, &id, e);
	if (ret || !c->sink.identify || u64_map_find(&c->identified, id))
		return ret;
	const bool known = c->sink.identify(c->sink.context, path, &device, &inode);
	u64_map_at(&c->identified, id, known);
	if (known)
		file_put(c, device, inode, id);
	return 0;
}

static int object_of(struct syscalls *c, const struct page_event *v, uint32_t *id, struct err *e)
{
	char name[80];
	uint64_t key;
	const struct syscall_file *f = file_find(c, v->device, v->inode, &key);
	if (f) {
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

static bool ranges_overlap(uint64_t a, uint64_t a_len, uint64_t b, uint64_t b_len)
{
	return a < b ? b - a < a_len : a - b < b_len;
}

/* Finds out the inode of a file without a known name (deleted, renamed): it is the file that the
 * current call reads at the offset of the new page. */
static void file_learn(struct syscalls *c, const struct page_event *v, const struct call_range *w,
		       uint64_t page)
{
	uint32_t object;
	uint64_t key;
	if (file_find(c, v->device, v->inode, &key) || !w->file->is_path ||
	    w->offset / page != v->first || syscall_object(c, w->file->path, true, &object, NULL))
		return;
	uint32_t *known = u64_map_at(&c->identified, object, false);
	if (!*known)
		file_put(c, v->device, v->inode, object);
	*known = true;
}

/* --- events -------------------------------------------------------------- */

static void page_record(struct syscalls *c, const struct syscall_thread *t,
			const struct page_event *v, enum trace_op op, uint32_t flags,
			uint32_t object, int64_t result)
{
	const uint64_t page = c->sink.page_bytes;
	struct trace_record r = syscall_record(t, v->ns, op);
	r.end_ns = v->ns;
	r.object = object;
	r.offset = v->first * page;
	r.length = v->n * page;
	r.rvalue = result;
	r.flags = flags;
	r.commit = TRACE_COMMIT;
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
			ranges_overlap(v->first * page, v->n * page, w.offset, w.length);
	} else if (v->device == t->fault_device && v->inode == t->fault_inode) {
		asked = ranges_overlap(v->first, v->n, t->fault_page, 1);
	}
	if (!ret)
		page_record(c, t, v, OP_PAGE_CACHE_ADD, asked ? PAGE_ASKED : 0, object,
			    (int64_t)v->n);
	return ret;
}
