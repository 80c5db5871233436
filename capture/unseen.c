/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/unseen.h"

#include "capture/op.h"

#define NOTE(field) offsetof(struct trace_notes, field)
const struct unseen_fact unseen_facts[] = {
    {"n_untraced", NOTE(n_untraced), UNSEEN_REQUESTS,
     "processes or threads that were started and not traced",
     "strace -f traces them; after strace -ff, import all of its files together"},
    {"n_filtered", NOTE(n_filtered), UNSEEN_REQUESTS,
     "processes that end without a call to exit or exit_group, which shows that calls are "
     "missing",
     "record without strace -e and -z, which leave out calls"},
    {"n_reopened", NOTE(n_reopened), UNSEEN_REQUESTS,
     "descriptors that are opened twice or used after they were closed, which shows that calls are "
     "missing",
     "record without strace -e and -z, which leave out calls"},
    {"n_contradictions", NOTE(n_contradictions), UNSEEN_REQUESTS,
     "calls that contradict earlier calls, which shows that calls are missing",
     "record without strace -e, which leaves out calls, and keep all lines"},
    {"n_cut_off", NOTE(n_cut_off), UNSEEN_REQUESTS,
     "threads whose end is missing, because the output of strace was truncated", NULL},
    {"n_unknown_fd", NOTE(n_unknown_fd), UNSEEN_REQUESTS,
     "calls on descriptors that the trace neither opens nor names", NULL},
    {"n_unread", SIZE_MAX, UNSEEN_REQUESTS,
     "lines that could not be read and were left out", NULL},
    {"n_unnamed", NOTE(n_unnamed), UNSEEN_REQUESTS,
     "calls on paths that are not known", NULL},
    {"n_unknown_descriptors", SIZE_MAX, UNSEEN_REQUESTS,
     "calls on descriptors without a captured open", NULL},
    {"n_calls_32_bits", SIZE_MAX, UNSEEN_REQUESTS,
     "32-bit system calls, which have no tracepoints", NULL},
    {"n_outlived", SIZE_MAX, UNSEEN_REQUESTS,
     "processes that continued after the end of the command and were no longer captured",
     NULL},
    {"n_mounts", NOTE(n_mounts), UNSEEN_REQUESTS,
     "calls that mounted or unmounted file systems, so a name can lead to different files before "
     "and after them",
     "a replay mounts nothing"},
    {"n_unshared", NOTE(n_unshared), UNSEEN_REQUESTS,
     "threads or processes that share descriptors or the working directory in an unusual way "
     "(clone or unshare with CLONE_FILES or CLONE_FS)",
     NULL},
    {"n_file_actions", SIZE_MAX, UNSEEN_REQUESTS,
     "calls to posix_spawn that failed, or whose file actions could not be read, so files may have "
     "been created or truncated", NULL},
    {"n_unknown_cwd", NOTE(n_unknown_cwd), UNSEEN_FILES,
     "paths relative to an unknown directory, which are treated as relative to the "
     "root", "strace -y prints the directories"},
    {"n_umask_unknown", NOTE(n_umask_unknown), UNSEEN_FILES,
     "files created with an unknown umask",
     "a replay applies its own umask to them"},
    {"n_links_unknown", NOTE(n_links_unknown), UNSEEN_FILES,
     "files that may have other names (hard links)", "strace -v prints the number of hard links"},
    {"n_targets_unknown", NOTE(n_targets_unknown), UNSEEN_FILES,
     "symbolic links that calls follow, but whose target is unknown",
     "a replay creates the target instead of the link"},
    {"n_parents_unknown", NOTE(n_parents_unknown), UNSEEN_FILES,
     "directories before \"..\" that may be symbolic links",
     "the import treats them as directories; with strace -y, it detects more of the links"},
    {"n_sizes_unknown", NOTE(n_sizes_unknown), UNSEEN_FILES,
     "changed files whose size no call shows",
     "a replay makes them as small as the requests permit"},
    {"n_file_calls", NOTE(n_file_calls), UNSEEN_CODE,
     "processes with calls on files only: strace probably had a filter, so calls on files may also "
     "be missing",
     NULL},
    {"programs_made_code", SIZE_MAX, UNSEEN_CODE,
     "runs of programs that could not be searched completely for system calls, because the "
     "programs generated code at run time", NULL},
    {"programs_replaced", SIZE_MAX, UNSEEN_CODE,
     "runs of programs that could not be searched for system calls, because one of their files was "
     "removed or changed", NULL},
    {NULL, 0, UNSEEN_REQUESTS, NULL, NULL},
};

uint64_t unseen_count(const json_t *capture, const char *key)
{
	const json_int_t v = json_integer_value(json_object_get(capture, key));
	return v > 0 ? (uint64_t)v : 0;
}

bool unseen_notes_add(json_t *capture, const struct trace_notes *n)
{
	bool any = false;
	for (const struct unseen_fact *f = unseen_facts; f->key; f++) {
		uint64_t count = 0;
		if (f->note != SIZE_MAX)
			memcpy(&count, (const char *)n + f->note, sizeof count);
		if (count)
			json_object_set_new(capture, f->key, json_integer((json_int_t)count));
		any |= count != 0;
	}
	return any;
}

/* Returns at most INT64_MAX. `a` and `b` must not exceed it. */
static uint64_t counts_add(uint64_t a, uint64_t b)
{
	return a + b < INT64_MAX ? a + b : INT64_MAX;
}

