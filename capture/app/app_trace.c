/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts the merged records to the requests of a trace. */
#include <sys/utsname.h>

#include "capture/app/app_census.h"
#include "capture/app/app_facts.h"
#include "capture/app/app_files.h"
#include "capture/app/app_threads.h"
#include "capture/op.h"
#include "capture/processes.h"
#include "capture/syscall_table.h"

enum { N_BATCH = 512 };

struct conversion {
	const struct app_config *config;
	const struct spool *spool;
	struct census *census;
	struct request_maker maker;
	/* possible times: within 36 years of the start, half of what a trace can store */
	uint64_t ticks_least, ticks_most;
	struct trace_record batch[N_BATCH];
	size_t n;
	uint64_t seq;
	struct app_outcome *outcome;
	struct app_files files;
	json_t *descriptors;
	struct processes processes;
	struct app_threads threads;
	const struct app_memory *memory;
	struct app_content content;
};

static int batch_write(struct conversion *c, struct err *e)
{
	int ret = trace_writer_append(c->maker.writer, c->batch, c->n, e);
	c->n = 0;
	return ret;
}

/* --- content ------------------------------------------------------------- */

/* Takes content written to regular files inside the root. */
static int content_take(struct conversion *c, const struct process_state *p,
			const struct merge_record *r, struct err *e)
{
	const struct app_open_file *f = state_file(p, r->r->fd);
	static const char *const pseudo[] = {"/dev/", "/proc/", "/sys/", NULL};
	if (!c->content.writer || !f || !f->is_path || !request_name(&c->maker, f->path))
		return 0;
	for (const char *const *m = pseudo; *m; m++)
		if (!strncmp(f->path, *m, strlen(*m)) && strncmp(f->path, "/dev/shm/", 9))
			return 0;
	return app_content_take(&c->content, r, e);
}

static bool writes_content(const struct log_record *l)
{
	const struct op_info *o = op_info(l->op);
	const bool stream =
	    l->op == OP_FWRITE || l->op == OP_FPUTS || l->op == OP_FPUTC || l->op == OP_FPRINTF;
	return l->result > 0 && (o->family == FAMILY_WRITE || stream || l->op == OP_AIO_WRITE ||
				 l->op == OP_AIO_WRITEV);
}

static int content_settle(struct conversion *c, const struct merge_record *r, uint64_t seq,
			  struct err *e)
{
	bool kept;
	if (!c->content.writer)
		return 0;
	/* the content of a failed asynchronous write was recorded at the submission */
	if (!writes_content(r->r)) {
		if (r->r->op == OP_AIO_WRITE || r->r->op == OP_AIO_WRITEV)
			app_content_forget(&c->content, r);
		return 0;
	}
	int ret = app_content_settle(&c->content, r, seq, (uint64_t)r->r->result, &kept, e);
	c->outcome->n_without_content += !kept;
	return ret;
}

static int content_finish(struct conversion *c, struct err *e)
{
	struct content_facts facts = {.n_requests = 0};
	int ret = app_content_finish(&c->content, &facts, e);
	c->outcome->n_content_requests = facts.n_requests;
	c->outcome->n_content_bytes = facts.n_bytes;
	c->outcome->n_content_stored_bytes = facts.n_stored_bytes;
	memcpy(c->outcome->content_name, facts.name, sizeof facts.name);
	return ret;
}

static int request_write(struct conversion *c, struct process_state *p,
			 const struct merge_record *r, const char *path, struct err *e)
{
	struct trace_record *to = &c->batch[c->n];
	int ret = request_make(&c->maker, p, r, path, to, e);
	if (ret == 0 && op_info(r->r->op)->family != FAMILY_MAP)
		c->outcome->n_outside++;
	if (ret <= 0)
		return ret;
	to->seq = c->seq++;
	ret = content_settle(c, r, to->seq, e);
	if (ret)
		return ret;
	return ++c->n == N_BATCH ? batch_write(c, e) : 0;
}

/* close_range(): writes a close for each open descriptor in the range. */
static int closes_write(struct conversion *c, struct process_state *p, const struct merge_record *r,
			struct err *e)
{
	struct log_record one = *r->r;
	struct merge_record shown = *r;
	int ret = 0;
	one.op = OP_CLOSE;
	one.flags = 0;
	one.offset = one.length = 0;
	shown.r = &one;
	if (r->r->result < 0 || r->r->flags & 4)
		return 0;
	for (uint64_t fd = r->r->offset; fd < p->files->n_fds && fd <= r->r->length && !ret; fd++) {
		one.fd = (int32_t)fd;
		if (state_file(p, one.fd))
			ret = request_write(c, p, &shown, NULL, e);
	}
	return ret;
}

