/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The JSON of validate info: its members (model.h). A test makes doc/info-schema.json from them. */
#include "reports/info/info.h"
#include "reports/json/json_model.h"
#include "reports/json/json_value.h"
#include "reports/model_rows.h"

#define INFO_SCHEMA 1
#define TIMELINE_BINS 500u

struct info_busiest {
	bool exists;
	int64_t width_ns, begin_ns;
	uint64_t n_requests, most_bytes;
};

struct info_document {
	struct info x;
	struct trace_meta meta;
	struct profile p;
	int64_t first_begin_ns, span_ns;
	struct info_busiest busiest_second, busiest_bin;
	struct timeline timeline;
	struct tally_family family[FAMILY_N];
	struct histogram response[KIND_N + 1];
	struct size_count size[KIND_OTHER][INFO_SIZES];
	struct error_count *error;
	struct tally_thread thread[INFO_TOP];
	struct object_use object[INFO_TOP];
	size_t n_sizes[KIND_OTHER], n_errors, n_threads, n_objects;
	json_t *requests;
};

/* A count of any size. */
#define WHOLE(f, name_, about_, ...)                                                               \
	ROW(uint64_t, f, name_, COUNT, about_, .digits = true, __VA_ARGS__)
/* Arrays that a function makes. */
#define BY_WHOLES(function, name_, about_, ...)                                                    \
	BY_JSON(function, "array", name_, about_, .items = "integer|string", __VA_ARGS__)
#define BY_NAMES(function, name_, about_, ...)                                                     \
	BY_JSON(function, "array", name_, about_, .items = "string", __VA_ARGS__)
#define GET_OF(type, function, value) GET(type, function, info_document, d, value)

/* --- shared lists -------------------------------------------------------- */

static double quantile_of(const struct model_at *at)
{
	static const double p[] = {0, 0.1, 0.5, 0.9, 0.99, 0.999, 1};
	double q;
	return histogram_quantile(at->s, p[at->m->index], &q, NULL) ? NAN : q;
}

#define QUANTILE(name_, i) BY_FINITE(quantile_of, name_, NUMBER, NULL, .index = i)
#define MIDDLE_QUANTILES                                                                           \
	QUANTILE("median", 2) QUANTILE("p90", 3) QUANTILE("p99", 4) QUANTILE("p999", 5)

LIST(quantiles, "Quantiles of a histogram, off by less than 0.05 %.",
	QUANTILE("min", 0)
	QUANTILE("p10", 1)
	MIDDLE_QUANTILES
	QUANTILE("max", 6))
LIST(middle_quantiles, NULL, MIDDLE_QUANTILES)

static const char *object_name(const struct trace *t, uint32_t number)
{
	const struct trace_object *object = trace_object(t, number);
	return object ? object->name : NULL;
}

/* Of an element of an array by operation. */
GET_AT(const char *, operation, op_name((unsigned int)(at->i % OP_N)))

/* --- operations ---------------------------------------------------------- */

#define S tally_op
GET(const void *, timed, tally_op, op, op->n_timed ? op : NULL)
GET(const void *, response_of, tally_op, op, &op->response)
GET(double, mean_ns, tally_op, op, tally_mean_ns(op))
GET_OF(const void *, operation_at, at->i && d->p.tally.op[at->i].n ? &d->p.tally.op[at->i] : NULL)

LIST(response, "Time from start to end; null if no request has both.",
	BY_FINITE(mean_ns, "mean", TIME, NULL)
	ROW(int64_t, min_ns, "min", TIME, NULL)
	INLINE(response_of, middle_quantiles)
	ROW(int64_t, max_ns, "max", TIME, NULL))
LIST(operation, NULL,
	BY_TEXT(operation, "operation", NULL)
	WHOLE(n, "n_requests", NULL)
	WHOLE(n_failed, "n_failed", "Requests with a result below 0.")
	WHOLE(bytes, "bytes", NULL)
	WHOLE(n_timed, "n_timed", "Requests with start and end.")
	BY_OBJECT(timed, response, "response_ns", NULL, NULLABLE))
#undef S

