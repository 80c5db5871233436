/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the request of the input for each observed request: by its number, if the replayer reports
 * one; by its position, if the replayer reports only times, in the order of the input; otherwise by
 * operation, object, offset and length, the k-th to the k-th. */

#include "capture/match/key_match.h"
#include "capture/match/positions.h"
#include "capture/object_table.h"
#include "common/unnamed_file.h"
#include "replay/engines/adapters/adapter_private.h"

/* The requests that a replayer reports are written as a trace into the scratch directory. */

int seen_open(struct adapter_state *a, struct err *e)
{
	struct trace_meta meta = {
	    .level = LEVEL_SYSCALL, .clock = "replayer", .captured_by = a->run.adapter->name};
	a->first_seen_ns = INT64_MAX;
	a->last_seen_ns = INT64_MIN;
	return trace_writer_open(&a->writer, a->seen_path, &meta,
				 &(struct trace_write_options){.no_sync = true}, e);
}

static int times_check(const struct adapter_request *q, uint64_t n, struct err *e)
{
	if (q->begin_ns == TIME_NONE || q->end_ns == TIME_NONE)
		return err_set(e, EBADMSG,
			       "request %" PRIu64
			       " in the output of the replayer: begin or end is missing",
			       n);
	const int64_t low = q->begin_ns < q->end_ns ? q->begin_ns : q->end_ns,
		      high = q->begin_ns < q->end_ns ? q->end_ns : q->begin_ns;
	if (low < -TRACE_TIME_MAX || high > TRACE_TIME_MAX)
		return err_set(e, EBADMSG,
			       "request %" PRIu64
			       " in the output of the replayer: its times, %" PRId64
			       " ns and %" PRId64 " ns, are out of range",
			       n, q->begin_ns, q->end_ns);
	if (q->end_ns < q->begin_ns)
		return err_set(e, EBADMSG,
			       "request %" PRIu64 " in the output of the replayer ends %" PRId64
			       " ns before it begins",
			       n, q->begin_ns - q->end_ns);
	return 0;
}

int adapter_seen(struct adapter_run *r, const struct adapter_request *q, struct err *e)
{
	struct adapter_state *a = r->own;
	int ret = times_check(q, a->n_seen, e);
	if (ret)
		return ret;
	a->numbered |= q->seq != ADAPTER_NONE;
	a->unnumbered |= q->seq == ADAPTER_NONE;
	a->in_order |= q->seq == ADAPTER_NONE && q->op == OP_INVALID;
	if (a->numbered && a->unnumbered)
		return err_set(
		    e, EBADMSG,
		    "some requests in the output of the replayer have request numbers (seq), and "
		    "others have none");
	struct trace_record x = {
		.seq = q->seq,
		.begin_ns = q->begin_ns,
		.end_ns = q->end_ns,
		.intended_ns = TIME_NONE,
		.dispatch_ns = TIME_NONE,
		.offset = q->offset,
		.length = q->length,
		.rvalue = q->rvalue,
		.pid = q->tid,
		.tid = q->tid,
		.object = OBJECT_NONE,
		.fd = -1,
		.heap = HEAP_NONE,
		.op = (uint16_t)(q->op ? q->op : OP_PREAD),
	};
	if (q->object)
		ret = trace_writer_object(a->writer, OBJECT_PATH, q->object, &x.object, e);
	if (q->begin_ns < a->first_seen_ns)
		a->first_seen_ns = q->begin_ns;
	if (q->end_ns > a->last_seen_ns)
		a->last_seen_ns = q->end_ns;
	a->n_seen++;
	return ret ? ret : trace_writer_append(a->writer, &x, 1, e);
}

/* --- outcomes ------------------------------------------------------------ */

/* The outcomes are in an unnamed file, so that the kernel can reclaim the memory. */
static int outcomes_make(struct adapter_state *a, struct err *e)
{
	const size_t n_bytes = a->run.inputs.n_records * sizeof *a->outcome;
	SCOPED_FD int fd = unnamed_file_open(a->run.scratch, e);
	int ret = fd < 0 ? fd : 0;
	const int code = ret ? 0 : -file_reserve(fd, n_bytes);
	if (code)
		ret = err_sys(e, code, "%s: not enough space for the results of %" PRIu64
			" requests", a->run.scratch, a->run.inputs.n_records);
	if (!ret) {
		void *at = mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (at == MAP_FAILED)
			ret = err_sys(e, errno, "cannot map the results of %" PRIu64 " requests",
				      a->run.inputs.n_records);
		else
			a->outcome = at;
	}
	a->n_outcomes = ret ? 0 : a->run.inputs.n_records;
	a->is_matched = ret ? NULL : calloc(a->n_seen / 8 + 1, 1);
	return ret || a->is_matched
		   ? ret
		   : err_set(e, ENOMEM, "not enough memory for %" PRIu64 " requests", a->n_seen);
}

