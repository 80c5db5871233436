/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/kernel/syscalls.h"

#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "capture/kernel/syscalls_private.h"
#include "common/clock.h"

/* Internal results of the kernel for interrupted calls (ERESTARTSYS and similar), which programs
 * never see. */
#define RESTART_FIRST 512
#define RESTART_LAST 516
#define NAMELESS "unnamed "

struct syscalls *syscalls_open(const struct syscalls_sink *sink, struct record_queue *queue)
{
	struct syscalls *c = xcalloc(1, sizeof *c);
	c->sink = *sink;
	c->queue = queue;
	strbuf_init(&c->second);
	strbuf_init(&c->heap);
	state_init(&c->state);
	c->state.links.reads = !sink->from_text;
	c->state.links.since_ns = clock_realtime_ns();
	return c;
}

void syscalls_close(struct syscalls *c)
{
	if (!c)
		return;
	syscall_rings_abandon(c);
	for (size_t i = 0; i < SYSCALL_THREAD_SLOTS; i++)
		while (c->slot[i])
			syscalls_ended(c, c->slot[i]->tid);
	state_release(&c->state);
	strbuf_release(&c->second);
	strbuf_release(&c->heap);
	u64_map_release(&c->file_of);
	u64_map_release(&c->identified);
	FREE_EACH(c->file, c);
}

void syscalls_rings_read(struct syscalls *c)
{
	c->reads_rings = true;
}

void syscalls_aio_read(struct syscalls *c)
{
	c->reads_aio = true;
}

const struct syscalls_counts *syscalls_counts(const struct syscalls *c)
{
	return &c->counts;
}

/* Whether the state of the file was read after `ns`, so that it includes the effect of a call that
 * ended then. */
static bool looked_up_after(const struct app_open_file *f, int64_t ns)
{
	return f && f->as_of_ns && ns <= f->as_of_ns;
}

/* --- a call begins ------------------------------------------------------- */

struct trace_record syscall_record(const struct syscall_thread *t, int64_t begin_ns,
				     enum trace_op op)
{
	struct trace_record r = record_unknown();
	r.begin_ns = begin_ns;
	r.pid = t->pid;
	r.tid = t->tid;
	r.op = (uint16_t)op;
	return r;
}

static void call_over(struct syscall_thread *t)
{
	state_file_drop(t->closing);
	t->closing = NULL;
	t->row = NULL;
}

void syscalls_forget(struct syscalls *c, uint32_t tid)
{
	struct syscall_thread *t = syscall_thread_of(c, tid);
	if (t->row && t->has_ticket)
		record_queue_drop(c->queue, t->ticket);
	call_over(t);
}

void syscalls_arguments(struct syscalls *c, uint32_t tid, const uint64_t arg[SYSCALL_ARGS])
{
	memcpy(syscall_thread_of(c, tid)->arg, arg, SYSCALL_ARGS * sizeof *arg);
}

/* Whether an unfinished call on memory concerns memory without a file. If not, it gets the object
 * of the file. */
static bool is_without_file(struct syscalls *c, const struct syscall_thread *t,
			    struct trace_record *r)
{
	if (op_info(t->row->op)->family != FAMILY_MAP)
		return false;
	if (t->row->op == OP_MMAP)
		return t->arg[3] & MAP_ANONYMOUS;
	const struct app_mapping *m = state_mapping(t->process, t->arg[0], 1);
	return !m || syscalls_file_object(c, m->file, &r->object, NULL);
}

/* Ends the thread's unfinished call without a result. */
void syscall_abandon(struct syscalls *c, struct syscall_thread *t)
{
	if (t->row) {
		struct trace_record *r =
		    t->has_ticket ? record_queue_at(c->queue, t->ticket) : NULL;
		if (r && is_without_file(c, t, r)) {
			c->counts.n_other++;
			record_queue_drop(c->queue, t->ticket);
			call_over(t);
			return;
		}
		c->counts.n_unfinished++;
		if (r && c->sink.keep_unfinished) {
			r->rvalue = -1;
			r->error = ECANCELED;
			r->commit = TRACE_COMMIT;
		} else if (r) {
			record_queue_drop(c->queue, t->ticket);
		}
	}
	call_over(t);
}

void syscalls_abandon(struct syscalls *c, uint32_t tid)
{
	syscall_abandon(c, syscall_thread_of(c, tid));
}