#define S tally_family
GET_AT(const char *, family_name, op_family_names[at->i])
GET(double, family_busy_ns, tally_family, f, (double)f->sum_ns)
GET_OF(const void *, family_at, d->family[at->i].n ? &d->family[at->i] : NULL)

LIST(family, NULL,
	BY_TEXT(family_name, "family", NULL)
	WHOLE(n, "n_requests", NULL)
	WHOLE(n_failed, "n_failed", NULL)
	WHOLE(bytes, "bytes", NULL)
	BY_FINITE(family_busy_ns, "busy_ns", TIME, "Sum of the response times."))
#undef S

GET_OF(const void *, response_at, d->response[at->m->index].n ? &d->response[at->m->index] : NULL)

/* --- over time ----------------------------------------------------------- */

#define S info_busiest
LIST(busiest, NULL,
	ROW(int64_t, width_ns, "width_ns", TIME, "Width of the bins.")
	ROW(int64_t, begin_ns, "begin_ns", TIME, "Start of the bin with the most requests.")
	WHOLE(n_requests, "n_requests", "Requests that began in this bin.")
	WHOLE(most_bytes, "most_bytes",
	      "Largest number of bytes that the requests of one bin moved."))
#undef S

GET_OF(const void *, busiest_second, d->busiest_second.exists ? &d->busiest_second : NULL)
GET_OF(const void *, busiest_bin, d->busiest_bin.exists ? &d->busiest_bin : NULL)
GET_OF(double, mean_gap_ns, d->p.gap.n ? d->p.sum_gap_ns / (double)d->p.gap.n : NAN)
GET_OF(double, gap_variation, profile_gap_variation(&d->p))
GET_OF(const void *, gap, &d->p.gap)
GET_OF(const void *, timeline_of, d->p.tally.n_begin_known ? d : NULL)
GET_OF(json_t *, timeline_begin,
       json_integer((d->timeline.base + (int64_t)d->timeline.used_from) * d->timeline.width_ns))

static json_t *bins_json(const struct model_at *at)
{
	const struct timeline *t = &((const struct info_document *)at->s)->timeline;
	const size_t k = at->m->index;
	json_t *list = json_array();
	for (const struct timeline_bin *b = t->bin + t->used_from; b < t->bin + t->used_to; b++)
		json_array_append_new(list,
				      json_of_count(k < KIND_N ? b->n[k] : b->bytes[k - KIND_N]));
	return list;
}

static json_t *levels_json(const struct model_at *at)
{
	const struct concurrency *c = &((const struct info_document *)at->s)->p.concurrency;
	json_t *list = json_array();
	for (size_t i = 0; i <= c->highest; i++)
		json_array_append_new(list, at->m->index ? json_of_count(c->requests_at_level[i])
							 : json_integer(c->ns_at_level[i]));
	return list;
}

#define S info_document
GET_OF(const void *, ordered, d->p.has_order ? d : NULL)
GET_OF(const void *, issued, d->p.n_intended ? d : NULL)
GET_OF(json_t *, is_known, json_boolean(profile_has_ends(&d->p)))
GET_OF(double, mean_concurrency, profile_mean_concurrency(&d->p))

LIST(causes, "Computing, signals and waits between the requests of a parallel application. No "
	"other figure counts them. Absent from other traces.",
	WHOLE(p.causes.n_computes, "n_computes", NULL)
	WHOLE(p.causes.n_signals, "n_signals", NULL)
	WHOLE(p.causes.n_waits, "n_waits", NULL)
	FINITE(p.causes.compute_ns, "compute_ns", TIME, "Sum over all nodes (traced threads)."))
LIST(timeline, "At most 500 bins of equal width, by the start of the requests.",
	ROW(int64_t, timeline.width_ns, "width_ns", TIME, NULL)
	BY_JSON(timeline_begin, "integer", "begin_ns", "Start of the first bin.")
	BY_WHOLES(bins_json, "reads", NULL, .index = KIND_READ)
	BY_WHOLES(bins_json, "writes", NULL, .index = KIND_WRITE)
	BY_WHOLES(bins_json, "others", NULL, .index = KIND_OTHER)
	BY_WHOLES(bins_json, "bytes_read", NULL, .index = KIND_N + KIND_READ)
	BY_WHOLES(bins_json, "bytes_written", NULL, .index = KIND_N + KIND_WRITE))
