/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the self-test of capture for the terminal. */
#include <jansson.h>

#include "capture/op.h"
#include "reports/selftest/selftest.h"

/* Formats a time in a unit that suits `like`: ns up to 9999, then us, ms. */
static void time_put(char *out, size_t size, double ns, double like, bool sign)
{
	static const struct {
		double ns;
		const char *name;
	} units[] = {{1, "ns"}, {1e3, "us"}, {1e6, "ms"}};
	size_t k = 0;
	if (!isfinite(ns)) {
		snprintf(out, size, "-");
		return;
	}
	while (k < 2 && fabs(like) >= 9999.5 * units[k].ns)
		k++;
	double x = ns / units[k].ns;
	int digits = (k ? fabs(x) < 99.95 : fabs(x) < 9.995) ? 1 : 0;
	snprintf(out, size, sign ? "%+.*f %s" : "%.*f %s", digits, x, units[k].name);
}

static void row_print(uint16_t op, unsigned int level, const struct capture_estimate *x, FILE *out)
{
	char bias[32], half[32], median[32], p99[32], begin[32], cost[64] = "-";
	time_put(bias, sizeof bias, x->bias_ns, x->bias_ns, true);
	time_put(half, sizeof half, x->bias_half_ns, x->bias_ns, false);
	time_put(median, sizeof median, x->scatter_median_ns, x->scatter_median_ns, false);
	time_put(p99, sizeof p99, x->scatter_p99_ns, x->scatter_p99_ns, false);
	time_put(begin, sizeof begin, x->begin_ns, x->begin_ns, true);
	if (!x->cost_status)
		snprintf(cost, sizeof cost, "%.3g (%.3g to %.3g)", x->cost_ratio, x->cost_low,
			 x->cost_high);
	fprintf(out,
		"  %-10s%4u%10" PRIu64 "%8" PRIu64 "%7" PRIu64 "   %10s +- %-10s%9s%10s%11s   %s\n",
		op_name(op), level, x->n_matched, x->n_missed, x->n_extra, bias, half, median, p99,
		begin, cost);
}

static void method_print(const struct capture_trial *t, size_t method, FILE *out)
{
	static const char *const words[CAPTURE_N_METHODS] = {
	    "the preloaded library", "the kernel's tracepoints of system calls",
	    "strace -f -ttt -T"};
	const struct capture_standing *s = &t->method[method];
	struct capture_estimate x;
	fprintf(out, "\n%s: %s", capture_methods[method].name, words[method]);
	if (s->left_out[0]) {
		fprintf(out, "\n  left out: %s\n", s->left_out);
		return;
	}
	char resolution[32];
	time_put(resolution, sizeof resolution, s->resolution_ns, s->resolution_ns, false);
	fprintf(out, "; resolution %s, %" PRIu64 " event%s lost\n", resolution, s->n_lost,
		s->n_lost == 1 ? "" : "s");
	fprintf(out, "  %-10s%4s%10s%8s%7s   %10s +- %-10s%9s%10s%11s   %s\n", "call", "thr.",
		"matched", "missed", "extra", "bias", "95 %", "scatter", "p99", "start",
		"own time, ratio");
	for (uint16_t op = 0; op < OP_N; op++)
		for (size_t l = 0; l < CAPTURE_N_LEVELS; l++)
			if (capture_estimate(&t->study, method, op, capture_levels[l], &x) &&
			    (x.n_own || x.n_extra))
				row_print(op, capture_levels[l], &x, out);
	struct capture_clock clock;
	if (capture_clock(&t->study, method, &clock))
		return;
	char offset[32], u[32];
	time_put(offset, sizeof offset, clock.offset_ns, clock.offset_ns, true);
	time_put(u, sizeof u, clock.u_ns, clock.u_ns, false);
	fprintf(out, "  clock: captured start minus the program's own start is %s on average; "
		     "standard uncertainty u = %s from process to process (%zu processes)\n",
		offset, u, clock.n_processes);
}

void selftest_capture_print(const struct capture_trial *t, FILE *out)
{
	fprintf(out, "Capture compared with the program's own time stamps in the same runs, %zu "
		     "runs of each method\n", t->study.n_runs);
	for (size_t i = 0; i < CAPTURE_N_METHODS; i++)
		method_print(t, i, out);
	fprintf(out,
		"\nmissed     requests of the program that were not captured; extra: captured "
		"requests that the program did not make\nbias       captured minus own response "
		"time: mean over the runs, with its 95 %% interval\nscatter    captured minus own "
		"response time of single requests: distance from the bias of the run (median, 99th "
		"percentile)\nstart      captured start minus the start that the program "
		"measured\nclock      each process calibrates its clock itself: u applies to "
		"comparisons of times of two processes, not to response times\nown time   the "
		"program's own mean response time with capture, divided by that without capture, "
		"with its 95 %% interval\n");
}