/* Writes an fflush for each stream that may have data in its buffer. */
static int buffers_write(struct conversion *c, struct process_state *p,
			 const struct merge_record *r, uint32_t flags, struct err *e)
{
	struct log_record one = {.begin = r->r->begin, .end = r->r->begin, .op = OP_FFLUSH,
				 .dir = AT_FDCWD, .flags = flags};
	struct merge_record shown = {.r = &one, .image = r->image, .pid = r->pid, .tid = r->tid,
				     .second_dir = AT_FDCWD};
	int ret = 0;
	for (int fd = 0; !ret && (fd = state_buffered(p, fd)) >= 0; fd++) {
		one.fd = fd;
		ret = request_write(c, p, &shown, NULL, e);
		p->files->fd[fd].buffers = false;
	}
	return ret;
}

/* After the last record of a program: an exec, _exit() or a signal discards the buffers of its
 * streams. */
static int image_end(struct conversion *c, struct process_state *p, const struct merge_record *r,
		     struct err *e)
{
	if (!r->is_last || c->census->image[r->image].ended)
		return 0;
	return buffers_write(c, p, r, OP_FLUSH_DISCARDS, e);
}

/* Whether the time is possible. The limits are ticks, because a conversion takes longer. */
static bool time_is_sound(const struct conversion *c, uint64_t ticks)
{
	return ticks >= c->ticks_least && ticks <= c->ticks_most;
}