LIST(concurrency, NULL,
	BY_JSON(is_known, "boolean", "known",
		"False if more than 1 % of the requests have no end; then the numbers of requests "
		"in flight are unreliable.")
	BY_FINITE(mean_concurrency, "mean", NUMBER,
		  "Mean over the time from the first start to the last end.")
	WHOLE(p.concurrency.highest, "max", "1024 means 1024 or more.")
	BY_WHOLES(levels_json, "ns_at_level", "Time with 0, 1, 2, ... requests in flight.")
	BY_WHOLES(levels_json, "requests_at_level",
		  "Requests by the number in flight at their start, including the request itself.",
		  .index = 1))
LIST(issue, "Delays of the requests of a timed replay.",
	WHOLE(p.n_intended, "n_requests", "Requests with a due time.")
	OBJECT_AS(p.late, quantiles, "late_ns",
		  "Start of a request minus the time at which it was due; early requests "
		  "count as 0."))
#undef S

/* --- sizes and positions ------------------------------------------------- */

#define S size_count
LIST(size_count, NULL,
	WHOLE(size, "bytes", NULL)
	WHOLE(n, "n_requests", NULL))
#undef S

#define SIZES(kind_, name_)                                                                        \
	PART(name_, NULL,                                                                          \
	     WHOLE(p.sizes[kind_].distribution.n, "n_requests", NULL)                              \
	     WHOLE(p.sizes[kind_].n_distinct, "n_distinct",                                        \
		   "Sizes that are counted separately.")                                           \
	     WHOLE(p.sizes[kind_].n_not_counted, "n_not_counted",                                  \
		   "Requests of sizes that are not counted separately.")                           \
	     OBJECT_AS(p.sizes[kind_].distribution, quantiles, "bytes", NULL)                      \
	     ARRAY_AS(size[kind_], n_sizes[kind_], size_count, "most_common", NULL,                \
		      .in_place = true))

#define POSITION(name_, k, pattern) WHOLE(n[k][ACCESS_##pattern], name_, NULL)
#define POSITIONS(k, name_)                                                                        \
	PART(name_,                                                                                \
	     "Requests by the position of their first byte, relative to the previous request of "  \
	     "the same sequence.",                                                                 \
	     POSITION("first", k, FIRST)                                                           \
	     POSITION("sequential", k, SEQUENTIAL)                                                 \
	     POSITION("repeated", k, REPEATED)                                                     \
	     POSITION("strided", k, STRIDED)                                                       \
	     POSITION("near", k, NEAR)                                                             \
	     POSITION("random", k, RANDOM))

#define S access_counts
GET_OF(const void *, access_at, profile_access(&d->p, (enum profile_scope)at->m->index))

LIST(scope, NULL,
	POSITIONS(KIND_READ, "read")
	POSITIONS(KIND_WRITE, "write")
	WHOLE(n_not_followed, "n_not_followed",
	      "Requests of sequences that are not tracked, because there are too many sequences."))
#undef S

/* --- errors, threads, objects -------------------------------------------- */

#define S error_count
GET(uint64_t, error_number, error_count, x, x->error)
GET(const char *, error_operation, error_count, x, op_name(x->op))

static const char *error_name(const struct model_at *at)
{
	strbuf_addstr(at->scratch, error_text(((const struct error_count *)at->s)->error).s);
	return at->scratch->s;
}

LIST(error, NULL,
	BY_TEXT(error_name, "error",
		"Name of the error; \"unknown\" if the call failed without an error number.")
	BY_COUNT(error_number, "number", NULL)
	BY_TEXT(error_operation, "operation", NULL)
	WHOLE(n, "n_requests", NULL))
#undef S

#define S tally_thread
LIST(thread, NULL,
	ROW(uint32_t, pid, "pid", COUNT, NULL)
	ROW(uint32_t, tid, "tid", COUNT, NULL)
	WHOLE(n, "n_requests", NULL)
	WHOLE(bytes, "bytes", NULL)
	FINITE(busy_ns, "busy_ns", TIME, NULL))
#undef S

#define S object_use
static const char *used_object(const struct model_at *at)
{
	const struct info_document *d = at->root;
	return object_name(d->x.trace, ((const struct object_use *)at->s)->object);
}

