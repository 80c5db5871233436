/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/result/output.h"

#include "common/sort.h"
#include "replay/result/overlap.h"

#define BATCH 256

struct output {
	const struct output_source *from;
	const struct replay_config *c;
	struct replay_summary *s;
	struct trace *input;
	struct trace_writer *w; /* NULL: only the summary is computed */
	/* object_of[n_objects]: number in the output of each input object; NONE32: not in the
	 * output yet */
	uint32_t *object_of;
	uint32_t n_objects;
	struct trace_record batch[BATCH];
	size_t n_batch;
	struct trace_record *repeated; /* appended last */
	size_t n_repeated, repeated_cap;
	int64_t epoch_ns, input_first_ns;
	int64_t first_ns, last_ns, input_last_ns;
	double sum_ns, input_sum_ns; /* of the same requests, as far as the input has their times */
	uint64_t n_input_sum;
	bool input_known; /* input_first_ns and input_last_ns are known for the requests */
	/* issue_error[n_room]: those of requests that were on time for the machine from the front,
	 * those of CPU-delayed requests from the back */
	double *issue_error;
	uint64_t n_room;
	struct overlap overlap;
};

static bool is_file(const char *path, const struct stat *st)
{
	struct stat of_path;
	return path && stat(path, &of_path) == 0 && of_path.st_dev == st->st_dev &&
	       of_path.st_ino == st->st_ino;
}