void seen_release(struct adapter_state *a)
{
	if (a->outcome)
		munmap(a->outcome, a->n_outcomes * sizeof *a->outcome);
	free(a->is_matched);
	a->outcome = NULL;
	a->is_matched = NULL;
}

/* --- keys ---------------------------------------------------------------- */

/* numbers of one side's objects: the same name has the same number on both sides */
struct numbers {
	uint32_t *of; /* of[n], + 1; 0: not yet set */
	uint32_t n;
};

struct ahead { /* requests of one side that were read and are not matched yet */
	struct {
		uint64_t key, index;
		struct outcome_slot what; /* of the replay */
	} of[KEY_MATCH_AHEAD];
	uint64_t n_read, n_matched;
	bool read_all;
};

struct matching {
	struct adapter_state *a;
	struct trace *seen;
	struct object_table names;
	struct numbers numbers[2];
	struct key_match keys;
	struct positions positions[2];
	struct ahead ahead[2];
	bool block;
	uint64_t n[2];	  /* records read */
};

static const struct trace *trace_of(const struct matching *m, enum match_side side)
{
	return side == SIDE_REFERENCE ? m->a->run.input : m->seen;
}

/* By its path below the target. */
static int object_number(struct matching *m, enum match_side side, uint32_t object,
			 uint32_t *number, struct err *e)
{
	struct numbers *x = &m->numbers[side];
	const struct trace_object *o =
	    object == OBJECT_NONE ? NULL : trace_object(trace_of(m, side), object);
	*number = OBJECT_NONE;
	if (!o)
		return 0;
	if (object >= x->n) {
		uint32_t n = trace_n_objects(trace_of(m, side));
		x->of = xreallocarray(x->of, n, sizeof *x->of);
		memset(x->of + x->n, 0, (n - x->n) * sizeof *x->of);
		x->n = n;
	}
	int ret = 0;
	if (!x->of[object]) {
		const char *name = o->name + strspn(o->name, "/");
		ret = object_table_intern(&m->names, OBJECT_PATH, name, strlen(name),
					  &x->of[object], e);
		x->of[object]++;
	}
	*number = x->of[object] - 1;
	return ret;
}

/* The offset of a request. If the call has no offset, it is the tracked file position. Pipes have
 * no offset. */
static uint64_t offset_of(struct matching *m, enum match_side side, const struct trace_record *r)
{
	const struct trace_object *o =
	    r->object == OBJECT_NONE ? NULL : trace_object(trace_of(m, side), r->object);
	uint64_t at = positions_follow(&m->positions[side], r);
	return r->offset == OFFSET_NONE && o && o->kind == OBJECT_PATH ? at : r->offset;
}

static bool is_transfer(const struct op_info *o)
{
	return (o->family == FAMILY_READ || o->family == FAMILY_WRITE) && o->uses & OP_HAS_LENGTH;
}

/* Maps equivalent operations to the same operation. */
static uint16_t op_class(uint16_t op, bool block)
{
	const struct op_info *o = op_info(op);
	if (is_transfer(o))
		return o->family == FAMILY_READ ? OP_PREAD : OP_PWRITE;
	return block && o->family == FAMILY_SYNC ? OP_FSYNC : op;
}

/* The key by which `r` is matched. */
static int key_make(struct matching *m, enum match_side side, const struct trace_record *r,
		    struct trace_record *key, struct err *e)
{
	const struct op_info *o = op_info(r->op);
	*key = *r;
	key->op = op_class(r->op, m->block);
	key->fd = 0;
	key->object = OBJECT_NONE;
	if (!is_transfer(o) && o->family != FAMILY_SIZE)
		key->offset = key->length = 0;
	return m->block ? 0 : object_number(m, side, r->object, &key->object, e);
}

/* The preloaded library observes all calls on files. If the target is a device, only calls on the
 * device count. */
static bool is_on_target(const struct matching *m, const struct trace_record *r)
{
	const struct trace_object *o =
	    r->object == OBJECT_NONE ? NULL : trace_object(m->seen, r->object);
	return !m->block || m->a->times.how != ADAPTER_PRELOAD ||
	       (o && !strcmp(o->name, m->a->run.device + 1));
}