LIST(object, NULL,
	BY_NAME(used_object, "object", "Name of the object; null if it is lost.")
	ROW(uint32_t, object, "number", COUNT, NULL)
	WHOLE(n, "n_requests", NULL)
	WHOLE(bytes_read, "bytes_read", NULL)
	WHOLE(bytes_written, "bytes_written", NULL)
	FINITE(busy_ns, "busy_ns", TIME, NULL))
#undef S

/* --- block level, and a replay ------------------------------------------- */

#define S profile_block
GET(const void *, queue, profile_block, b, b->n_dispatched ? &b->queue : NULL)
GET(const void *, device, profile_block, b, b->n_dispatched ? &b->device : NULL)
GET_OF(const void *, block, d->meta.level == LEVEL_BLOCK ? &d->p.block : NULL)

LIST(block, "For traces at block level.",
	WHOLE(sectors[KIND_READ], "sectors_read", "Sectors of 512 bytes.")
	WHOLE(sectors[KIND_WRITE], "sectors_written", NULL)
	WHOLE(n_sync, "n_synchronous", NULL)
	WHOLE(n_meta, "n_metadata", NULL)
	WHOLE(n_ahead, "n_read_ahead", NULL)
	WHOLE(n_fua, "n_forced_unit_access", NULL)
	WHOLE(n_preflush, "n_flush_first", NULL)
	WHOLE(n_dispatched, "n_dispatched", "Requests with a known dispatch time.")
	BY_OBJECT(queue, quantiles, "queue_ns", "From start to dispatch.", NULLABLE)
	BY_OBJECT(device, quantiles, "device_ns", "From dispatch to end.", NULLABLE))
#undef S

#define S replayable_count
GET_AT(const char *, skip_reason, skip_reasons[at->i / OP_N])

#define REPLAYABLE_ROWS                                                                            \
	BY_TEXT(operation, "operation", NULL)                                                      \
	WHOLE(n, "n_requests", NULL)                                                               \
	ROW(uint32_t, first, "first_record", COUNT, "Number of the record in the file, from 0.")

LIST(skipped, NULL, BY_TEXT(skip_reason, "reason", NULL) REPLAYABLE_ROWS)
LIST(unknown_descriptor, NULL, REPLAYABLE_ROWS)
#undef S

#define S replayable
static const char *const states[] = {[REPLAYABLE_KNOWN] = "known",
				     [REPLAYABLE_TOO_MANY] = "too many requests",
				     [REPLAYABLE_REFUSED] = "refused",
				     [REPLAYABLE_BLOCK] = "block", NULL};
GET(bool, is_examined, replayable, r, r->state == REPLAYABLE_KNOWN)
GET(const char *, refused, replayable, r, r->state == REPLAYABLE_REFUSED ? r->why.msg : NULL)
GET(const void *, unknown_at, replayable, r, r->unknown[at->i].n ? &r->unknown[at->i] : NULL)

static const void *skipped_at(const struct model_at *at)
{
	const struct replayable *r = at->s;
	const struct replayable_count *c = &r->skipped[at->i / OP_N][at->i % OP_N];
	return at->i / OP_N != SKIP_NONE && c->n ? c : NULL;
}

LIST(replay, "Requests that a replay would refuse or skip; null with --replay-max 0.",
	WORD(state, "state",
	     "\"block\": the requests are requests to a device, and engines for system calls "
	     "refuse them. The counts exist only if the state is \"known\".", states)
	BY_NAME(refused, "refused",
		"Reason why a replay would refuse the whole trace, with the number of the record "
		"that causes it.")
	WHOLE(n_requests, "n_records",
	      "Number of requests. Records of computing, signals and waits are not "
	      "counted.", IF(is_examined))
	WHOLE(n_replayed, "n_replayed",
	      "Requests that the replay would issue. Some of them can fail.", IF(is_examined))
	WHOLE(never_issued.n, "n_never_issued", "Requests without a start.", IF(is_examined))
	BY_ARRAY(NULL, skipped_at, skipped, "skipped", "Skipped requests by reason and operation.",
		 .n = SKIP_N * OP_N, IF(is_examined))
	BY_ARRAY(NULL, unknown_at, unknown_descriptor, "unknown_descriptors",
		 "Requests that would fail because the trace does not name the file of their "
		 "descriptor, by operation.", .n = OP_N, IF(is_examined)))