void syscall_begin(struct syscalls *c, struct syscall_thread *t, int64_t ns,
		   const struct syscall_row *row, const uint64_t arg[SYSCALL_ARGS])
{
	t->row = row;
	t->first_fd = NO_FD;
	t->begin_ns = ns;
	memcpy(t->arg, arg, sizeof t->arg);
	t->has_ticket = !t->hidden && row->kind == SYSCALL_REQUEST;
	if (t->has_ticket) {
		const struct trace_record r = syscall_record(t, ns, row->op);
		t->ticket = record_queue_add(c->queue, &r);
	}
	if (row->op == OP_CLOSE && row->kind == SYSCALL_REQUEST) {
		t->closing = state_file(t->process, (int32_t)arg[0]);
		if (t->closing)
			t->closing->n_users++;
		if (!looked_up_after(t->closing, ns)) /* otherwise, the number was reused already */
			state_descriptor_set(t->process, (int32_t)arg[0], NULL, false);
	}
}

int syscalls_enter(struct syscalls *c, uint32_t tid, int64_t ns, const struct syscall_row *row,
		   const uint64_t arg[SYSCALL_ARGS], struct err *e)
{
	struct syscall_thread *t = syscall_thread_of(c, tid);
	(void)e;
	syscall_abandon(c, t);
	syscall_begin(c, t, ns, row, arg);
	return 0;
}

bool syscalls_pending(struct syscalls *c, uint32_t tid, int64_t *after_ns,
		      const struct syscall_row **row)
{
	const struct syscall_thread *t = syscall_thread_find(c, tid);
	if (!t || !t->row)
		return false;
	*after_ns = t->before_ns;
	*row = t->row;
	return true;
}

/* --- a call ends: its record --------------------------------------------- */

int syscalls_file_object(struct syscalls *c, struct app_open_file *f, uint32_t *id, struct err *e)
{
	int ret = 0;
	if (f && !f->path[0])
		*id = OBJECT_NONE;
	else if (f && f->object && c->sink.from_text)
		*id = f->object - 1;
	else if (f && !(ret = syscall_object(c, f->path, f->is_path, id, e)))
		f->object = *id + 1;
	return ret;
}

static int64_t size_of(const struct syscall_done *d, const struct app_open_file *f)
{
	return d->c->sink.size ? d->c->sink.size(d->c->sink.context, f) : -1;
}

static uint64_t position_of(struct syscall_done *d, struct app_open_file *f)
{
	const struct log_record *l = &d->l;
	unsigned int uses = op_info(l->op)->uses;
	bool at_position = uses & OP_KNOWS_OFFSET || l->op == OP_PREADV2 || l->op == OP_PWRITEV2;
	if (l->offset != OFFSET_NONE || !at_position)
		return l->offset;
	bool appends = f && f->append && op_info(l->op)->family == FAMILY_WRITE;
	if (appends && d->c->sink.size) {
		const int64_t size = size_of(d, f);
		return d->appends_at = size < 0 ? OFFSET_NONE : (uint64_t)size;
	}
	return f && f->position_known && !appends && !looked_up_after(f, (int64_t)l->begin)
		   ? f->position
		   : OFFSET_NONE;
}

/* The object of the current name of the file, after renames. */
static int present_object(struct syscall_done *d, struct app_open_file *f, uint32_t *id,
			  struct err *e)
{
	return f && f->is_path && !f->unnamed
		       ? syscall_object(d->c, state_file_now(f), true, id, e)
		       : syscalls_file_object(d->c, f, id, e);
}

/* Finds the record's object. Returns 1; 0 for memory without a file; or a negative errno. */
static int object_take(struct syscall_done *d, struct app_open_file *f, uint32_t *id, struct err *e)
{
	const struct log_record *l = &d->l;
	unsigned int uses = op_info(l->op)->uses;
	int ret = 0;
	if (uses & OP_HAS_PATH) {
		if (d->path)
			ret = syscall_object(d->c, d->path, true, id, e);
		else if (l->fd >= 0) /* "" with AT_EMPTY_PATH, without a variant for descriptors */
			ret = present_object(d, state_file(d->t->process, l->fd), id, e);
		else if (l->error != EFAULT) /* the known name "" does not count */
			d->c->counts.n_unnamed += !d->has_path || d->path_unknown;
	} else if (op_info(l->op)->family == FAMILY_MAP && l->op != OP_MMAP) {
		const struct app_mapping *m = state_mapping(d->t->process, l->offset, l->length);
		return m ? (ret = syscalls_file_object(d->c, m->file, id, e), ret ? ret : 1) : 0;
	} else if (uses & OP_HAS_FD) {
		ret = syscalls_file_object(d->c, f, id, e);
		d->c->counts.n_unknown += !f && l->fd >= 0 && !l->error;
	}
	return ret ? ret : 1;
}

