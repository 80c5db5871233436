/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "commands/volume_delivered.h"

#include "common/units.h"
#include "microbench/volume/service.h"
#include "validate/metrics/histogram.h"

#define N_POINTS 6
static const struct {
	double p;
	const char *head, *key;
} point[N_POINTS] = {{0.05, "5 %", "p05_ns"}, {0.25, "25 %", "p25_ns"}, {0.5, "median", "p50_ns"},
		     {0.75, "75 %", "p75_ns"}, {0.95, "95 %", "p95_ns"}, {0.99, "99 %", "p99_ns"}};
enum { MEDIAN = 2, P99 = 5 };

struct times { /* from the arrival to the answer, including queueing */
	double mean_ns, at_ns[N_POINTS];
};

struct delivered {
	uint64_t n; /* requests that were answered without an error */
	uint64_t n_short; /* of these, requests whose programmed time is shorter than the lead */
	struct times programmed, kept;
};

static const char *const op_names[] = {
    [SERVICE_READ] = "reads", [SERVICE_WRITE] = "writes", [SERVICE_FLUSH] = "flushes", NULL};

static int times_find(const struct histogram *h, double sum_ns, struct times *t, struct err *e)
{
	t->mean_ns = sum_ns / (double)h->n;
	for (int i = 0; i < N_POINTS; i++)
		if (histogram_quantile(h, point[i].p, &t->at_ns[i], e))
			return -EINVAL;
	return 0;
}

static int delivered_find(const struct volume_log *log, enum service_op op, struct delivered *d,
			  struct err *e)
{
	SCOPED(histogram_release) struct histogram programmed = {0}, kept = {0};
	double programmed_sum_ns = 0, kept_sum_ns = 0;
	uint64_t n = atomic_load_explicit(&log->head->n, memory_order_acquire);
	*d = (struct delivered){0};
	for (uint64_t i = 0; i < n; i++) {
		const struct volume_entry *x = &log->entry[i];
		if (x->op != op || x->error)
			continue;
		int64_t due_ns = x->due_ns - x->arrival_ns,
			kept_ns = x->end_ns - x->arrival_ns + x->lead_ns;
		histogram_add(&programmed, due_ns);
		histogram_add(&kept, kept_ns);
		programmed_sum_ns += (double)due_ns;
		kept_sum_ns += (double)kept_ns;
		d->n_short += due_ns < x->lead_ns;
	}
	d->n = kept.n;
	int ret = d->n ? times_find(&programmed, programmed_sum_ns, &d->programmed, e) : 0;
	return ret || !d->n ? ret : times_find(&kept, kept_sum_ns, &d->kept, e);
}

/* --- text --------------------------------------------------------------- */

static void row_print(const char *label, const struct times *t)
{
	SCOPED_STRBUF cell = STRBUF_INIT;
	printf("    %-12s", label);
	for (int i = 0; i <= N_POINTS; i++) {
		strbuf_reset(&cell);
		format_duration(&cell, i < N_POINTS ? t->at_ns[i] : t->mean_ns);
		printf("%10s", cell.s);
	}
	putchar('\n');
}

static void op_print(const char *name, const struct delivered *d)
{
	printf("  %-10s %-3" PRIu64, name, d->n);
	for (int i = 0; i < N_POINTS; i++)
		printf("%10s", point[i].head);
	printf("%10s\n", "mean");
	row_print("programmed", &d->programmed);
	row_print("delivered", &d->kept);
	if (d->n_short)
		printf("    %" PRIu64 " request%s answered at once, because the programmed "
		       "wait plus service time is shorter\n    than the lead (the time by which "
		       "the server answers earlier than programmed)\n",
		       d->n_short, d->n_short == 1 ? " was" : "s were");
}

int volume_delivered_print(const struct volume_log *log, struct err *e)
{
	int ret = 0;
	for (int op = 0; op_names[op] && !ret; op++) {
		struct delivered d;
		ret = delivered_find(log, (enum service_op)op, &d, e);
		if (!ret && d.n)
			op_print(op_names[op], &d);
	}
	uint64_t n_lost = atomic_load(&log->head->n_lost);
	if (n_lost)
		printf("  warning    %" PRIu64 " request%s not in the log, which was full\n",
		       n_lost, n_lost == 1 ? " is" : "s are");
	return ret;
}

/* --- JSON --------------------------------------------------------------- */

static json_t *times_json(const struct times *t)
{
	json_t *o = json_pack("{s:f}", "mean_ns", t->mean_ns);
	for (int i = 0; i < N_POINTS; i++)
		json_object_set_new(o, point[i].key, json_real(t->at_ns[i]));
	return o;
}

int volume_delivered_json(const struct volume_log *log, json_t *o, struct err *e)
{
	int ret = 0;
	json_object_set_new(o, "n_lost", json_integer((json_int_t)atomic_load(&log->head->n_lost)));
	for (int op = 0; op_names[op] && !ret; op++) {
		struct delivered d;
		ret = delivered_find(log, (enum service_op)op, &d, e);
		if (ret)
			break;
		json_object_set_new(
		    o, op_names[op],
		    d.n ? json_pack("{s:I, s:I, s:f, s:f, s:f, s:o, s:o}", "n", (json_int_t)d.n,
				    "n_shorter_than_lead", (json_int_t)d.n_short,
				    "programmed_median_ns", d.programmed.at_ns[MEDIAN], "median_ns",
				    d.kept.at_ns[MEDIAN], "p99_ns", d.kept.at_ns[P99], "programmed",
				    times_json(&d.programmed), "delivered", times_json(&d.kept))
			: json_pack("{s:i}", "n", 0));
	}
	return ret;
}