#undef S

/* --- files and requests -------------------------------------------------- */

#define S fileset_entry
LIST(file, NULL,
	NAME(path, "path", NULL)
	WHOLE(size, "size", NULL)
	FLAG(directory, "directory", NULL))
#undef S

struct info_request {
	const struct trace *trace;
	struct trace_record record;
};

#define S info_request
GET(const char *, request_operation, info_request, q, op_name(q->record.op))
GET(const char *, request_object, info_request, q, object_name(q->trace, q->record.object))
GET(json_t *, request_fd, info_request, q, json_integer(q->record.fd))

static json_t *request_error(const struct model_at *at)
{
	const int error = ((const struct info_request *)at->s)->record.error;
	const char *name = error ? strerrorname_np(error) : NULL;
	return name ? json_string(name) : error ? json_integer(error) : json_null();
}

LIST(request, NULL,
	WHOLE(record.seq, "seq", NULL)
	ROW(uint32_t, record.pid, "pid", COUNT, NULL)
	ROW(uint32_t, record.tid, "tid", COUNT, NULL)
	ROW(int64_t, record.begin_ns, "begin_ns", TIME, NULL, NULLABLE)
	ROW(int64_t, record.end_ns, "end_ns", TIME, NULL, NULLABLE)
	ROW(int64_t, record.intended_ns, "intended_ns", TIME, NULL, NULLABLE)
	ROW(int64_t, record.dispatch_ns, "dispatch_ns", TIME, NULL, NULLABLE)
	BY_TEXT(request_operation, "operation", NULL)
	BY_NAME(request_object, "object", NULL)
	BY_JSON(request_fd, "integer", "fd", NULL)
	WHOLE(record.offset, "offset", NULL, NULLABLE)
	WHOLE(record.length, "length", NULL)
	ROW(uint32_t, record.flags, "flags", COUNT, NULL)
	ROW(int64_t, record.rvalue, "rvalue", NUMBER, NULL)
	BY_JSON(request_error, "string|integer|null", "error", "Name of the error, or its number."))
#undef S

/* --- the document -------------------------------------------------------- */

enum { REASONS_MISSING = UNSEEN_CODE + 1, REASONS_WARNING }; /* beside enum unseen_kind */

static json_t *reasons_json(const struct model_at *at)
{
	const struct info_document *d = at->s;
	SCOPED(words_list_release) struct words_list texts = {0};
	json_t *list = json_array();
	if (at->m->index == REASONS_MISSING)
		missing_reasons(&texts, &d->p.tally, &d->meta);
	else if (at->m->index == REASONS_WARNING)
		info_warnings(&texts, &d->x);
	else
		unknown_reasons(&texts, &d->meta, (enum unseen_kind)at->m->index);
	for (size_t i = 0; i < texts.n; i++)
		json_array_append_new(list, json_name(texts.v[i]));
	return list;
}

static json_t *is_complete(const struct model_at *at)
{
	const struct info_document *d = at->s;
	const struct tally *t = &d->p.tally;
	SCOPED(words_list_release) struct words_list missing = {0};
	missing_reasons(&missing, t, &d->meta);
	const bool no_sign = t->health.complete && !t->n_damage &&
			     !t->health.n_records_uncommitted && !missing.n;
	return no_sign && unseen_scope(&d->meta) ? json_null() : json_boolean(no_sign);
}

static json_t *extra_object(const struct model_at *at)
{
	const struct info_document *d = at->s;
	json_t *o = d->meta.extra_json ? json_loads(d->meta.extra_json, 0, NULL) : NULL;
	return o ? o : json_null();
}

static const char *const level_names[] = {"syscall", "block", NULL};
GET_OF(const char *, level_name, level_names[d->meta.level == LEVEL_BLOCK])
GET_OF(const char *, not_visible, unseen_scope(&d->meta))
GET_OF(const char *, damage, d->p.tally.damage[at->i])
GET_OF(uint64_t, n_damage,
       d->p.tally.n_damage < TALLY_DAMAGE_MAX ? d->p.tally.n_damage : TALLY_DAMAGE_MAX)