/* Writes an asynchronous request, from its submission to the fetch of its result. */
static int async_write(struct conversion *c, struct process_state *p, const struct merge_record *r,
		       struct err *e)
{
	const struct census_request *q = async_take(&c->census->async);
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

/* Records the initial state of files. */
static void files_follow(struct conversion *c, const struct process_state *p,
			 const struct merge_record *r, const char *path)
{
	const struct log_record *l = r->r;
	if ((l->op == LOG_STATE_OF || l->op == LOG_DIGEST_OF) && r->path)
		path = state_path(&c->maker.state, p, l->dir, r->path, r->path_len);
	const char *name = path ? request_name(&c->maker, path) : NULL;
	if (path && l->op == LOG_STATE_OF && S_ISLNK(l->flags))
		state_link_set(&c->maker.state, path, r->extra, r->extra_len);
	if (!name)
		return;
	if (l->op == LOG_STATE_OF)
		files_see(&c->files, name, r);
	else if (l->op == LOG_DIGEST_OF)
		files_digest(&c->files, name, r);
	else if (l->result >= 0 && (l->op == OP_MKDIR || l->op == OP_SYMLINK ||
				    (l->op == OP_OPEN && l->flags & O_CREAT)))
		files_made(&c->files, name);
	else if (l->result >= 0 && (l->op == OP_RENAME || l->op == OP_LINK)) {
		size_t len;
		const char *second = request_second_path(&c->maker, p, r, &len);
		if (*second && *second != '/' && l->op == OP_RENAME)
			files_renamed(&c->files, name, second, l->flags & RENAME_EXCHANGE);
		else if (*second && *second != '/')
			files_made(&c->files, second);
	}
}

/* Whether the record is valid. The windows are memory of the programs, so a stray write may have
 * damaged it. */
static bool is_sound(const struct conversion *c, const struct log_record *l)
{
	bool known =
	    (l->op > OP_INVALID && l->op < OP_N) || (l->op >= LOG_START && l->op <= LOG_LAST);
	return known && time_is_sound(c, l->begin) &&
	       (!l->end || (l->end >= l->begin && time_is_sound(c, l->end)));
}

/* Follows the processes. A child of vfork uses its parent's image until it executes a program. */
static void processes_follow(struct conversion *c, struct process_state *p,
			     const struct merge_record *r)
{
	const struct request_maker *m = &c->maker;
	if (p->is_listed && r->r->op < OP_N) /* a request: no conversion of its times */
		return;
	const uint32_t image_pid = c->spool->image[r->image].pid;
	const int64_t begin_ns = clock_ns_of_ticks(m->clock, r->r->begin) - m->epoch_ns,
		      end_ns = clock_ns_of_ticks(m->clock, r->r->end) - m->epoch_ns;
	if (!p->is_listed)
		processes_see(&c->processes, r->pid,
			      r->pid != image_pid ? image_pid : c->census->image[r->image].parent,
			      begin_ns);
	p->is_listed = true;
	if (r->r->op == LOG_WAIT && r->r->end && r->r->result > 0 && r->r->result <= UINT32_MAX)
		processes_waited(&c->processes,
				 spool_pid(c->spool, r->image, (uint32_t)r->r->result), r->tid,
				 end_ns);
	app_threads_follow(&c->threads, r, begin_ns, end_ns);
}

static void rename_follow(struct conversion *c, const struct process_state *p,
			  const struct merge_record *r, const char *path)
{
	size_t len;
	if (r->r->op != OP_RENAME || r->r->result || !path || !r->extra_len)
		return;
	if (*request_second_path(&c->maker, p, r, &len))
		state_renamed(&c->maker.state, path, c->maker.second.s,
			r->r->flags & RENAME_EXCHANGE);
}

/* A copy of the file's present path in s->path, or NULL. */
static const char *path_of(struct app_state *s, const struct app_open_file *f)
{
	if (!f || !f->is_path || f->unnamed)
		return NULL;
	strbuf_reset(&s->path);
	strbuf_addstr(&s->path, state_file_now(f));
	return s->path.s;
}

static int record_convert(struct conversion *c, const struct merge_record *r, struct err *e)
{
	if (!is_sound(c, r->r)) {
		c->outcome->n_garbled++;
		if (r->r->op == LOG_AIO_SUBMIT)
			async_take(&c->census->async); /* the census has also counted it */
		return 0;
	}
	const struct census_image *i = &c->census->image[r->image];
	/* applied before a new process inherits the descriptors of its parent */
	state_advance(&c->maker.state, r->r->begin);
	struct process_state *p = state_process(&c->maker.state, r->image, r->pid,
						c->spool->image[r->image].pid, i->parent);
	int ret = 0;
	processes_follow(c, p, r);
	const char *path = NULL;
	uint32_t no_follow = 0;
	struct log_record own;
	struct merge_record changed;
	if (r->r->op < OP_N && r->r->op != OP_INVALID) {
		if (r->path && op_info(r->r->op)->uses & OP_HAS_PATH &&
		    (r->path_len || r->r->dir != AT_FDCWD))
			path = state_path_asked(&c->maker.state, p, r->r, r->r->dir, r->path,
						r->path_len, &no_follow);
		else if (r->r->op == OP_FREOPEN) /* without a path: the same file */
			path = path_of(&c->maker.state, state_file(p, r->r->fd));
		if (no_follow) {
			own = *r->r;
			own.flags |= no_follow;
			changed = *r;
			changed.r = &own;
			r = &changed;
		}
		ret = request_write(c, p, r, path, e);
	} else if (r->r->op == LOG_AIO_SUBMIT) {
		ret = async_write(c, p, r, e);
	} else if (r->r->op == LOG_CONTENT_OF) {
		ret = content_take(c, p, r, e);
	} else if (r->r->op == LOG_CHANGE) {
		c->outcome->n_mounts += r->r->flags == CHANGE_MOUNTS;
		c->outcome->n_unshared += r->r->flags == CHANGE_SHARING;
		c->outcome->n_file_actions += r->r->flags == CHANGE_ACTIONS;
	} else if (r->r->op == LOG_CLOSE_RANGE) {
		ret = closes_write(c, p, r, e);
	}
	if (c->config->snapshot || c->config->digests)
		files_follow(c, p, r, path);
	state_apply(&c->maker.state, p, r, path);
	rename_follow(c, p, r, path);
	if (!ret && r->r->op == OP_FFLUSH && r->r->fd < 0 && !r->r->result) /* of all streams */
		ret = buffers_write(c, p, r, 0, e);
	ret = ret ? ret : image_end(c, p, r, e);
	if (r->r->op == LOG_FD && p->is_root) {
		/* records the initial descriptors of a program whose parent was not captured */
		const struct app_open_file *f = state_file(p, r->r->fd);
		const char *name = f && f->is_path ? request_name(&c->maker, f->path)
				   : f             ? f->path
						   : NULL;
		if (name)
			facts_descriptor_add(c->descriptors, p->pid, r->r, f->path, name);
	}
	return ret;
}

/* --- writing the trace -------------------------------------------------- */

static int records_convert(struct conversion *c, struct merge *m, struct err *e)
{
	struct merge_record r;
	int ret = 0;
	while (!ret && merge_next(m, &r))
		ret = record_convert(c, &r, e);
	return ret ? ret : batch_write(c, e);
}

static int trace_make(struct conversion *c, struct merge *m, struct trace_meta *meta, struct err *e)
{
	const struct trace_write_options how = {.compress = c->config->compress};
	int ret = trace_writer_open(&c->maker.writer, c->config->output, meta, &how, e);
	if (ret)
		return ret;
	ret = c->config->content ? app_content_open(&c->content, c->config->output, e) : 0;
	ret = ret ? ret : records_convert(c, m, e);
	/* before the metadata, which contain the id of the content file */
	ret = ret ? ret : content_finish(c, e);
	c->outcome->n_requests = c->seq;
	c->outcome->n_lost += c->outcome->n_garbled;
	json_auto_t *processes = processes_list(&c->processes),
		    *threads = processes_list(&c->threads.rows),
		    *affinity = facts_affinity(c->spool);
	char *facts = facts_text(c->config, c->outcome, c->descriptors, processes, threads,
				 affinity, c->memory, c->maker.epoch_ns);
	meta->extra_json = facts;
	meta->n_events_lost = c->outcome->n_lost;
	ret = ret ? ret : files_meta_set(&c->files, c->maker.writer, meta, &c->outcome->files, e);
	free(facts);
	ret = trace_writer_end(c->maker.writer, ret, e);
	/* replaces the previous content together with its trace, not earlier */
	int closed = app_content_close(&c->content, ret != 0, ret ? NULL : e);
	return ret ? ret : closed;
}

int app_trace_write(const struct app_config *c, const struct spool *s, const struct clock *clock,
		    uint64_t start, int64_t wall_epoch_ns, const struct app_memory *memory,
		    struct app_outcome *o, struct err *e)
{
	struct merge *m = NULL;
	struct census census;
	struct utsname host = {.nodename = ""};
	char *root = realpath(c->root, NULL);
	if (!root)
		return err_sys(e, errno, "cannot use the directory %s (--root)", c->root);
	int ret = merge_open(&m, s, e);
	if (ret) {
		free(root);
		return ret;
	}
	SCOPED_FREE struct conversion *v = xcalloc(1, sizeof *v);
	*v = (struct conversion){
	    .config = c, .spool = s, .census = &census, .outcome = o, .memory = memory};
	request_maker_init(&v->maker, clock, start, root, c->root);
	v->ticks_least = clock_ticks_of_ns(clock, v->maker.epoch_ns - TRACE_TIME_MAX / 2);
	v->ticks_most = clock_ticks_of_ns(clock, v->maker.epoch_ns + TRACE_TIME_MAX / 2);
	v->maker.state.links.since_ns = wall_epoch_ns;
	v->descriptors = json_array();
	processes_init(&v->processes);
	app_threads_init(&v->threads);
	merge_events(m);
	census_take(&census, s, m, clock, start, wall_epoch_ns, o);
	merge_rewind(m);
	o->n_threads = merge_n_threads(m);
	o->n_torn = s->n_torn;
	o->n_lost = atomic_load(&s->control->n_lost) + s->n_torn;
	struct strbuf command = STRBUF_INIT;
	strbuf_addwords(&command, c->command);
	uname(&host);
	struct trace_meta meta = {
	    .level = LEVEL_SYSCALL,
	    .epoch_ns = v->maker.epoch_ns,
	    .wall_epoch_ns = wall_epoch_ns,
	    .clock = clock->source == CLOCK_SOURCE_TSC ? "tsc" : "monotonic",
	    .clock_resolution_ns = clock->resolution_ns,
	    .clock_read_cost_ns = clock->read_cost_ns,
	    .host = host.nodename,
	    .command = command.s,
	    .captured_by = "validate capture app " VALIDATE_VERSION,
	    .root = root,
	};
	ret = trace_make(v, m, &meta, e);
	strbuf_release(&command);
	census_release(&census);
	request_maker_release(&v->maker);
	files_release(&v->files);
	json_decref(v->descriptors);
	processes_release(&v->processes);
	app_threads_release(&v->threads);
	merge_close(m);
	free(root);
	return ret;
}
