/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is missing in a trace, and reasons to doubt its numbers, in words. */
#include "reports/info/info.h"

struct missing_count {
	uint64_t n;
	const char *one, *more; /* text after the number */
};

/* The i-th fact that applies. */
static const char *fact_text(const json_t *capture, enum unseen_kind kind, unsigned int i,
			     char *buf, size_t size)
{
	for (const struct unseen_fact *f = unseen_facts; f->key; f++) {
		const uint64_t n = unseen_count(capture, f->key);
		if (n && f->kind == kind && !i--) {
			snprintf(buf, size, "%s: %" PRIu64, f->text, n);
			return buf;
		}
	}
	return NULL;
}

const char *missing_reason(const struct tally *s, const struct trace_meta *meta, unsigned int i,
			   char *buf, size_t size)
{
	json_auto_t *extra = meta->extra_json ? json_loads(meta->extra_json, 0, NULL) : NULL;
	const json_t *capture = json_object_get(extra, "capture");
	const uint64_t n_calls = async_calls_unshown(&s->async);
	const struct missing_count reasons[] = {
	    {meta->n_events_lost, " event was lost during the capture",
	     " events were lost during the capture"},
	    {programs_unseen(extra),
	     " program can make calls that capture does not see",
	     " programs can make calls that capture does not see"},
	    {unseen_count(capture, "ring_entries"),
	     " call of io_uring_enter submitted requests that are not in the trace",
	     " calls of io_uring_enter submitted requests that are not in the trace"},
	    {unseen_count(capture, "n_rings"),
	     " io_uring was set up, and its requests are not in the trace",
	     " instances of io_uring were set up, and their requests are not in the trace"},
	    {unseen_count(capture, "n_ring_unread"),
	     " request of io_uring is not in the trace as a file call",
	     " requests of io_uring are not in the trace as file calls"},
	    {unseen_count(capture, "n_unshown"), " asynchronous request was not shown by strace",
	     " asynchronous requests were not shown by strace"},
	    {n_calls ? 0 : unseen_count(capture, "n_handed_over"),
	     " asynchronous request is not in the trace",
	     " asynchronous requests are not in the trace"},
	    {unseen_count(capture, "ring_entries") ? 0 : n_calls,
	     " call submitted asynchronous requests that are not in the trace",
	     " calls submitted asynchronous requests that are not in the trace"},
	    {async_requests_missing(&s->async),
	     " request of io_submit is not in the trace",
	     " requests of io_submit are not in the trace"},
	    {async_results_missing(&s->async), " asynchronous request has no result in the trace",
	     " asynchronous requests have no result in the trace"},
	    {s->health.n_unread, " line that could not be read was left out",
	     " lines that could not be read were left out"},
	};
	const char *found = NULL;
	unsigned int n = 0;
	if (s->health.complete && meta->cut && n++ == i)
		found = "it was made from a trace without an end";
	if (json_is_true(json_object_get(capture, "interrupted")) && n++ == i)
		found = "the capture was interrupted while programs were running";
	for (size_t k = 0; !found && k < sizeof reasons / sizeof *reasons; k++)
		if (reasons[k].n && n++ == i) {
			snprintf(buf, size, "%" PRIu64 "%s", reasons[k].n,
				 reasons[k].n == 1 ? reasons[k].one : reasons[k].more);
			found = buf;
		}
	return found ? found : fact_text(capture, UNSEEN_REQUESTS, i - n, buf, size);
}

const char *unknown_reason(const struct trace_meta *meta, enum unseen_kind kind, unsigned int i,
			   char *buf, size_t size)
{
	json_auto_t *extra = meta->extra_json ? json_loads(meta->extra_json, 0, NULL) : NULL;
	return fact_text(json_object_get(extra, "capture"), kind, i, buf, size);
}

static unsigned long long llu(uint64_t v)
{
	return v;
}

const char *info_number_warning(const struct tally *s, const struct trace_meta *meta,
				unsigned int i, char *buf, size_t size)
{
	double gap_ns = tally_interarrival_ns(s);
	/* number of conditions so far that are true */
	unsigned int n = 0;
#define WARN_IF(condition, ...)                                                                    \
	do {                                                                                       \
		if ((condition) && n++ == i) {                                                     \
			snprintf(buf, size, __VA_ARGS__);                                          \
			return buf;                                                                \
		}                                                                                  \
	} while (0)
	WARN_IF(s->n_damage, "damaged blocks left out, with the requests in them: %llu",
		llu(s->n_damage));
	WARN_IF(!s->health.complete,
		"the trace has no end: its writer was stopped, or the file was cut");
	WARN_IF(s->health.complete && meta->cut,
		"made from a trace without an end: requests may be missing");
	WARN_IF(s->health.n_records_uncommitted,
		"requests missing at the end, or not completely written: %llu",
		llu(s->health.n_records_uncommitted));
	WARN_IF(meta->n_events_lost, "events lost during the capture: %llu",
		llu(meta->n_events_lost));
	WARN_IF(s->n_end_before_begin,
		"requests that end before they begin: %llu (left out of the response times)",
		llu(s->n_end_before_begin));
	WARN_IF(s->n_backwards,
		"requests that begin before the previous request of their thread: %llu (the clock "
		"went backwards, or the trace is not in order)", llu(s->n_backwards));
	WARN_IF(async_calls_unshown(&s->async), "calls that submit asynchronous requests: %llu; "
		"the requests are not in the trace", llu(async_calls_unshown(&s->async)));
	WARN_IF(s->n_without_begin + s->n_without_end,
		"requests without a start or end time: %llu",
		llu(s->n_without_begin + s->n_without_end));
	WARN_IF(gap_ns < 10,
		"a request every %.3g ns is implausible: is the unit of the times right?", gap_ns);
	WARN_IF(gap_ns > 3600e9,
		"a request every %.3g h is implausible: is the unit of the times right?",
		gap_ns / 3600e9);
	WARN_IF(s->threads_cut, "more than %u threads: are the columns of pid and tid right?",
		TALLY_THREADS_MAX);
#undef WARN_IF
	return NULL;
}
