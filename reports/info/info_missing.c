/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is missing in a trace, and reasons to doubt its numbers, in words. */
#include "reports/info/info.h"

struct missing_count {
	uint64_t n;
	const char *one, *more; /* text after the number */
};

static void facts_add(struct words_list *out, const json_t *capture, enum unseen_kind kind)
{
	for (const struct unseen_fact *f = unseen_facts; f->key; f++) {
		const uint64_t n = unseen_count(capture, f->key);
		if (n && f->kind == kind)
			words_list_addf(out, "%s: %" PRIu64, f->text, n);
	}
}

void missing_reasons(struct words_list *out, const struct tally *s, const struct trace_meta *meta)
{
	json_auto_t *extra = meta->extra_json ? json_loads(meta->extra_json, 0, NULL) : NULL;
	const json_t *capture = json_object_get(extra, "capture");
	const uint64_t n_calls = async_calls_unshown(&s->async);
	const struct missing_count reasons[] = {
	    {meta->n_events_lost, " event was lost during the capture",
	     " events were lost during the capture"},
	    {programs_unseen(extra),
	     " program can make calls that the capture does not see",
	     " programs can make calls that the capture does not see"},
	    {unseen_count(capture, "ring_entries"),
	     " call to io_uring_enter submitted requests that are not in the trace",
	     " calls to io_uring_enter submitted requests that are not in the trace"},
	    {unseen_count(capture, "n_rings"),
	     " instance of io_uring was set up, and its requests are not in the trace",
	     " instances of io_uring were set up, and their requests are not in the trace"},
	    {unseen_count(capture, "n_ring_unread"),
	     " request of io_uring cannot be replayed",
	     " requests of io_uring cannot be replayed"},
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
	if (s->health.complete && meta->cut)
		words_list_add(out, "it was made from an earlier trace that was truncated");
	if (json_is_true(json_object_get(capture, "interrupted")))
		words_list_add(out, "the capture was interrupted while programs were running");
	for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++)
		if (reasons[k].n)
			words_list_addf(out, "%" PRIu64 "%s", reasons[k].n,
					reasons[k].n == 1 ? reasons[k].one : reasons[k].more);
	facts_add(out, capture, UNSEEN_REQUESTS);
}

void unknown_reasons(struct words_list *out, const struct trace_meta *meta, enum unseen_kind kind)
{
	json_auto_t *extra = meta->extra_json ? json_loads(meta->extra_json, 0, NULL) : NULL;
	facts_add(out, json_object_get(extra, "capture"), kind);
}

/* Adds the text if the number that follows it is not 0. */
static void count_add(struct words_list *out, const char *before, uint64_t n, const char *after)
{
	if (n)
		words_list_addf(out, "%s: %" PRIu64 "%s", before, n, after);
}

void info_number_warnings(struct words_list *out, const struct tally *s,
			  const struct trace_meta *meta)
{
	const double gap_ns = tally_interarrival_ns(s);
	count_add(out, "damaged blocks left out, with the requests in them", s->n_damage, "");
	if (!s->health.complete)
		words_list_add(out, "the trace has no end: its writer was killed or ran out of "
				    "space, or the file was truncated");
	if (s->health.complete && meta->cut)
		words_list_add(out, "made from an earlier trace that was truncated: requests may "
				    "be missing");
	count_add(out, "requests missing at the end, or not completely written",
		  s->health.n_records_uncommitted, "");
	count_add(out, "events lost during the capture", meta->n_events_lost, "");
	count_add(out, "requests that end before they begin", s->n_end_before_begin,
		  " (left out of the response times)");
	count_add(out, "requests that begin before the previous request of their thread",
		  s->n_backwards, " (the clock went backwards, or the trace is not in order)");
	count_add(out, "calls that submit asynchronous requests", async_calls_unshown(&s->async),
		  "; the requests are not in the trace");
	count_add(out, "requests without a start time", s->n_without_begin, "");
	count_add(out, "requests without an end time", s->n_without_end, "");
	if (gap_ns < 10)
		words_list_addf(out, "a request every %.3g ns is implausible: is the unit of the "
				"times right?", gap_ns);
	if (gap_ns > 3600e9)
		words_list_addf(out, "a request every %.3g h is implausible: is the unit of the "
				"times right?", gap_ns / 3600e9);
	if (s->threads_cut)
		words_list_addf(out, "more than %u threads: are the columns of pid and tid right?",
				TALLY_THREADS_MAX);
}