/* Resolves the second name of rename and link like the first. The target of a symbolic link is not
 * resolved. */
static void second_path(struct syscall_done *d)
{
	struct syscalls *c = d->c;
	if (d->l.op == OP_SYMLINK)
		return;
	struct strbuf keep = c->state.path;
	c->state.path = c->second;
	const char *path = state_path_asked(&c->state, d->t->process, &d->l, d->m.second_dir,
					    d->m.extra, d->m.extra_len, NULL);
	c->second = c->state.path;
	c->state.path = keep;
	d->has_second = path != NULL;
	if (path) {
		path += path[0] == '/' && path[1];
		d->m.extra = path;
		d->m.extra_len = strlen(path);
	}
}

static int heap_put(struct syscall_done *d, struct trace_record *r, struct err *e)
{
	struct syscalls *c = d->c;
	unsigned int uses = op_info(d->l.op)->uses;
	if (uses & OP_HEAP_PEER && d->has_peer) {
		struct op_peer peer = d->peer;
		struct app_open_file *f = state_file(d->t->process, peer.fd);
		int ret = d->l.op == OP_DUP2 ? 0 : syscalls_file_object(c, f, &peer.object, e);
		if (ret)
			return ret;
		if (peer.offset == OFFSET_NONE && f && f->position_known && !f->append &&
		    d->l.op != OP_DUP2)
			peer.offset = f->position;
		return c->sink.heap(c->sink.context, &peer, sizeof peer, &r->heap, e);
	}
	if (!(uses & OP_HEAP || d->l.op == OP_READLINK) || !d->has_extra)
		return 0;
	if (uses & OP_HEAP_PATH)
		second_path(d);
	return c->sink.heap(c->sink.context, d->m.extra, d->m.extra_len, &r->heap, e);
}

static int record_make(struct syscall_done *d, struct app_open_file *f, struct trace_record *r,
		       struct err *e)
{
	const struct log_record *l = &d->l;
	unsigned int uses = op_info(l->op)->uses;
	*r = syscall_record(d->t, d->t->begin_ns, (enum trace_op)l->op);
	r->end_ns = (int64_t)l->end;
	r->offset = position_of(d, f);
	r->length = l->length;
	r->rvalue = l->result;
	r->error = l->error;
	r->flags = l->flags;
	r->fd = uses & OP_HAS_FD                         ? l->fd
		: uses & OP_RETURNS_FD && l->result >= 0 ? (int32_t)l->result
							 : -1;
	if (d->t->process->fs->umask && op_makes_file(l->op, l->flags))
		r->length = op_mode_under(l->op, l->length, d->t->process->fs->umask);
	int ret = object_take(d, f, &r->object, e);
	if (ret <= 0)
		return ret;
	if (r->flags & OP_COPY_CLONES && r->op == OP_COPY_FILE_RANGE && !r->length) {
		/* a copy reads up to the end of the source */
		const int64_t size = size_of(d, f);
		if (size > 0 && (uint64_t)size > r->offset)
			r->length = (uint64_t)size - r->offset;
		r->rvalue = (int64_t)r->length;
	}
	ret = heap_put(d, r, e);
	return ret ? ret : 1;
}

static int hand_over(struct syscall_done *d, struct app_open_file *f, struct err *e)
{
	struct syscalls *c = d->c;
	struct syscall_thread *t = d->t;
	struct trace_record r;
	if (!t->has_ticket)
		return 0;
	bool without_file = d->no_request || (d->l.op == OP_MMAP && (d->l.flags & MAP_ANONYMOUS));
	int ret = without_file ? 0 : record_make(d, f, &r, e);
	struct trace_record *place = record_queue_at(c->queue, t->ticket);
	if (ret <= 0) {
		c->counts.n_other += !ret;
		if (place)
			record_queue_drop(c->queue, t->ticket);
		return ret;
	}
	if (r.op == OP_IO_URING_ENTER && c->reads_rings)
		r.flags = LOG_BY_LIBURING;
	else if (r.op == OP_IO_SUBMIT && c->reads_aio)
		syscall_aio_refused(c, t, r.rvalue > 0 ? (uint64_t)r.rvalue : 0);
	else if ((r.op == OP_IO_SUBMIT || r.op == OP_IO_URING_ENTER) && r.rvalue > 0)
		c->counts.n_handed_over += (uint64_t)r.rvalue;
	c->counts.n_ring_unread += r.op == OP_AIO_OTHER;
	r.commit = TRACE_COMMIT;
	if (place)
		*place = r;
	else
		record_queue_add(c->queue, &r);
	if (c->sink.made)
		c->sink.made(c->sink.context, &r, f, d->has_extra ? d->m.extra : NULL);
	return 0;
}