int output_check(const char *input, const char *output, const char *device, struct err *e)
{
	struct stat out;
	bool existed = stat(output, &out) == 0;
	if (existed && !S_ISREG(out.st_mode))
		return err_set(e, EINVAL, "%s: the output is not a regular file", output);
	if (existed && is_file(input, &out))
		return err_set(e, EINVAL, "%s: the output would overwrite the input", output);
	if (existed && is_file(device, &out))
		return err_set(e, EINVAL, "%s: the output would overwrite the device", output);
	int fd = open(output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_sys(e, errno, "cannot write %s", output);
	close(fd);
	if (!existed)
		unlink(output);
	return 0;
}

/* --- one record ---------------------------------------------------------- */

static int64_t time_of(const struct output *o, uint64_t ticks)
{
	return clock_ns_of_ticks(o->from->clock, ticks) - o->epoch_ns;
}

static int object_copy(struct output *o, uint32_t id, uint32_t *copy, struct err *e)
{
	*copy = OBJECT_NONE;
	const struct trace_object *object = id < o->n_objects ? trace_object(o->input, id) : NULL;
	if (!object)
		return 0;
	if (o->object_of[id] == NONE32) {
		int ret =
		    trace_writer_object(o->w, object->kind, object->name, &o->object_of[id], e);
		if (ret)
			return ret;
	}
	*copy = o->object_of[id];
	return 0;
}

static int references_copy(struct output *o, struct trace_record *r, struct err *e)
{
	size_t len;
	const void *data;
	const uint32_t heap = r->heap;
	r->heap = HEAP_NONE;
	if (!o->w)
		return 0;
	int ret = heap == HEAP_NONE ? 0 : trace_heap(o->input, heap, &data, &len, e);
	if (!ret && heap != HEAP_NONE && data)
		ret = trace_writer_heap(o->w, data, len, &r->heap, e);
	return ret ? ret : object_copy(o, r->object, &r->object, e);
}

static void outcome_put(const struct output *o, struct trace_record *r,
			const struct output_outcome *got)
{
	const struct outcome *out = &got->outcome;
	r->begin_ns = time_of(o, out->begin_ticks);
	r->end_ns = time_of(o, out->end_ticks);
	r->dispatch_ns = got->dispatch_ticks ? time_of(o, got->dispatch_ticks) : TIME_NONE;
	r->error = out->rvalue < 0 ? (uint16_t)-out->rvalue : 0;
	r->rvalue = out->rvalue < 0 ? -1 : got->success;
}

/* Whether the record is computing or waiting, which are not requests. */
static bool is_cause(uint16_t op)
{
	return op_info(op)->family == FAMILY_CAUSE;
}

/* Whether the request has a response time: touches of pages have no duration in traces. */
static bool is_response(uint16_t op)
{
	return op_info(op)->family != FAMILY_PAGE && !is_cause(op);
}

static void input_count(struct output *o, const struct trace_record *r)
{
	o->s->n_causes += is_cause(r->op);
	if (r->begin_ns == TIME_NONE || r->end_ns == TIME_NONE || is_cause(r->op))
		return;
	if (!o->input_known || r->begin_ns < o->input_first_ns)
		o->input_first_ns = r->begin_ns;
	if (!o->input_known || r->end_ns > o->input_last_ns)
		o->input_last_ns = r->end_ns;
	o->input_known = true;
}

static bool was_refused(int64_t expected, int64_t actual)
{
	return (expected == -EACCES || expected == -EPERM) && actual >= 0 && geteuid() == 0;
}

/* Whether the traced call met a limit of its process, a quota or a full file system. A write that
 * meets such a limit may transfer a part of its bytes. */
static bool was_limited(const struct trace_record *r, int64_t expected, int64_t actual)
{
	const bool error = expected == -EMFILE || expected == -ENFILE || expected == -EFBIG ||
			   expected == -ENOSPC || expected == -EDQUOT;
	const bool part = op_info(r->op)->family == FAMILY_WRITE && expected > 0 &&
			  (uint64_t)expected < r->length;
	return (error && actual >= 0) || (part && actual > expected);
}

/* Whether the error depends on the state of the storage. In calls on files some of these errors
 * have other causes as well, but not in requests to a device. */
static bool is_storage_error(enum trace_level level, int64_t error)
{
	switch (error) {
	case EIO:
	case ENOSPC:
	case EDQUOT:
	case EROFS:
	case ESTALE:
	case EUCLEAN:
	case EBADMSG:
	case EREMOTEIO:
	case ENOMEDIUM:
		return true;
	case ENXIO:
	case ENODEV:
	case ENODATA:
	case ENOLINK:
	case ETIMEDOUT:
	case EILSEQ:
		return level == LEVEL_BLOCK;
	default:
		return false;
	}
}

/* `object`: number in the input. */
static void mismatch_note(struct output *o, const struct trace_record *r, uint32_t object,
			  int64_t expected, int64_t actual)
{
	struct replay_summary *s = o->s;
	if (s->n_mismatches < REPLAY_MISMATCHES_SHOWN) {
		struct replay_mismatch *m = &s->mismatch[s->n_mismatches];
		*m = (struct replay_mismatch){
			.seq = r->seq, .op = r->op, .expected = expected, .actual = actual};
		const struct trace_object *named = trace_object(o->input, object);
		const char *path = named && named->name ? named->name : "";
		size_t len = strlen(path),
		       cut = len < sizeof m->path ? 0 : len - sizeof m->path + 1;
		memcpy(m->path, path + cut, len - cut + 1);
	}
	s->n_mismatches++;
	if (is_storage_error(o->from->level, -actual) && s->n_storage_errors++ == 0) {
		s->first_storage_error = (int)-actual;
		s->first_storage_error_seq = r->seq;
	}
	s->n_mismatches_of[r->op < OP_N ? r->op : OP_INVALID]++;
	s->n_mismatches_privileged += was_refused(expected, actual);
	s->n_mismatches_limited += was_limited(r, expected, actual);
	s->n_mismatches_interrupted += expected == -EINTR && actual != -EINTR;
}

/* Whether the call changes names, files or locks. */
static bool changes_files(const struct trace_record *r)
{
	switch (r->op) {
	case OP_FCNTL:
		return op_is_lock(r->flags) && r->flags != F_GETLK && r->flags != F_OFD_GETLK;
	case OP_OPEN:
	case OP_FOPEN:
	case OP_FREOPEN:
		return r->flags & (O_CREAT | O_TRUNC);
	case OP_MKDIR:
	case OP_MKNOD:
	case OP_SYMLINK:
	case OP_RMDIR:
	case OP_UNLINK:
	case OP_RENAME:
	case OP_LINK:
	case OP_TRUNCATE:
	case OP_FTRUNCATE:
	case OP_FALLOCATE:
	case OP_FLOCK:
	case OP_LOCKF:
		return true;
	default:
		return op_info(r->op)->family == FAMILY_WRITE;
	}
}

static bool is_close_call(const struct trace_record *r)
{
	return !r->rvalue && (r->op == OP_CLOSE || r->op == OP_FCLOSE || r->op == OP_CLOSEDIR);
}

/* Counts mismatches of calls that overlapped a change of the same name or file, or the reuse of a
 * descriptor. */
static int overlap_count(struct output *o, const struct trace_record *traced,
			 const struct output_result *f, struct err *e)
{
	const struct trace_object *named = trace_object(o->input, traced->object);
	const bool two = traced->op == OP_RENAME || traced->op == OP_LINK;
	const void *second = NULL;
	size_t len = 0;
	if (o->c->order == ORDER_FS || o->s->n_threads == 1 || !named || !named->name ||
	    traced->end_ns == TIME_NONE)
		return 0;
	int ret = two ? trace_heap(o->input, traced->heap, &second, &len, e) : 0;
	if (ret)
		return ret;
	o->s->n_mismatches_overlapped += overlap_add(
	    &o->overlap,
	    (struct overlap_call){
		.begin_ns = traced->begin_ns,
		.end_ns = traced->end_ns,
		.pid = traced->pid,
		.tid = traced->tid,
		.fd = traced->fd,
		.opened = op_info(traced->op)->uses & OP_RETURNS_FD && traced->rvalue >= 0
				  ? (int32_t)traced->rvalue
				  : -1,
		.closed = is_close_call(traced) ? traced->fd : -1,
		.path = named->name,
		.second = second ? xasprintf("%.*s", (int)len, (const char *)second) : NULL,
		.changes = changes_files(traced),
		.differs = outcome_differs(&f->first.outcome, f->expected) &&
			   !was_refused(f->expected, f->first.outcome.rvalue) &&
			   f->expected != -EINTR});
	return 0;
}

static void issue_error_add(struct output *o, const struct trace_record *r, bool cpu_delayed)
{
	struct replay_summary *s = o->s;
	const double error = (double)(r->begin_ns - r->intended_ns);
	const uint64_t at =
	    cpu_delayed ? o->n_room - ++s->n_cpu_delayed : s->n_timed - s->n_cpu_delayed;
	o->issue_error[at] = error;
	s->n_timed++;
	if (!cpu_delayed)
		return;
	s->cpu_delay_ns += error;
	s->cpu_delay_max_ns = fmax(s->cpu_delay_max_ns, error);
}

static void traced_response_add(struct output *o, const struct trace_record *traced)
{
	if (traced->begin_ns == TIME_NONE || traced->end_ns == TIME_NONE)
		return;
	o->input_sum_ns += (double)(traced->end_ns - traced->begin_ns);
	o->n_input_sum++;
}

static void outcome_count(struct output *o, const struct trace_record *r,
			  const struct trace_record *traced, const struct output_result *f)
{
	const struct outcome *out = &f->first.outcome;
	struct replay_summary *s = o->s;
	if (is_cause(r->op)) {
		s->n_causes_done++;
	} else {
		const bool first = s->n_issued == s->n_causes_done;
		if (first || r->begin_ns < o->first_ns)
			o->first_ns = r->begin_ns;
		if (first || r->end_ns > o->last_ns)
			o->last_ns = r->end_ns;
	}
	s->n_issued++;
	s->n_failed += out->rvalue < 0;
	if (op_info(r->op)->family == FAMILY_PAGE) {
		s->n_touches++;
		s->n_touches_writing += (r->flags & PAGE_WRITTEN) != 0;
	} else if (is_response(r->op)) {
		o->sum_ns +=
		    (double)(out->end_ticks - out->begin_ticks) * o->from->clock->ns_per_tick;
		s->n_responses++;
		traced_response_add(o, traced);
	}
	if (outcome_differs(out, f->expected))
		mismatch_note(o, r, traced->object, f->expected, out->rvalue);
	if (r->intended_ns != TIME_NONE && o->issue_error)
		issue_error_add(o, r, f->cpu_delayed);
}

static void repeated_put(struct output *o, const struct trace_record *r,
			 const struct output_outcome *again)
{
	if (!again->outcome.begin_ticks)
		return;
	o->s->n_repeated++;
	GROW(o->repeated, o->n_repeated, o->repeated_cap);
	struct trace_record *copy = &o->repeated[o->n_repeated++];
	*copy = *r;
	outcome_put(o, copy, again);
}

static int records_flush(struct output *o, struct err *e)
{
	size_t n = o->n_batch;
	o->n_batch = 0;
	return n ? trace_writer_append(o->w, o->batch, n, e) : 0;
}

static int record_replayed(struct output *o, const struct trace_record *traced, uint64_t i,
			   struct err *e)
{
	struct trace_record r = *traced;
	struct output_result f = {.intended_ns = TIME_NONE};
	r.dispatch_ns = TIME_NONE;
	int ret = references_copy(o, &r, e);
	if (ret)
		return ret;
	o->from->outcome_get(o->from, i, traced, &r, &f);
	if (!f.first.outcome.begin_ticks || f.skipped) {
		r.begin_ns = r.end_ns = TIME_NONE;
		r.intended_ns = o->from->untimed ? f.intended_ns : TIME_NONE;
		r.rvalue = -1;
		r.error = f.skipped ? EOPNOTSUPP : ECANCELED;
	} else {
		r.intended_ns = f.intended_ns;
		outcome_put(o, &r, &f.first);
		outcome_count(o, &r, traced, &f);
		ret = overlap_count(o, traced, &f, e);
		if (ret)
			return ret;
		repeated_put(o, &r, &f.again);
	}
	if (!o->w)
		return 0;
	o->batch[o->n_batch++] = r;
	return o->n_batch == BATCH ? records_flush(o, e) : 0;
}

static int extra_put(struct output *o, struct err *e)
{
	struct output_outcome got = {.dispatch_ticks = 0};
	struct trace_record r;
	int ret = 0;
	while (!ret && o->from->extra && (ret = o->from->extra(o->from, &r, &got, e)) == 1) {
		o->s->n_repeated++;
		r.heap = HEAP_NONE;
		ret = o->w ? object_copy(o, r.object, &r.object, e) : 0;
		if (ret || !o->w)
			continue;
		outcome_put(o, &r, &got);
		o->batch[o->n_batch++] = r;
		ret = o->n_batch == BATCH ? records_flush(o, e) : 0;
	}
	return ret;
}

/* --- all records --------------------------------------------------------- */

static int records_walk(struct output *o, struct err *e)
{
	const struct trace_record *r;
	size_t n;
	uint64_t i = 0;
	int ret = trace_rewind(o->input, e);
	while (!ret && (ret = trace_next_batch(o->input, &r, &n, e)) > 0) {
		ret = 0;
		for (size_t k = 0; !ret && k < n; k++, i++) {
			if (i >= o->from->n_records)
				return err_set(e, EIO,
					       "the input trace grew while it was replayed");
			input_count(o, &r[k]);
			ret = record_replayed(o, &r[k], i, e);
		}
	}
	if (!ret && i != o->from->n_records)
		return err_set(e, EIO, "the input trace shrank while it was replayed");
	ret = ret ? ret : records_flush(o, e);
	if (!ret && o->w && o->n_repeated)
		ret = trace_writer_append(o->w, o->repeated, o->n_repeated, e);
	ret = ret ? ret : extra_put(o, e);
	return ret ? ret : records_flush(o, e);
}

static double p99_of(const double *x, uint64_t n)
{
	return x[(n - 1) - (n - 1) / 100];
}

static void issue_errors_summarise(struct output *o)
{
	struct replay_summary *s = o->s;
	double *x = o->issue_error;
	uint64_t n = s->n_timed, n_others = n - s->n_cpu_delayed;
	qsort(x, n_others, sizeof *x, order_double);
	s->others_p99_ns = n_others ? p99_of(x, n_others) : NAN;
	s->others_max_ns = n_others ? x[n_others - 1] : NAN;
	memmove(x + n_others, x + o->n_room - s->n_cpu_delayed, s->n_cpu_delayed * sizeof *x);
	if (s->n_cpu_delayed)
		qsort(x, n, sizeof *x, order_double);
	s->issue_error_p50_ns = x[(n - 1) / 2];
	s->issue_error_p99_ns = p99_of(x, n);
	s->issue_error_p999_ns = x[(n - 1) - (n - 1) / 1000];
	s->issue_error_max_ns = x[n - 1];
}

static void summary_finish(struct output *o)
{
	struct replay_summary *s = o->s;
	s->mean_response_ns = s->n_responses ? o->sum_ns / (double)s->n_responses : NAN;
	s->traced_mean_response_ns =
	    o->n_input_sum ? o->input_sum_ns / (double)o->n_input_sum : NAN;
	s->elapsed_ns = s->n_issued > s->n_causes_done ? o->last_ns - o->first_ns : 0;
	s->traced_elapsed_ns = o->input_known ? o->input_last_ns - o->input_first_ns : 0;
	if (s->n_timed)
		issue_errors_summarise(o);
}

int output_write(struct trace *input, const char *input_path, const struct output_source *from,
		 const struct replay_config *c, struct replay_summary *s, struct err *e)
{
	SCOPED_FREE struct output *o = xcalloc(1, sizeof *o);
	*o = (struct output){
		.from = from, .c = c, .s = s, .input = input, .n_objects = trace_n_objects(input)};
	o->epoch_ns = clock_ns_of_ticks(from->clock, from->start_ticks);
	o->input_first_ns = s->input_first_ns;
	o->input_last_ns = o->input_first_ns;
	o->object_of = xmalloc((o->n_objects + 1) * sizeof *o->object_of);
	memset(o->object_of, 0xff, (o->n_objects + 1) * sizeof *o->object_of);
	o->n_room = from->n_requests + 1;
	o->issue_error =
	    from->timed ? malloc((from->n_requests + 1) * sizeof *o->issue_error) : NULL;
	int ret = from->timed && !o->issue_error
		      ? err_set(e, ENOMEM, "not enough memory to store how late each of "
					"%llu requests was issued",
				(unsigned long long)from->n_requests)
		      : 0;
	if (!ret && c->output)
		ret = output_meta_put(&o->w, input, input_path, from, c, s, e);
	ret = ret ? ret : records_walk(o, e);
	s->n_input_lost = trace_meta(input)->n_events_lost;
	s->input_incomplete = trace_meta(input)->cut;
	if (!ret)
		summary_finish(o);
	if (!ret && o->w)
		ret = output_meta_put(&o->w, input, input_path, from, c, s, e);
	ret = trace_writer_end(o->w, ret, e);
	overlap_release(&o->overlap);
	FREE_EACH(o->issue_error, o->repeated, o->object_of);
	return ret;
}