GET_OF(bool, has_causes,
       d->p.causes.n_computes || d->p.causes.n_signals || d->p.causes.n_waits)
GET_OF(double, interarrival_ns, tally_interarrival_ns(&d->p.tally))
GET_OF(double, request_rate,
       d->span_ns > 0 ? (double)d->p.tally.n_begin_known / ((double)d->span_ns * 1e-9) : NAN)
GET_OF(const void *, replay_of, d->x.replay)
GET_OF(json_t *, is_state_known, json_boolean(d->meta.files.n > 0))
GET_OF(json_t *, requests_of, json_incref(d->requests))

#define S info_document
MODEL(S, NULL,
	FIXED_COUNT(INFO_SCHEMA, "schema",
		    "Version of this format. Later programs with the same version can add keys, "
		    "but remove no key and change no meaning.")
	NAME(x.path, "path", NULL)
	NAME(x.format, "format", "Name of the format. \"validate import --from list\" prints all "
		"names.")
	WHOLE(x.file_bytes, "file_bytes", NULL)
	PART("health", NULL,
	     BY_JSON(is_complete, "boolean|null", "complete",
		     "true: no request is missing, because the trace comes from validate "
		     "microbench, validate replay or the log of a volume, and there is no sign "
		     "of a loss. false: the file has no end or is damaged, or there are signs of "
		     "missing requests. null: there is no sign of a loss, but the method does not "
		     "show all requests (not_visible). In files of earlier versions, this member "
		     "states whether the file has an end.")
	     FLAG(p.tally.health.complete, "has_end",
		  "False if the writer of the trace was killed or ran out of space, or if the "
		  "file was truncated.")
	     BY_NAMES(reasons_json, "incomplete",
		      "Reasons why the trace is incomplete, even if the file has an end. Empty if "
		      "no request is known to be missing.", .index = REASONS_MISSING)
	     BY_TEXT(not_visible, "not_visible",
		     "Requests that the method of recording never shows. Null if the "
		     "trace comes from validate microbench, validate replay or the log of a "
		     "volume.", NULLABLE)
	     BY_NAMES(reasons_json, "not_checked",
		      "Processes and program runs that may have made calls that the method does "
		      "not see.",
		      .index = UNSEEN_CODE)
	     BY_NAMES(reasons_json, "not_known",
		      "Properties of files that the trace does not show; no request is missing "
		      "because of them.", .index = UNSEEN_FILES)
	     WHOLE(p.tally.n_damage, "n_blocks_damaged", NULL)
	     WHOLE(p.tally.health.n_records_uncommitted, "n_records_uncommitted", NULL)
	     BY_TEXTS(n_damage, damage, "damage", "At most 20 messages.", .exact = true))
	WHOLE(p.tally.n_records, "n_requests", NULL)
	PART_AS(causes, "between_requests", NULL, IF(has_causes))
	WHOLE(p.tally.n_bytes, "bytes", "Moved bytes, from the return values.")
	ROW(int64_t, first_begin_ns, "first_begin_ns", TIME, NULL, NULLABLE)
	ROW(int64_t, span_ns, "span_ns", TIME, "From the first start to the last end.")
	BY_FINITE(request_rate, "rate_per_s", RATE, NULL)
	BY_FINITE(interarrival_ns, "mean_interarrival_ns", TIME, NULL)
	WHOLE(p.tally.n_threads, "n_threads", NULL)
	WHOLE(p.tally.n_processes, "n_processes", NULL)
	WHOLE(x.n_objects, "n_objects", "Objects that the trace names.")
	BY_ARRAY(NULL, operation_at, operation, "operations", NULL, .n = OP_N)
	BY_ARRAY(NULL, family_at, family, "families", "Kinds of operations.", .n = FAMILY_N)
	PART("responses_ns", "Response times by kind of request.",
	     BY_OBJECT(response_at, quantiles, "read", NULL, NULLABLE, .index = KIND_READ)
	     BY_OBJECT(response_at, quantiles, "write", NULL, NULLABLE, .index = KIND_WRITE)
	     BY_OBJECT(response_at, quantiles, "other", NULL, NULLABLE, .index = KIND_OTHER)
	     BY_OBJECT(response_at, quantiles, "all", NULL, NULLABLE, .index = KIND_N))
	PART("rates", NULL,
	     BY_OBJECT(busiest_second, busiest, "busiest_second",
		       "The bin of 1 s with the most requests. Bins are wider if the trace is "
		       "longer than 36 hours.", NULLABLE)
	     BY_OBJECT(busiest_bin, busiest, "busiest_bin",
		       "The bin of the timeline with the most requests.", NULLABLE)
	     PART("gap_ns", "Time between successive starts.",
		  INLINE(gap, quantiles)
		  BY_FINITE(mean_gap_ns, "mean", TIME, NULL)
		  BY_FINITE(gap_variation, "coefficient_of_variation", NUMBER, NULL))
	     BY_OBJECT(timeline_of, timeline, "timeline", NULL, NULLABLE))
	PART("times", NULL,
	     WHOLE(p.tally.granularity_ns, "granularity_ns",
		   "Largest number that divides all times.")
	     WHOLE(p.tally.n_without_begin, "n_without_begin", NULL)
	     WHOLE(p.tally.n_without_end, "n_without_end", "Requests with a start and no end.")
	     WHOLE(p.tally.n_end_before_begin, "n_end_before_begin", NULL)
	     WHOLE(p.tally.n_backwards, "n_backwards",
		   "Requests that begin before the previous request of their thread.")
	     FLAG(p.sorted, "nearly_sorted",
		  "The requests are in the order of their starts, or so near to it that a sort in "
		  "a window of at most 524288 requests was enough."))
	BY_OBJECT(ordered, concurrency, "concurrency", NULL, NULLABLE)
	BY_OBJECT(issued, issue, "issue", NULL, NULLABLE)
	PART("sizes", "Requested lengths.",
	     SIZES(KIND_READ, "read")
	     SIZES(KIND_WRITE, "write"))
	PART("access", NULL,
	     WHOLE(p.n_position_known, "n_position_known",
		   "Reads and writes at known offsets that succeeded or have no end.")
	     WHOLE(p.n_position_unknown, "n_position_unknown", NULL)
	     WHOLE(p.n_aligned_512, "n_aligned_512",
		   "Requests whose offset and length are multiples of 512.")
	     WHOLE(p.n_aligned_4096, "n_aligned_4096", NULL)
	     WHOLE(p.lowest, "first_byte", NULL)
	     WHOLE(p.highest, "end_byte", NULL)
	     BY_OBJECT(access_at, scope, "object", NULL, .index = PROFILE_OBJECT)
	     BY_OBJECT(access_at, scope, "descriptor", NULL, .index = PROFILE_DESCRIPTOR)
	     BY_OBJECT(access_at, scope, "thread", "Sequence of a thread's requests on an object.",
		       .index = PROFILE_THREAD))
	ARRAY_AS(error, n_errors, error, "errors", NULL)
	ARRAY_AS(thread, n_threads, thread, "threads", "The ten threads with the most requests.",
		 .in_place = true)
	PART("objects", NULL,
	     WHOLE(p.objects.n_objects, "n_touched",
		   "Objects that are counted separately, at most 131072.")
	     WHOLE(p.objects.n_without, "n_requests_without", "Requests without an object.")
	     WHOLE(p.objects.n_not_followed, "n_requests_not_followed",
		   "Requests on objects that are not counted separately.")
	     ARRAY_AS(object, n_objects, object, "top",
		      "The ten objects with the most bytes moved.",
		      .in_place = true))
	BY_OBJECT(block, block, "block", NULL, NULLABLE)
	BY_OBJECT(replay_of, replay, "replay", NULL, NULLABLE)
	BY_JSON(is_state_known, "boolean", "state_known",
		"The trace lists the files that existed before its first request.")
	PART("meta", NULL,
	     BY_TEXT(level_name, "level", NULL, .words = level_names)
	     PART("clock", NULL,
		  NAME(meta.clock, "name", NULL)
		  FINITE(meta.clock_resolution_ns, "resolution_ns", TIME, NULL)
		  FINITE(meta.clock_read_cost_ns, "read_cost_ns", TIME, NULL))
	     ROW(int64_t, meta.epoch_ns, "epoch_ns", TIME, NULL)
	     ROW(int64_t, meta.wall_epoch_ns, "wall_epoch_ns", TIME, NULL)
	     NAME(meta.host, "host", NULL)
	     NAME(meta.command, "command", NULL)
	     NAME(meta.captured_by, "captured_by", NULL)
	     NAME(meta.root, "root", NULL)
	     WHOLE(meta.n_events_lost, "n_events_lost", NULL)
	     FLAG(meta.cut, "cut",
		  "The trace has no end, or was made from an earlier trace that was truncated: "
		  "requests can be missing.")
	     WHOLE(meta.seed, "seed", NULL)
	     BY_JSON(extra_object, "object|null", "extra",
		     "Additional facts from the writer of the trace."))
	ARRAY_AS(meta.files.entry, meta.files.n, file, "files",
		 "Files that must exist before the first request.")
	BY_NAMES(reasons_json, "warnings", NULL, .index = REASONS_WARNING)
	BY_JSON(requests_of, "array", "requests", "Present with --records.", .of = &model_request,
		IF_SET(requests)))
