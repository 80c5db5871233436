/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of the temporal order itself: the rate of an ideal replayer that keeps it.
 *
 * The replayer has the service times and pauses of a second run of the program. It has immediate
 * information about the other threads, at no cost. It only waits if the order of the trace requires
 * it: begin(k) is the latest of its own thread's readiness, the ends (in the replay) of earlier
 * requests that ended before it in the trace, and the starts of requests that began before it. No
 * replayer that keeps the order with these service times can be faster. Two threads.
 *
 * With `way_ns`, information from the other thread is delayed by the transfer of a cache line
 * (line_way.h), because threads of a machine share only memory. The delay begins when the thread is
 * ready, or when the other thread acted if that is later. CPUs fetch a line when they need it, so a
 * waiting request cannot get the information earlier. */
#pragma once

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "capture/trace.h"
#include "common/xalloc.h"

struct lane_times { /* of one thread, in its order */
	int64_t *begin, *end;
	size_t n;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Reads two lanes, which differ by the file that they read, because each thread has its own file.
 * False: there are not two lanes with `n` requests each. */
static bool lanes_read(struct lane_times lane[2], const char *path)
{
	struct err e = ERR_INIT;
	struct trace *t;
	const struct trace_record *r;
	size_t n_batch, n_room;
	bool known;
	if (trace_open(&t, path, &e))
		return false;
	n_room = trace_n_records(t, &known) + 1;
	for (int i = 0; i < 2; i++)
		lane[i] = (struct lane_times){xcalloc(n_room, sizeof(int64_t)),
					      xcalloc(n_room, sizeof(int64_t)), 0};
	const char *name[2] = {NULL, NULL};
	bool two = true;
	while (trace_next_batch(t, &r, &n_batch, &e) > 0)
		for (size_t k = 0; k < n_batch && two; k++) {
			const char *file =
			    trace_object(t, r[k].object) ? trace_object(t, r[k].object)->name : "";
			int i = name[0] && strcmp(name[0], file) ? 1 : 0;
			if (!name[i])
				name[i] = xstrdup(file);
			two = !strcmp(name[i], file);
			lane[i].begin[lane[i].n] = r[k].begin_ns;
			lane[i].end[lane[i].n++] = r[k].end_ns;
		}
	trace_close(t);
	if (two && name[0] && name[1] && compare_names(&name[0], &name[1]) > 0) {
		struct lane_times was = lane[0];
		lane[0] = lane[1];
		lane[1] = was;
	}
	two = two && name[0] && name[1] && lane[0].n == lane[1].n;
	free((char *)(uintptr_t)name[0]);
	free((char *)(uintptr_t)name[1]);
	return two;
}

static void lanes_free(struct lane_times lane[2])
{
	for (int i = 0; i < 2; i++) {
		free(lane[i].begin);
		free(lane[i].end);
	}
}

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Execution time in the order of `trace`, with the service times and pauses of `run`. */
static int64_t ideal_duration(const struct lane_times trace[2], const struct lane_times run[2],
			      int64_t way_ns)
{
	size_t next[2] = {0, 0}, n_ended[2] = {0, 0}, n_begun[2] = {0, 0}, n = trace[0].n;
	int64_t *begin[2], *end[2], last = 0;
	for (int i = 0; i < 2; i++) {
		begin[i] = xcalloc(n, sizeof(int64_t));
		end[i] = xcalloc(n, sizeof(int64_t));
	}
	while (next[0] < n || next[1] < n) {
		int i = next[1] >= n ||
				(next[0] < n && trace[0].begin[next[0]] <= trace[1].begin[next[1]])
			    ? 0
			    : 1,
		    j = 1 - i;
		size_t k = next[i]++;
		int64_t at = k ? end[i][k - 1] + run[i].begin[k] - run[i].end[k - 1] : 0;
		const size_t known = n_ended[j] + n_begun[j];
		while (n_ended[j] < n && trace[j].end[n_ended[j]] <= trace[i].begin[k])
			n_ended[j]++;
		while (n_begun[j] < n && trace[j].begin[n_begun[j]] < trace[i].begin[k])
			n_begun[j]++;
		if (n_ended[j])
			at = later(at, end[j][n_ended[j] - 1]);
		if (n_begun[j])
			at = later(at, begin[j][n_begun[j] - 1]);
		at += n_ended[j] + n_begun[j] > known ? way_ns : 0;
		begin[i][k] = at;
		end[i][k] = at + run[i].end[k] - run[i].begin[k];
		last = later(last, end[i][k]);
	}
	for (int i = 0; i < 2; i++) {
		free(begin[i]);
		free(end[i]);
	}
	return last;
}

/* Rate of the ideal replay divided by the rate of the run itself; 0: unknown. */
static double ideal_rate(const char *trace_path, const char *run_path, int64_t way_ns)
{
	struct lane_times trace[2] = {{0}}, run[2] = {{0}};
	double ratio = 0;
	if (lanes_read(trace, trace_path) && lanes_read(run, run_path) && trace[0].n == run[0].n &&
	    trace[0].n) {
		size_t n = run[0].n;
		int64_t first =
		    run[0].begin[0] < run[1].begin[0] ? run[0].begin[0] : run[1].begin[0];
		ratio = (double)(later(run[0].end[n - 1], run[1].end[n - 1]) - first) /
			(double)ideal_duration(trace, run, way_ns);
	}
	lanes_free(trace);
	lanes_free(run);
	return ratio;
}
