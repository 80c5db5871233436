/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/analysis/at_device.h"

#include "validate/analysis/analysis_private.h"
#include "validate/analysis/measures.h"

static struct own_view own_of(const struct run *const *runs, size_t n)
{
	struct own_view v = {.in_flight = NAN, .in_flight_max = NAN};
	double *x = xcalloc(n + 1, sizeof *x), sum = 0, most = 0;
	size_t n_known = 0;
	for (size_t i = 0; i < n; i++) {
		if (!runs[i]->has_own || !runs[i]->has_device)
			continue;
		x[n_known++] = runs[i]->own_mean_ns;
		sum += runs[i]->device.own_in_flight;
		most += runs[i]->device.own_in_flight_max;
	}
	v.response = n_known ? estimate_of_mean(x, n_known) : estimate_none(STAT_NOT_ASSESSED);
	if (n_known) {
		v.in_flight = sum / (double)n_known;
		v.in_flight_max = most / (double)n_known;
	}
	free(x);
	return v;
}

static double reordered_share(const struct run *const *runs, size_t n)
{
	double received = 0, reordered = 0;
	for (size_t i = 0; i < n; i++) {
		received += (double)runs[i]->device.n_received;
		reordered += (double)runs[i]->device.n_reordered;
	}
	return received > 0 ? reordered / received : NAN;
}

static void device_compute(struct at_device *d, const struct measure_runs *m)
{
	double n = 0, seen = 0, requests = 0;
	*d = (struct at_device){.reordered_program = NAN};
	for (size_t i = 0; i < m->n; i++) {
		const struct run_device *v = &m->x[i]->device;
		if (!m->x[i]->has_device)
			continue;
		n++;
		seen += (double)v->n_seen;
		requests += (double)v->n_requests;
		d->n_split += (double)v->n_split;
		d->n_extra += (double)v->n_extra;
		d->n_outside += (double)v->n_outside;
	}
	d->there = n > 0;
	if (!d->there)
		return;
	d->n_split /= n;
	d->n_extra /= n;
	d->n_outside /= n;
	d->seen = requests > 0 ? seen / requests : NAN;
	d->program = own_of(m->r, m->n);
	d->replay = own_of(m->x, m->n);
	d->reordered_program = reordered_share(m->r, m->n);
}

void at_device_compute(struct analysis *a)
{
	a->device = xcalloc(a->n_cells + 1, sizeof *a->device);
	for (size_t i = 0; i < a->n_cells; i++) {
		SCOPED(measure_runs_release) struct measure_runs m;
		measure_runs_of_cell(&m, a, i);
		device_compute(&a->device[i], &m);
	}
}
