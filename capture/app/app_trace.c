/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The merged records as requests of a trace. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "capture/app/app_census.h"
#include "capture/app/app_content.h"
#include "capture/app/app_facts.h"
#include "capture/processes.h"
#include "capture/app/app_files.h"
#include "capture/app/app_state.h"
#include "capture/op.h"
#include "common/xalloc.h"

enum { N_BATCH = 512 };

struct conversion {
	const struct app_config *config;
	const struct spool *spool;
	const struct clock *clock;
	struct census *census;
	const char *root; /* absolute, "" for "/" */
	size_t root_len;
	const char *link; /* the same by the name it was given, where that is an absolute path and goes through a link; NULL */
	size_t link_len;
	int64_t epoch_ns;
	struct trace_writer *writer;
	struct app_state state;
	struct trace_record batch[N_BATCH];
	size_t n;
	uint64_t seq;
	struct app_outcome *outcome;
	struct strbuf second;
	struct app_files files;
	json_t *descriptors;
	struct processes processes;
	const struct app_memory *memory;
	struct app_content content;
};

/* --- names ---------------------------------------------------------------------------------------------------------- */

/* The path relative to the root, or NULL where it lies elsewhere. */
static const char *below(const char *root, size_t len, const char *path)
{
	if (strncmp(path, root, len) || (path[len] && path[len] != '/'))
		return NULL;
	path += len;
	path += *path == '/';
	return *path ? path : ".";
}

static const char *below_root(const struct conversion *c, const char *path)
{
	const char *name = below(c->root, c->root_len, path);
	return name || !c->link ? name : below(c->link, c->link_len, path);
}

/* 1: *id is the object; 0: it lies outside the root; or a negative errno. */
static int object_of(struct conversion *c, const char *path, bool is_path, uint32_t *id, struct err *e)
{
	const char *name = is_path ? below_root(c, path) : c->root_len ? NULL : path;
	if (!name)
		return 0;
	int rc = trace_writer_object(c->writer, is_path ? OBJECT_PATH : OBJECT_FD, name, id, e);
	return rc ? rc : 1;
}

static int file_object(struct conversion *c, const struct open_file *f, uint32_t *id, struct err *e)
{
	*id = OBJECT_NONE;
	return f ? object_of(c, f->path, f->is_path, id, e) : !c->root_len;
}

/* --- one request ----------------------------------------------------------------------------------------------------- */

static int64_t time_of(const struct conversion *c, uint64_t ticks)
{
	return clock_ns_of_ticks(c->clock, ticks) - c->epoch_ns;
}

/* The second path of rename and link; it is joined like the first. What a symbolic link points at stays as it is. */
static const char *second_path(struct conversion *c, const struct process_state *p, const struct merge_record *r,
			       size_t *len)
{
	*len = r->extra_len;
	if (r->r->op == OP_SYMLINK)
		return r->extra;
	struct strbuf keep = c->state.path;
	c->state.path = c->second;
	const char *path = state_path(&c->state, p, r->second_dir, r->extra, r->extra_len);
	c->second = c->state.path;
	c->state.path = keep;
	const char *name = path ? below_root(c, path) : NULL;
	name = name ? name : path ? path : "";
	*len = strlen(name);
	return name;
}

static int heap_put(struct conversion *c, const struct process_state *p, const struct merge_record *r,
		    struct trace_record *to, struct err *e)
{
	unsigned int uses = op_info(r->r->op)->uses;
	const char *data = r->extra;
	size_t len = r->extra_len;
	struct op_peer peer;
	if (!(uses & OP_HEAP) || !len)
		return 0;
	if (uses & OP_HEAP_PATH)
		data = second_path(c, p, r, &len);
	if (uses & OP_HEAP_PEER && len == sizeof peer) {
		memcpy(&peer, data, sizeof peer);
		struct open_file *f = state_file(p, peer.fd);
		int rc = r->r->op == OP_DUP2 ? 0 : file_object(c, f, &peer.object, e);
		if (rc < 0)
			return rc;
		if (peer.offset == OFFSET_NONE && f && f->position_known && !f->append && r->r->op != OP_DUP2)
			peer.offset = f->position;
		data = (const char *)&peer;
	}
	return trace_writer_heap(c->writer, data, len, &to->heap, e);
}