/* True for an operation of the input and for an operation that moves data. Such a request is extra
 * if it is not matched. */
static bool is_request(const struct matching *m, const struct trace_record *r)
{
	const struct op_info *o = op_info(r->op);
	if (!is_on_target(m, r) || r->begin_ns == TIME_NONE)
		return false;
	return is_transfer(o) || m->a->run.inputs.n_of[op_class(r->op, m->block)] ||
	       m->a->run.inputs.n_of[r->op];
}

/* --- pairs --------------------------------------------------------------- */

static struct outcome_slot slot_of(const struct matching *m, const struct trace_record *r)
{
	int64_t end_ns = r->end_ns == TIME_NONE ? r->begin_ns : r->end_ns;
	return (struct outcome_slot){
	    .begin = outcome_begin(r->begin_ns + m->a->shift_ns),
	    .took_ns = end_ns - r->begin_ns,
	    .dispatched_ns = r->dispatch_ns == TIME_NONE ? -1 : r->dispatch_ns - r->begin_ns,
	    .rvalue = r->rvalue == ADAPTER_AS_TRACED ? ADAPTER_AS_TRACED
		      : r->error                     ? -(int64_t)r->error
						     : r->rvalue,
	};
}

static void pair_take(struct matching *m, uint64_t input, uint64_t seen,
		      const struct outcome_slot *what)
{
	m->a->outcome[input] = *what;
	m->a->is_matched[seen / 8] |= (uint8_t)(1 << seen % 8);
	m->a->n_matched++;
}

/* Counts an extra request, unless it is a call that only prepares the replay. */
static void extra_count(struct matching *m, const struct trace_record *r, uint64_t seen)
{
	const enum op_family f = op_info(r->op)->family;
	if (is_on_target(m, r) &&
	    (f == FAMILY_READ || f == FAMILY_WRITE || f == FAMILY_SYNC || f == FAMILY_SIZE)) {
		m->a->n_extra++;
		return;
	}
	m->a->n_other++;
	m->a->is_matched[seen / 8] |= (uint8_t)(1 << seen % 8);
}

static int next_of(struct trace *t, const struct trace_record **r, struct err *e)
{
	int ret = trace_next(t, r, e);
	return ret == -EBADMSG ? err_context(e, "the observed requests") : ret;
}

/* Matches by number, or by position if the replayer issues the exported requests in order. */
static int match_in_place(struct matching *m, struct err *e)
{
	struct adapter_state *a = m->a;
	const struct trace_record *r;
	uint64_t next = 0, seen = 0;
	int ret;
	while ((ret = next_of(m->seen, &r, e)) == 1) {
		while (!a->numbered && next < a->run.inputs.n_records &&
		       inputs_is_left_out(&a->run.inputs, next))
			next++;
		uint64_t i = a->numbered ? r->seq : next++;
		const struct outcome_slot what = slot_of(m, r);
		if (i < a->run.inputs.n_records && !a->outcome[i].begin)
			pair_take(m, i, seen, &what);
		else
			a->n_extra++;
		seen++;
	}
	return ret;
}

static int key_put(struct matching *m, enum match_side side, bool last, struct err *e)
{
	struct ahead *x = &m->ahead[side];
	const uint64_t i = x->n_matched++ % KEY_MATCH_AHEAD, index = x->of[i].index;
	const struct key_waiting *partner;
	int ret =
	    key_match_put(&m->keys, side, x->of[i].key, index, &x->of[i].what, last, &partner, e);
	if (ret == 1 && side == SIDE_REPLAY)
		pair_take(m, partner->index, index, &x->of[i].what);
	else if (ret == 1)
		pair_take(m, index, partner->index, key_match_kept(&m->keys, partner));
	return ret < 0 ? ret : 0;
}

static int read_ahead(struct matching *m, enum match_side side, const struct trace_record *r,
		      uint64_t index, struct err *e)
{
	struct ahead *x = &m->ahead[side];
	const uint64_t i = x->n_read % KEY_MATCH_AHEAD;
	struct trace_record key;
	int ret = key_make(m, side, r, &key, e);
	if (ret)
		return ret;
	x->of[i].index = index;
	x->of[i].key = key_match_key(&m->keys, side, &key);
	if (side == SIDE_REPLAY)
		x->of[i].what = slot_of(m, r);
	x->n_read += x->of[i].key != KEY_NONE;
	return 0;
}