#undef S

static void busiest_find(struct info_busiest *b, const struct timeline *t)
{
	int64_t begin_ns;
	const struct timeline_bin *most = timeline_most_bytes(t, &begin_ns),
				  *bin = timeline_busiest(t, &begin_ns);
	if (bin)
		*b = (struct info_busiest){true, t->width_ns, begin_ns, timeline_requests(bin),
					   most->bytes[KIND_READ] + most->bytes[KIND_WRITE]};
}

/* The copied structs still own their memory. */
static struct info_document *document_make(const struct info *x)
{
	struct info_document *d = xcalloc(1, sizeof *d);
	struct timeline wide;
	d->x = *x;
	d->meta = *x->meta;
	d->p = *x->profile;
	d->first_begin_ns = d->p.tally.n_begin_known ? d->p.tally.first_begin_ns : TIME_NONE;
	d->span_ns = tally_span_ns(&d->p.tally);
	timeline_widen(&wide, &d->p.timeline, 1000000000);
	timeline_shrink(&d->timeline, &d->p.timeline, TIMELINE_BINS);
	busiest_find(&d->busiest_second, &wide);
	busiest_find(&d->busiest_bin, &d->timeline);
	timeline_release(&wide);
	for (int k = 0; k < FAMILY_N; k++)
		d->family[k] = tally_family(&d->p.tally, (enum op_family)k);
	for (int k = 0; k <= KIND_N; k++)
		profile_responses(&d->p, (enum profile_kind)k, &d->response[k]);
	for (int k = 0; k < KIND_OTHER; k++)
		d->n_sizes[k] = sizes_common(&d->p.sizes[k], d->size[k], INFO_SIZES);
	d->n_errors = errors_sorted(&d->p.errors, &d->error);
	d->n_threads = tally_top_threads(&d->p.tally, d->thread, INFO_TOP);
	d->n_objects = object_uses_top(&d->p.objects, d->object, INFO_TOP);
	return d;
}

static void document_free(struct info_document *d)
{
	timeline_release(&d->timeline);
	for (int k = 0; k <= KIND_N; k++)
		histogram_release(&d->response[k]);
	json_decref(d->requests);
	FREE_EACH(d->error, d);
}

static int requests_read(struct info_document *d, struct trace *t, uint64_t n, struct err *e)
{
	struct info_request q = {.trace = t};
	const struct trace_record *r;
	d->requests = json_array();
	int ret = trace_rewind(t, e);
	while (!ret && json_array_size(d->requests) < n) {
		do
			ret = trace_next(t, &r, e);
		while (ret == -EBADMSG);
		if (ret != 1)
			break;
		ret = 0;
		q.record = *r;
		json_array_append_new(d->requests, json_model(&model_request, &q));
	}
	return ret;
}

int info_print_json(const struct info *x, struct trace *t, uint64_t n_records, struct err *e)
{
	struct info_document *d = document_make(x);
	int ret = n_records ? requests_read(d, t, n_records, e) : 0;
	if (!ret)
		json_print(json_model(&model_info_document, d));
	document_free(d);
	return ret;
}