/* Where it began to read or write. */
static uint64_t position_of(const struct process_state *p, const struct log_record *r, unsigned int uses)
{
	const struct open_file *f = state_file(p, r->fd);
	bool writes = op_info(r->op)->family == FAMILY_WRITE;
	bool at_position = uses & OP_KNOWS_OFFSET || r->op == OP_PREADV2 || r->op == OP_PWRITEV2;
	if (r->offset != OFFSET_NONE || !at_position)
		return r->offset;
	return f && f->position_known && !(writes && f->append) ? f->position : OFFSET_NONE;
}

/* Which object the request is about. 1, 0 (outside the root) or an error. */
static int request_object(struct conversion *c, const struct process_state *p, const struct merge_record *r,
			  const char *path, struct trace_record *to, struct err *e)
{
	unsigned int uses = op_info(r->r->op)->uses;
	if (uses & OP_HAS_PATH && path)
		return object_of(c, path, true, &to->object, e);
	if (op_info(r->r->op)->family == FAMILY_MAP && r->r->op != OP_MMAP) {
		const struct mapping *m = state_mapping(p, r->r->offset, r->r->length);
		return m ? file_object(c, m->file, &to->object, e) : 0; /* memory without a file is none of our business */
	}
	if (uses & OP_HAS_FD)
		return file_object(c, state_file(p, r->r->fd), &to->object, e);
	return 1;
}

static void request_fill(const struct conversion *c, const struct process_state *p, const struct merge_record *r,
			 struct trace_record *to)
{
	const struct log_record *l = r->r;
	unsigned int uses = op_info(l->op)->uses;
	*to = (struct trace_record){
	    .begin_ns = time_of(c, l->begin),
	    .end_ns = l->end ? time_of(c, l->end) : TIME_NONE, /* an asynchronous one nobody asked after */
	    .intended_ns = TIME_NONE,
	    .dispatch_ns = TIME_NONE,
	    .offset = position_of(p, l, uses),
	    .length = l->length,
	    .rvalue = l->result,
	    .pid = r->pid,
	    .tid = r->tid,
	    .object = OBJECT_NONE,
	    .fd = uses & OP_HAS_FD ? l->fd : uses & OP_RETURNS_FD && l->result >= 0 ? (int32_t)l->result : -1,
	    .flags = l->op == OP_IO_URING_ENTER ? 0 : l->flags,
	    .heap = HEAP_NONE,
	    .op = l->op,
	    .error = l->error,
	};
}

static int batch_write(struct conversion *c, struct err *e)
{
	int rc = trace_writer_append(c->writer, c->batch, c->n, e);
	c->n = 0;
	return rc;
}

/* --- content --------------------------------------------------------------------------------------------------------- */

/* Of regular files, as far as can be told, inside the root. */
static int content_take(struct conversion *c, const struct process_state *p, const struct merge_record *r, struct err *e)
{
	const struct open_file *f = state_file(p, r->r->fd);
	static const char *const made_up[] = {"/dev/", "/proc/", "/sys/", NULL};
	if (!c->content.writer || !f || !f->is_path || !below_root(c, f->path))
		return 0;
	for (const char *const *m = made_up; *m; m++)
		if (!strncmp(f->path, *m, strlen(*m)) && strncmp(f->path, "/dev/shm/", 9))
			return 0;
	return app_content_take(&c->content, r, e);
}

static bool writes_content(const struct log_record *l)
{
	const struct op_info *o = op_info(l->op);
	const bool stream = l->op == OP_FWRITE || l->op == OP_FPUTS || l->op == OP_FPUTC || l->op == OP_FPRINTF;
	return l->result > 0 && (o->family == FAMILY_WRITE || stream || l->op == OP_AIO_WRITE || l->op == OP_AIO_WRITEV);
}

static int content_settle(struct conversion *c, const struct merge_record *r, uint64_t seq, struct err *e)
{
	bool kept;
	if (!c->content.writer)
		return 0;
	if (!writes_content(r->r)) { /* an asynchronous one that failed was noted when it was handed over */
		if (r->r->op == OP_AIO_WRITE || r->r->op == OP_AIO_WRITEV)
			app_content_forget(&c->content, r);
		return 0;
	}
	int rc = app_content_settle(&c->content, r, seq, (uint64_t)r->r->result, &kept, e);
	c->outcome->n_without_content += !kept;
	return rc;
}