/* Results below -4095 are addresses, for example of mmap. */
static void result_set(struct log_record *l, int64_t result)
{
	l->result = result;
	if (result >= 0 || result < -4095)
		return;
	l->result = -1;
	l->error = -result >= RESTART_FIRST && -result <= RESTART_LAST ? EINTR : (uint16_t)-result;
}

/* Opens a file with an unknown name, which has a descriptor and a position nevertheless. */
static void open_nameless(struct syscall_done *d)
{
	char name[40];
	if (d->l.op != OP_OPEN || d->l.result < 0 || d->path)
		return;
	snprintf(name, sizeof name, NAMELESS "%llu", (unsigned long long)++d->c->n_nameless);
	struct app_open_file *f = state_file_make(name, strlen(name));
	f->position_known = true;
	f->append = d->l.flags & O_APPEND;
	f->n_users++;
	state_descriptor_set(d->t->process, (int)d->l.result, f, d->l.flags & O_CLOEXEC);
	state_file_drop(f);
}

/* Whether the effect of the call is already known (the descriptor that it created, or the position
 * that it moved), because the state was read after its end. */
static bool is_known(const struct syscall_done *d)
{
	const struct log_record *l = &d->l;
	const unsigned int uses = op_info(l->op)->uses;
	const bool copies =
	    l->op == OP_FCNTL && (l->flags == F_DUPFD || l->flags == F_DUPFD_CLOEXEC);
	if (copies || uses & (OP_RETURNS_FD | OP_MAKES_FD))
		return l->result >= 0 && l->result <= INT32_MAX &&
		       looked_up_after(state_file(d->t->process, (int)l->result), (int64_t)l->end);
	return uses & (OP_MOVES_POSITION | OP_KNOWS_OFFSET | OP_RETURNS_BYTES) &&
	       looked_up_after(state_file(d->t->process, l->fd), (int64_t)l->end);
}

/* A call that was in progress when the position of its file was read may have moved the position
 * before or after that. So the position is unknown; lseek sets it. */
static void position_check(struct syscall_done *d, int fd, uint64_t before)
{
	struct app_open_file *f = state_file(d->t->process, fd);
	if (f && f->position != before && d->l.op != OP_LSEEK &&
	    looked_up_after(f, (int64_t)d->l.begin))
		syscall_position_lost(d->c, f);
}

static uint64_t position_at(const struct syscall_done *d, int fd)
{
	const struct app_open_file *f = state_file(d->t->process, fd);
	return f ? f->position : 0;
}

/* The same for a call that began before the capture. */
static void first_call_ended(struct syscalls *c, struct syscall_thread *t,
			     const struct syscall_row *row, int64_t ns, int64_t result)
{
	const struct process_state *p = t->process;
	const unsigned int uses = row->kind == SYSCALL_REQUEST ? op_info(row->op)->uses : 0;
	const bool moves = uses & (OP_MOVES_POSITION | OP_HEAP_PEER) &&
			   (result > 0 || (row->op == OP_LSEEK && result == 0)),
		   any = t->first_fd == SYSCALLS_ANY_FD || uses & OP_HEAP_PEER;
	for (size_t fd = 0; moves && t->first_fd != NO_FD && fd < p->files->n_fds; fd++) {
		struct app_open_file *f = p->files->fd[fd].file;
		if (f && f->as_of_ns && f->as_of_ns < ns && (any || t->first_fd == (int)fd))
			syscall_position_lost(c, f);
	}
	t->first_fd = NO_FD;
}