static uint64_t counts_sum(const json_t *capture, const char *const counts[], size_t n_counts)
{
	uint64_t n = 0;
	for (size_t i = 0; i < n_counts; i++)
		n = counts_add(n, unseen_count(capture, counts[i]));
	return n;
}

static const char *const program_keys[] = {"programs_unseen", "programs_own_calls",
					   "programs_own_rings"};
static const char *const request_keys[] = {"ring_entries", "n_rings", "n_ring_unread", "n_unshown",
					   "n_handed_over"};
#define N(keys) (sizeof(keys) / sizeof *(keys))

uint64_t programs_unseen(const json_t *extra)
{
	return counts_sum(json_object_get(extra, "capture"), program_keys, N(program_keys));
}

uint64_t requests_unseen(const json_t *extra)
{
	const json_t *capture = json_object_get(extra, "capture");
	uint64_t n = counts_sum(capture, request_keys, N(request_keys));
	n = counts_add(n, json_is_true(json_object_get(capture, "interrupted")));
	for (const struct unseen_fact *f = unseen_facts; f->key; f++)
		n = counts_add(n, f->kind == UNSEEN_REQUESTS ? unseen_count(capture, f->key) : 0);
	return n;
}

void unseen_count_add(json_t *extra, const char *key, uint64_t n)
{
	json_t *capture = json_object_get(extra, "capture");
	if (!n)
		return;
	if (!json_is_object(capture))
		json_object_set_new(extra, "capture", capture = json_object());
	json_object_set_new(capture, key,
			    json_integer((json_int_t)counts_add(n, unseen_count(capture, key))));
}

void unseen_add(json_t *extra, const json_t *from_extra)
{
	const json_t *from = json_object_get(from_extra, "capture");
	for (size_t i = 0; i < N(program_keys); i++)
		unseen_count_add(extra, program_keys[i], unseen_count(from, program_keys[i]));
	for (size_t i = 0; i < N(request_keys); i++)
		unseen_count_add(extra, request_keys[i], unseen_count(from, request_keys[i]));
	for (const struct unseen_fact *f = unseen_facts; f->key; f++)
		unseen_count_add(extra, f->key, unseen_count(from, f->key));
	if (json_is_true(json_object_get(from, "interrupted"))) {
		if (!json_object_get(extra, "capture"))
			json_object_set_new(extra, "capture", json_object());
		json_object_set_new(json_object_get(extra, "capture"), "interrupted", json_true());
	}
}

uint64_t programs_unseen_of_text(const char *extra_json)
{
	json_auto_t *extra = extra_json ? json_loads(extra_json, 0, NULL) : NULL;
	return programs_unseen(extra);
}

void async_counts_add(struct async_counts *a, const struct trace_record *r)
{
	const bool ended = r->end_ns != TIME_NONE;
	/* also a result of 0 with a length, because the trace may have no results */
	const bool hands_over = r->rvalue > 0 || (r->rvalue == 0 && r->length > 0);
	a->has_ends |= ended;
	if (r->op >= OP_AIO_READ && r->op <= OP_AIO_OTHER) {
		a->n_requests++;
		a->n_without_end += !ended && r->op != OP_AIO_OTHER;
	} else if (r->op == OP_IO_SUBMIT && hands_over) {
		a->n_calls++;
		a->n_handed_over += r->rvalue > 0 ? (uint64_t)r->rvalue : r->length;
	} else if (r->op == OP_IO_URING_ENTER && hands_over && !(r->flags & LOG_BY_LIBURING)) {
		a->n_calls++;
	}
}

uint64_t async_calls_unshown(const struct async_counts *a)
{
	return a->n_requests ? 0 : a->n_calls;
}

uint64_t async_requests_missing(const struct async_counts *a)
{
	return a->n_requests && a->n_handed_over > a->n_requests
		   ? a->n_handed_over - a->n_requests
		   : 0;
}

uint64_t async_results_missing(const struct async_counts *a)
{
	return a->has_ends ? a->n_without_end : 0;
}

static bool text_begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

const char *unseen_scope(const struct trace_meta *meta)
{
	static const struct {
		const char *captured_by; /* beginning of the metadata's `captured_by` */
		const char *scope;
	} methods[] = {
	    {"validate microbench", NULL},
	    {"validate replay", NULL},
	    {"volume", NULL},
	    {"validate capture block", "requests that bypass the block layer"},
	    {"strace", "calls that a filter of strace left out (unless another call reveals them), "
		       "lines removed from the output, and accesses to mapped memory"},
	};
	const char *by = meta->captured_by ? meta->captured_by : "";
	json_auto_t *extra = meta->extra_json ? json_loads(meta->extra_json, 0, NULL) : NULL;
	const json_t *capture = json_object_get(extra, "capture");
	if (text_begins(by, "validate capture app"))
		return json_object_get(capture, "programs_made_code") &&
				       !unseen_count(capture, "programs_made_code") &&
				       !unseen_count(capture, "programs_replaced")
			   ? "accesses to mapped memory, and calls inside the C library and its "
			     "loader"
			   : "accesses to mapped memory, calls inside the C library and its "
			     "loader, and calls by code that was not searched for system calls";
	if (text_begins(by, "validate capture vfs"))
		return json_object_get(capture, "n_calls_32_bits")
			   ? "accesses to mapped memory without a page fault"
			   : "32-bit system calls, and accesses to mapped memory without a page "
			     "fault";
	for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
		if (text_begins(by, methods[i].captured_by))
			return methods[i].scope;
	return "requests that the recording program left out without counting them";
}