static int content_finish(struct conversion *c, struct err *e)
{
	struct content_facts facts = {.n_requests = 0};
	int rc = app_content_finish(&c->content, &facts, e);
	c->outcome->n_content_requests = facts.n_requests;
	c->outcome->n_content_bytes = facts.n_bytes;
	c->outcome->n_content_stored_bytes = facts.n_stored_bytes;
	memcpy(c->outcome->content_name, facts.name, sizeof facts.name);
	return rc;
}

static int request_write(struct conversion *c, struct process_state *p, const struct merge_record *r, const char *path,
			 struct err *e)
{
	struct trace_record *to = &c->batch[c->n];
	request_fill(c, p, r, to);
	int rc = request_object(c, p, r, path, to, e);
	if (rc == 0 && op_info(r->r->op)->family != FAMILY_MAP)
		c->outcome->n_outside++;
	if (rc <= 0)
		return rc;
	rc = heap_put(c, p, r, to, e);
	if (rc)
		return rc;
	to->seq = c->seq++;
	rc = content_settle(c, r, to->seq, e);
	if (rc)
		return rc;
	return ++c->n == N_BATCH ? batch_write(c, e) : 0;
}

/* One call that closed many: a close for each descriptor that was open. */
static int closes_write(struct conversion *c, struct process_state *p, const struct merge_record *r, struct err *e)
{
	struct log_record one = *r->r;
	struct merge_record shown = *r;
	int rc = 0;
	one.op = OP_CLOSE;
	one.flags = 0;
	one.offset = one.length = 0;
	shown.r = &one;
	if (r->r->result < 0 || r->r->flags & 4)
		return 0;
	for (uint64_t fd = r->r->offset; fd < p->n_fds && fd <= r->r->length && !rc; fd++) {
		one.fd = (int32_t)fd;
		if (state_file(p, one.fd))
			rc = request_write(c, p, &shown, NULL, e);
	}
	return rc;
}

static bool time_is_sound(const struct conversion *c, uint64_t ticks)
{
	int64_t ns;
	return !__builtin_sub_overflow(clock_ns_of_ticks(c->clock, ticks), c->epoch_ns, &ns) && ns <= TRACE_TIME_MAX &&
	       ns >= -TRACE_TIME_MAX;
}

/* An asynchronous request: from its submission to when its result was fetched. */
static int async_write(struct conversion *c, struct process_state *p, const struct merge_record *r, struct err *e)
{
	const struct async_request *q = async_take(&c->census->async);
	struct log_record one = *r->r;
	struct merge_record shown = *r;
	if (r->r->flags < OP_AIO_READ || r->r->flags >= OP_N)
		return 0;
	one.op = (uint16_t)r->r->flags;
	one.flags = one.op == OP_AIO_OTHER ? (uint32_t)r->r->dir : 0;
	one.result = q->result < 0 ? -1 : q->result;
	one.error = q->result < 0 && q->result > -4096 ? (uint16_t)-q->result : 0;
	shown.r = &one;
	shown.extra_len = 0;
	one.end = q->end >= one.begin && time_is_sound(c, q->end) ? q->end : 0;
	return request_write(c, p, &shown, NULL, e);
}

/* How the files were at first. */
static void files_follow(struct conversion *c, const struct process_state *p, const struct merge_record *r, const char *path)
{
	const struct log_record *l = r->r;
	if ((l->op == LOG_STATE_OF || l->op == LOG_DIGEST_OF) && r->path)
		path = state_path(&c->state, p, l->dir, r->path, r->path_len);
	const char *name = path ? below_root(c, path) : NULL;
	if (!name)
		return;
	if (l->op == LOG_STATE_OF)
		files_see(&c->files, name, r);
	else if (l->op == LOG_DIGEST_OF)
		files_digest(&c->files, name, r);
	else if (l->result >= 0 && (l->op == OP_MKDIR || l->op == OP_SYMLINK || (l->op == OP_OPEN && l->flags & O_CREAT)))
		files_made(&c->files, name);
	else if (l->result >= 0 && (l->op == OP_RENAME || l->op == OP_LINK)) {
		size_t len;
		const char *second = second_path(c, p, r, &len);
		if (*second && *second != '/')
			files_made(&c->files, second);
	}
}