/* Records a pipe, a socket or similar under a unique number. */
static void descriptor_made(struct syscall_done *d, int fd)
{
	char name[60];
	const bool close_on_exec =
	    d->l.flags & (d->t->row->number == SYS_memfd_create ? MFD_CLOEXEC : O_CLOEXEC);
	d->c->counts.n_rings +=
	    d->t->row->number == SYS_io_uring_setup && fd >= 0 && !d->c->reads_rings;
	if (!syscall_room_for(d->c, d->t->process, fd) ||
	    looked_up_after(state_file(d->t->process, fd), (int64_t)d->l.end))
		return;
	snprintf(name, sizeof name, "%s:[%llu]", d->t->row->name,
		 (unsigned long long)++d->c->n_made);
	struct app_open_file *f = state_file_make(name, strlen(name));
	f->n_users++;
	state_descriptor_set(d->t->process, fd, f, close_on_exec);
	state_file_drop(f);
}

static void call_apply(struct syscall_done *d)
{
	struct syscalls *c = d->c;
	struct syscall_thread *t = d->t;
	if (d->l.op == OP_MMAP && d->l.flags & MAP_ANONYMOUS)
		d->l.fd = -1;
	if (d->has_peer && (op_info(d->l.op)->uses & OP_HEAP_PEER)) {
		d->m.extra = (const char *)&d->peer;
		d->m.extra_len = sizeof d->peer;
	}
	if (t->row->kind == SYSCALL_CLOSE_RANGE)
		d->l.op = LOG_CLOSE_RANGE;
	bool copies =
	    d->l.op == OP_FCNTL && (d->l.flags == F_DUPFD || d->l.flags == F_DUPFD_CLOEXEC);
	if ((copies || op_info(d->l.op)->uses & (OP_RETURNS_FD | OP_MAKES_FD)) &&
	    !syscall_room_for(c, t->process, d->l.result))
		return;
	if (is_known(d))
		return;
	const int to = d->has_peer ? d->peer.fd : -1;
	const uint64_t before = position_at(d, d->l.fd), to_before = position_at(d, to);
	const size_t n_maps = t->process->n_maps;
	if (d->l.op != OP_CLOSE) /* for a close, syscall_begin() did this */
		state_apply(&c->state, t->process, &d->m, d->path);
	c->n_slots += t->process->n_maps - n_maps;
	if (d->l.op == OP_IOCTL && d->l.flags == TIOCGPTPEER && d->l.result >= 0)
		descriptor_made(d, (int)d->l.result);
	if (d->appends_at != OFFSET_NONE && d->l.result > 0) {
		struct app_open_file *f = state_file(t->process, d->l.fd);
		f->position = d->appends_at + (uint64_t)d->l.result;
		f->position_known = true;
	}
	position_check(d, d->l.fd, before);
	position_check(d, to, to_before);
	if (d->l.op == OP_RENAME && !d->l.result && d->path && d->has_second) {
		const bool exchange = d->l.flags & RENAME_EXCHANGE;
		state_renamed(&c->state, d->path, c->second.s, exchange);
		if (c->sink.renamed)
			c->sink.renamed(c->sink.context, d->path, c->second.s, exchange);
	}
	open_nameless(d);
	/* such a file has the position that lseek returns */
	struct app_open_file *f =
	    d->l.op == OP_LSEEK && d->l.result >= 0 ? state_file(d->t->process, d->l.fd) : NULL;
	if (f && !strncmp(f->path, NAMELESS, sizeof NAMELESS - 1))
		f->position_known = true;
	state_advance(&c->state, d->l.end);
}

static void descriptors_made(struct syscall_done *d)
{
	if (d->l.result >= 0 && d->t->row->kind == SYSCALL_DESCRIPTOR)
		descriptor_made(d, (int)d->l.result);
	if (d->l.result == 0 && d->t->row->kind == SYSCALL_PAIR) {
		/* If the numbers of a pair could not be read, the lowest free numbers are assumed,
		 * above the standard streams unless all descriptors are known. */
		for (int i = 0, fd = d->c->sink.lists_all ? 0 : 3; i < 2; i++, fd++) {
			while (!d->has_pair && state_file(d->t->process, fd))
				fd++;
			descriptor_made(d, d->has_pair ? d->pair[i] : fd);
		}
	}
	state_advance(&d->c->state, d->l.end);
}

