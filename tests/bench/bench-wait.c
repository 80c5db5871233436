/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures how late a wait ends, by method and gap: the time between the deadline and the next
 * stamp, as in a replayer. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "common/clock.h"
#include "common/units.h"
#include "common/wait.h"

static int compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Prints a line. With WAIT_NANOSLEEP and the default timer slack, sets *sleep_p99_ns, with which
 * the other methods are compared. */
static void measure(const struct clock *c, enum wait_method method, int64_t gap_ns, int n,
		    const char *note, double *sleep_p99_ns)
{
	double *late_ns = malloc((size_t)n * sizeof *late_ns);
	if (!late_ns)
		exit(3);
	struct waiter w;
	waiter_init(&w, c, method, 0);
	uint64_t gap = (uint64_t)((double)gap_ns / c->ns_per_tick), deadline = clock_now(c) + gap;
	double spun = 0;
	for (int i = 0; i < n; i++) {
		spun += (double)(w.margin_ticks < gap ? w.margin_ticks : gap) / (double)gap;
		wait_until(&w, deadline);
		uint64_t begin = clock_begin(c);
		late_ns[i] = (double)(begin - deadline) * c->ns_per_tick;
		/* a late wait does not delay the next waits */
		deadline = (begin > deadline + gap ? begin : deadline) + gap;
	}
	qsort(late_ns, (size_t)n, sizeof *late_ns, compare_double);
	struct strbuf gap_text = STRBUF_INIT;
	format_duration(&gap_text, (double)gap_ns);
	printf("%-7s%-8s gap %-7s late by p50 %8.2f  p99 %8.2f  p99.9 %8.2f  max %9.2f us",
	       wait_method_names[method], note, gap_text.s, late_ns[n / 2] / 1e3,
	       late_ns[(size_t)n * 99 / 100] / 1e3, late_ns[(size_t)n * 999 / 1000] / 1e3,
	       late_ns[n - 1] / 1e3);
	double p99_ns = late_ns[(size_t)n * 99 / 100];
	if (*sleep_p99_ns == 0)
		*sleep_p99_ns = p99_ns;
	printf("  p99/sleep %.5f", p99_ns / *sleep_p99_ns);
	if (method == WAIT_HYBRID)
		printf("  margin %.0f to %.0f us, spun %.0f %%, late wake-ups %.2f %%",
		       (double)w.base_ticks * c->ns_per_tick / 1e3,
		       (double)w.margin_ticks * c->ns_per_tick / 1e3, 100 * spun / n,
		       w.n_sleeps ? 100 * (double)w.n_late / (double)w.n_sleeps : 0);
	putchar('\n');
	fflush(stdout);
	strbuf_release(&gap_text);
	free(late_ns);
}

int main(void)
{
	static const int64_t gaps_ns[] = {10000, 50000, 1000000};
	struct clock c;
	struct err e = ERR_INIT;
	if (clock_init(&c, 20000000, &e)) {
		fprintf(stderr, "bench-wait: %s\n", e.msg);
		return 3;
	}
	for (size_t i = 0; i < 3; i++) {
		int64_t gap = gaps_ns[i];
		int n = (int)(2000000000 / gap);
		double sleep_p99_ns = 0;
		prctl(PR_SET_TIMERSLACK, 0, 0, 0, 0); /* the default again */
		measure(&c, WAIT_NANOSLEEP, gap, n / 4, "", &sleep_p99_ns);
		measure(&c, WAIT_HYBRID, gap, n, "", &sleep_p99_ns);
		waiter_thread_setup();
		measure(&c, WAIT_NANOSLEEP, gap, n / 4, "noslack", &sleep_p99_ns);
		measure(&c, WAIT_HYBRID, gap, n, "noslack", &sleep_p99_ns);
		measure(&c, WAIT_SPIN, gap, n / 2, "", &sleep_p99_ns);
	}
	return 0;
}