static int read_one(struct matching *m, enum match_side side, struct err *e)
{
	struct adapter_state *a = m->a;
	const struct trace_record *r;
	int ret = next_of(side == SIDE_REFERENCE ? a->run.input : m->seen, &r, e);
	if (ret <= 0) {
		m->ahead[side].read_all = true;
		return ret;
	}
	uint64_t i = m->n[side]++;
	struct trace_record at = *r;
	at.offset = m->block ? r->offset : offset_of(m, side, r);
	if (side == SIDE_REFERENCE)
		return inputs_is_left_out(&a->run.inputs, i) ? 0 : read_ahead(m, side, &at, i, e);
	if (is_request(m, r))
		return read_ahead(m, side, &at, i, e);
	a->n_other++;
	a->is_matched[i / 8] |= (uint8_t)(1 << i % 8);
	return 0;
}

/* Takes the next request of a side, if there is one. */
static int request_match(struct matching *m, enum match_side side, bool *ended, bool other_ended,
			 struct err *e)
{
	struct ahead *x = &m->ahead[side];
	int ret = 0;
	while (!ret && !x->read_all && x->n_read - x->n_matched < KEY_MATCH_AHEAD)
		ret = read_one(m, side, e);
	*ended = x->read_all && x->n_read == x->n_matched;
	return ret || *ended ? ret : key_put(m, side, side == SIDE_REFERENCE && other_ended, e);
}

/* Counts the observed requests that remain unmatched, as extra or as other. */
static int rest_count(struct matching *m, struct err *e)
{
	const struct trace_record *r;
	uint64_t seen = 0;
	int ret = trace_rewind(m->seen, e);
	while (!ret && (ret = next_of(m->seen, &r, e)) == 1) {
		ret = 0;
		if (!(m->a->is_matched[seen / 8] >> seen % 8 & 1))
			extra_count(m, r, seen);
		seen++;
	}
	return ret;
}

static int match_by_key(struct matching *m, struct err *e)
{
	bool ended[2] = {false, false};
	int ret = trace_rewind(m->a->run.input, e);
	while (!ret && !(ended[0] && ended[1])) {
		ret = request_match(m, SIDE_REFERENCE, &ended[0], ended[1], e);
		ret = ret ? ret : request_match(m, SIDE_REPLAY, &ended[1], ended[0], e);
	}
	m->a->n_ambiguous = m->keys.n_ambiguous_requests;
	m->a->ambiguous_at_least = !m->keys.seen_all;
	bool any_left = m->a->n_matched + m->a->n_other < m->n[SIDE_REPLAY];
	return ret || !any_left ? ret : rest_count(m, e);
}

int seen_match(struct adapter_state *a, struct err *e)
{
	struct matching m = {.a = a, .block = a->run.device != NULL};
	bool known;
	if (a->times.how == ADAPTER_UNTIMED)
		return outcomes_make(a, e);
	int ret = trace_open(&m.seen, a->seen_path, e);
	if (ret)
		return ret;
	a->n_seen = trace_n_records(m.seen, &known);
	const struct trace_meta *meta = trace_meta(m.seen);
	a->shift_ns = a->times.how == ADAPTER_SELF
			  ? a->run.started_ns - (a->n_seen ? a->first_seen_ns : 0)
			  : meta->epoch_ns;
	if (a->in_order && a->per != ADAPTER_PER_TRACE)
		ret = err_set(e, EINVAL, "times: the replayer has several input files, so the "
					 "position of a line does not identify its request; add "
					 "the columns op, offset and length, or seq");
	memset(&m.names, 0, sizeof m.names);
	positions_init(&m.positions[0]);
	positions_init(&m.positions[1]);
	int initialised = key_match_init(&m.keys, NULL, NULL, sizeof(struct outcome_slot),
					 KEY_MATCH_MAX_WAITING, ret ? NULL : e);
	ret = ret ? ret : initialised;
	ret = ret ? ret : outcomes_make(a, e);
	if (!ret)
		ret = a->numbered || a->in_order ? match_in_place(&m, e) : match_by_key(&m, e);
	key_match_release(&m.keys);
	object_table_release(&m.names);
	positions_release(&m.positions[0]);
	positions_release(&m.positions[1]);
	FREE_EACH(m.numbers[0].of, m.numbers[1].of);
	trace_close(m.seen);
	return ret;
}