/* Makes a close for each open descriptor in the range. */
static int range_close(struct syscall_done *d, struct err *e)
{
	const struct process_state *p = d->t->process;
	int ret = 0;
	if (d->l.result < 0 || d->l.flags & 4 || d->t->hidden)
		return 0;
	for (uint64_t fd = d->l.offset; fd <= d->l.length && fd < p->files->n_fds && !ret; fd++) {
		struct app_open_file *f = state_file(p, (int)fd);
		if (!f)
			continue;
		struct trace_record r = syscall_record(d->t, d->t->begin_ns, OP_CLOSE);
		r.end_ns = (int64_t)d->l.end;
		r.fd = (int32_t)fd;
		ret = syscalls_file_object(d->c, f, &r.object, e);
		r.commit = TRACE_COMMIT;
		if (!ret)
			record_queue_add(d->c->queue, &r);
	}
	return ret;
}

int syscalls_exit(struct syscalls *c, uint32_t tid, int64_t ns, const struct syscall_row *row,
	int64_t result, const struct syscall_memory memory[SYSCALL_MEMORIES], struct err *e)
{
	struct syscall_thread *t = syscall_thread_of(c, tid);
	if (t->row != row) {
		c->counts.n_without_begin += !t->hidden;
		if (!t->row)
			first_call_ended(c, t, row, ns, result);
		syscall_abandon(c, t);
		return 0;
	}
	return syscall_end(c, t, ns, row, result, memory, e);
}

static void change_follow(const struct syscall_done *d)
{
	const int number = d->t->row->number;
	if (d->l.result < 0)
		return;
	/* a replay has one table of descriptors for each process */
	const bool alone = d->t->process->n_threads < 2 || !(d->l.flags & CLONE_FILES);
	const enum syscall_change change =
	    syscall_change_of(number, d->l.flags, d->path, alone);
	d->c->counts.n_mounts += change == CHANGE_MOUNTS;
	d->c->counts.n_unshared += change == CHANGE_SHARING;
	if (number == SYS_unshare)
		syscall_unshared(d->c, d->t, d->l.flags);
}

int syscall_end(struct syscalls *c, struct syscall_thread *t, int64_t ns,
		const struct syscall_row *row, int64_t result,
		const struct syscall_memory memory[SYSCALL_MEMORIES], struct err *e)
{
	struct syscall_done d = {.c = c,
				 .t = t,
				 .l = {.begin = (uint64_t)t->begin_ns,
				       .end = (uint64_t)ns,
				       .fd = -1,
				       .dir = AT_FDCWD,
				       .op = (uint16_t)row->op,
				       .flags = row->flags}};
	d.appends_at = OFFSET_NONE;
	d.m =
	    (struct merge_record){.r = &d.l, .pid = t->pid, .tid = t->tid, .second_dir = AT_FDCWD};
	if (op_info(row->op)->uses & OP_KNOWS_OFFSET)
		d.l.offset = OFFSET_NONE;
	result_set(&d.l, result);
	syscall_args_take(&d, memory);
	uint32_t no_follow = 0;
	if (d.has_path && !d.path_unknown && (d.m.path_len || d.l.dir != AT_FDCWD))
		d.path = state_path_asked(&c->state, t->process, &d.l, d.l.dir, d.m.path,
					  d.m.path_len, &no_follow);
	d.l.flags |= no_follow;
	struct app_open_file *f = row->op == OP_CLOSE ? t->closing : state_file(t->process, d.l.fd);
	int ret = 0;
	if (row->kind == SYSCALL_DESCRIPTOR || row->kind == SYSCALL_PAIR) {
		descriptors_made(&d);
	} else if (row->kind == SYSCALL_CHANGE) {
		change_follow(&d);
	} else if (row->kind == SYSCALL_UMASK) {
		t->process->fs->umask = OP_UMASK_KNOWN | (uint32_t)(d.l.length & 0777);
	} else {
		ret = row->kind == SYSCALL_CLOSE_RANGE ? range_close(&d, e) : hand_over(&d, f, e);
		if (!ret && d.l.op == OP_OPEN && d.l.result >= 0 && d.path)
			ret = syscalls_identify(c, d.path, e);
		call_apply(&d);
	}
	t->before_ns = ns;
	call_over(t);
	return ret;
}

void syscalls_finish(struct syscalls *c)
{
	syscall_rings_abandon(c);
	for (size_t i = 0; i < SYSCALL_THREAD_SLOTS; i++)
		for (struct syscall_thread *t = c->slot[i]; t; t = t->next) {
			syscall_abandon(c, t);
			/* not the kernel's threads of a ring, which end later */
			c->counts.n_alive += !t->hidden && t->tid == t->pid;
		}
}

void syscalls_program_unseen(struct syscalls *c)
{
	c->counts.n_programs_unseen++;
}