/* What the first program of all, or one whose parent could not be seen, found open. */
static void descriptor_note(struct conversion *c, const struct process_state *p, const struct log_record *r)
{
	const struct open_file *f = state_file(p, r->fd);
	const char *name = f && f->is_path ? below_root(c, f->path) : f ? f->path : NULL;
	if (name)
		facts_descriptor_add(c->descriptors, p->pid, r, f->path, name);
}

/* The windows are the programs' memory: a stray write may have hit a record. */
static bool is_sound(const struct conversion *c, const struct log_record *l)
{
	bool known = (l->op > OP_INVALID && l->op < OP_N) || (l->op >= LOG_START && l->op <= LOG_LAST);
	return known && time_is_sound(c, l->begin) && (!l->end || (l->end >= l->begin && time_is_sound(c, l->end)));
}

/* A child of vfork shares its parent's image until it has one of its own. */
static void processes_follow(struct conversion *c, struct process_state *p, const struct merge_record *r)
{
	uint32_t image_pid = c->spool->image[r->image].pid;
	if (!p->is_listed)
		processes_see(&c->processes, r->pid, r->pid != image_pid ? image_pid : c->census->image[r->image].parent,
			      clock_ns_of_ticks(c->clock, r->r->begin) - c->epoch_ns);
	p->is_listed = true;
	if (r->r->op == LOG_WAIT && r->r->end && r->r->result > 0 && r->r->result <= UINT32_MAX)
		processes_waited(&c->processes, spool_pid(c->spool, r->image, (uint32_t)r->r->result), r->tid,
				 clock_ns_of_ticks(c->clock, r->r->end) - c->epoch_ns);
}

static int record_convert(struct conversion *c, const struct merge_record *r, struct err *e)
{
	if (!is_sound(c, r->r)) {
		c->outcome->n_garbled++;
		if (r->r->op == LOG_AIO_ASKED)
			async_take(&c->census->async); /* the census has it all the same */
		return 0;
	}
	const struct census_image *i = &c->census->image[r->image];
	struct process_state *p = state_process(&c->state, r->image, r->pid, c->spool->image[r->image].pid, i->parent);
	int rc = 0;
	state_advance(&c->state, r->r->begin);
	processes_follow(c, p, r);
	const char *path = NULL;
	if (r->r->op < OP_N && r->r->op != OP_INVALID) {
		if (r->path && op_info(r->r->op)->uses & OP_HAS_PATH && (r->path_len || r->r->dir != AT_FDCWD))
			path = state_path(&c->state, p, r->r->dir, r->path, r->path_len);
		rc = request_write(c, p, r, path, e);
	} else if (r->r->op == LOG_AIO_ASKED) {
		rc = async_write(c, p, r, e);
	} else if (r->r->op == LOG_CONTENT_OF) {
		rc = content_take(c, p, r, e);
	} else if (r->r->op == LOG_CLOSE_RANGE) {
		rc = closes_write(c, p, r, e);
	}
	if (c->config->snapshot || c->config->digests)
		files_follow(c, p, r, path);
	state_apply(&c->state, p, r, path);
	if (r->r->op == LOG_FD && p->is_root)
		descriptor_note(c, p, r->r);
	return rc;
}

/* --- the whole ------------------------------------------------------------------------------------------------------- */

static char *command_text(char **argv)
{
	struct strbuf b = STRBUF_INIT;
	for (; *argv; argv++) {
		if (b.len)
			strbuf_addch(&b, ' ');
		strbuf_addstr(&b, *argv);
	}
	return strbuf_detach(&b);
}

static int records_convert(struct conversion *c, struct merge *m, struct err *e)
{
	struct merge_record r;
	int rc = 0;
	while (!rc && merge_next(m, &r))
		rc = record_convert(c, &r, e);
	return rc ? rc : batch_write(c, e);
}

static int trace_make(struct conversion *c, struct merge *m, struct trace_meta *meta, struct err *e)
{
	const struct trace_write_options how = {.compress = c->config->compress};
	int rc = trace_writer_open(&c->writer, c->config->output, meta, &how, e);
	if (rc)
		return rc;
	rc = c->config->content ? app_content_open(&c->content, c->config->output, e) : 0;
	rc = rc ? rc : records_convert(c, m, e);
	rc = rc ? rc : content_finish(c, e); /* the trace names it */
	c->outcome->n_requests = c->seq;
	c->outcome->n_lost += c->outcome->n_garbled;
	json_t *processes = processes_list(&c->processes), *affinity = facts_affinity(c->spool);
	char *facts = facts_text(c->config, c->outcome, c->descriptors, processes, affinity, c->memory, c->epoch_ns);
	json_decref(processes);
	json_decref(affinity);
	meta->extra_json = facts;
	meta->n_events_lost = c->outcome->n_lost;
	files_list(&c->files, &meta->files);
	c->outcome->n_files = meta->files.n;
	for (size_t i = 0; i < meta->files.n; i++)
		c->outcome->n_holes_cut += meta->files.detail[i].holes_cut;
	rc = rc ? rc : trace_writer_set_meta(c->writer, meta, e);
	free(facts);
	free(meta->files.entry);
	free(meta->files.detail);
	if (rc)
		trace_writer_abort(c->writer);
	else
		rc = trace_writer_close(c->writer, e);
	int closed = app_content_close(&c->content, rc != 0, rc ? NULL : e); /* what was there before goes with its trace, not earlier */
	return rc ? rc : closed;
}

int app_trace_write(const struct app_config *c, const struct spool *s, const struct clock *clock, uint64_t start,
		    int64_t wall_epoch_ns, const struct app_memory *memory, struct app_outcome *o, struct err *e)
{
	struct merge *m = NULL;
	struct census census;
	struct utsname host = {.nodename = ""};
	char *root = realpath(c->root, NULL);
	if (!root)
		return err_sys(e, errno, "the root %s", c->root);
	int rc = merge_open(&m, s, e);
	if (rc) {
		free(root);
		return rc;
	}
	struct conversion *v = xcalloc(1, sizeof *v);
	*v = (struct conversion){.config = c, .spool = s, .clock = clock, .census = &census, .outcome = o, .memory = memory};
	v->root_len = strcmp(root, "/") ? strlen(root) : 0;
	v->root = root;
	if (*c->root == '/' && strcmp(c->root, root)) {
		v->link = c->root;
		v->link_len = strlen(c->root);
		while (v->link_len > 1 && v->link[v->link_len - 1] == '/')
			v->link_len--;
	}
	v->epoch_ns = clock_ns_of_ticks(clock, start);
	v->second = (struct strbuf)STRBUF_INIT;
	state_init(&v->state);
	files_init(&v->files);
	v->descriptors = json_array();
	processes_init(&v->processes);
	census_take(&census, s, m, o);
	merge_rewind(m);
	o->n_threads = merge_n_threads(m);
	o->n_torn = s->n_torn;
	o->n_lost = atomic_load(&s->control->n_lost) + s->n_torn;
	char *command = command_text(c->command);
	uname(&host);
	struct trace_meta meta = {
	    .level = LEVEL_SYSCALL,
	    .epoch_ns = v->epoch_ns,
	    .wall_epoch_ns = wall_epoch_ns,
	    .clock = clock->source == CLOCK_SOURCE_TSC ? "tsc" : "monotonic",
	    .clock_resolution_ns = clock->resolution_ns,
	    .clock_read_cost_ns = clock->read_cost_ns,
	    .host = host.nodename,
	    .command = command,
	    .captured_by = "validate capture app " VALIDATE_VERSION,
	    .root = root,
	};
	rc = trace_make(v, m, &meta, e);
	free(command);
	census_release(&census);
	state_release(&v->state);
	files_release(&v->files);
	json_decref(v->descriptors);
	processes_release(&v->processes);
	strbuf_release(&v->second);
	merge_close(m);
	free(v);
	free(root);
	return rc;
}
