/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/deps/deps_report.h"

#include "common/sort.h"
#include "common/units.h"
#include "replay/order/infer_trace.h"
#include "reports/json/json_value.h"
#include "reports/output.h"

struct threshold {
	int64_t ns;
	const char *origin;
	bool estimated;
	struct think_times seen;
};

static int threshold_find(struct threshold *h, struct trace *t, const char *think, bool *usage,
			  struct err *e)
{
	*h = (struct threshold){.ns = INFER_THRESHOLD_NS, .origin = "the default"};
	if (!think)
		return 0;
	if (strcmp(think, "auto")) {
		int ret = parse_duration(think, &h->ns, e); /* below TRACE_TIME_MAX */
		*usage = ret != 0;
		h->origin = "set by --think-time";
		return ret ? err_context(e, "--think-time") : 0;
	}
	int ret = think_times_read(&h->seen, t, e);
	h->estimated = h->seen.n >= THINK_TIMES_ENOUGH;
	h->origin = h->estimated ? "the shortest idle period of the trace" :
				  "the default, because the trace has too few idle periods";
	h->ns = h->estimated ? h->seen.least_ns : INFER_THRESHOLD_NS;
	return ret;
}

/* --- width over time ----------------------------------------------------- */
/* The time is divided into slices of equal length. The length doubles when the trace continues
 * after the last slice. */

#define N_SLICES 64

struct time_slice {
	uint64_t n, width_max;
	double width_sum;
};

struct busy_over_time {
	struct time_slice slice[N_SLICES];
	int64_t from_ns, length_ns;
};

static void slices_double(struct busy_over_time *o)
{
	for (size_t i = 0; i < N_SLICES; i++) {
		struct time_slice a = {0}, b = {0};
		if (2 * i < N_SLICES)
			a = o->slice[2 * i], b = o->slice[2 * i + 1];
		o->slice[i] = (struct time_slice){
		    a.n + b.n, a.width_max > b.width_max ? a.width_max : b.width_max,
		    a.width_sum + b.width_sum};
	}
	o->length_ns *= 2;
}

static void over_time_add(struct busy_over_time *o, int64_t begin_ns, uint64_t width)
{
	if (!o->length_ns)
		*o = (struct busy_over_time){.from_ns = begin_ns, .length_ns = 1000};
	while ((begin_ns - o->from_ns) / o->length_ns >= N_SLICES)
		slices_double(o);
	struct time_slice *s = &o->slice[(begin_ns - o->from_ns) / o->length_ns];
	s->n++;
	s->width_sum += (double)width;
	s->width_max = width > s->width_max ? width : s->width_max;
}

/* --- the pass ------------------------------------------------------------ */

struct shown_request { /* a request of the graph */
	struct infer_parents p;
	uint64_t rank, seq, offset, length;
	int64_t begin_ns, end_ns;
	uint16_t op;
};

struct pass {
	const struct deps_inferred_config *c;
	struct busy_over_time time;
	struct shown_request *shown;
	size_t n_shown, cap;
};

static void on_fed(void *ctx, uint64_t request, const struct trace_record *r,
		   const struct infer_parents *p)
{
	struct pass *s = ctx;
	over_time_add(&s->time, r->begin_ns, request + 1 - p->hi);
	if (!s->c->dot || request < s->c->from ||
	    (s->c->n_shown && request - s->c->from >= s->c->n_shown))
		return;
	APPEND(s->shown, s->n_shown, s->cap, (struct shown_request){*p, UINT64_MAX, r->seq,
		r->offset, r->length, r->begin_ns, r->end_ns, r->op});
}

static void on_ended(void *ctx, uint64_t request, uint64_t rank)
{
	struct pass *s = ctx;
	if (request >= s->c->from && request - s->c->from < s->n_shown)
		s->shown[request - s->c->from].rank = rank;
}

/* --- the graph ----------------------------------------------------------- */

static int by_rank(const void *a, const void *b)
{
	const struct shown_request *const *x = a, *const *y = b;
	return ((*x)->rank > (*y)->rank) - ((*x)->rank < (*y)->rank);
}

static void edges_write(struct strbuf *out, const struct pass *s,
			struct shown_request *const *ranked, const struct shown_request *r)
{
	uint64_t n_drawn = 0;
	size_t k = 0;
	BISECT(k, s->n_shown, i, ranked[i]->rank < r->p.lo)
	for (; k < s->n_shown && ranked[k]->rank < r->p.hi; k++, n_drawn++)
		strbuf_addf(out, "  r%" PRIu64 " -> r%" PRIu64 " [label=\"%s\"];\n", ranked[k]->seq,
			    r->seq, duration_text((double)(r->begin_ns - ranked[k]->end_ns)).s);
	uint64_t n_outside = r->p.hi - r->p.lo - n_drawn;
	if (n_outside)
		strbuf_addf(out,
			    "  o%" PRIu64 " [shape=plaintext, label=\"%" PRIu64
			    " before\"]; o%" PRIu64 " -> r%" PRIu64 " [style=dashed];\n",
			    r->seq, n_outside, r->seq, r->seq);
}

static int dot_write(const struct pass *s, const struct threshold *h, struct err *e)
{
	SCOPED_STRBUF out = STRBUF_INIT;
	SCOPED_FREE struct shown_request **ranked =
	    xcalloc(s->n_shown + 1, sizeof(struct shown_request *));
	strbuf_addf(&out,
		    "digraph deps {\n  // inferred from times; edge a -> b: request b can depend "
		    "on the end of request a; label of the edge: time from the end of a to the "
		    "start of b\n  // shortest think time %" PRId64 " ns\n"
		    "  rankdir=LR; node [shape=box, fontsize=10];\n",
		    h->ns);
	for (size_t i = 0; i < s->n_shown; i++) {
		const struct shown_request *r = &s->shown[i];
		ranked[i] = &s->shown[i];
		strbuf_addf(&out, "  r%" PRIu64 " [label=\"%" PRIu64 " %s", r->seq, r->seq,
			    op_name(r->op));
		if (r->offset != OFFSET_NONE)
			strbuf_addf(&out, "\\n%" PRIu64 "+%" PRIu64, r->offset, r->length);
		strbuf_addstr(&out, "\"];\n");
	}
	qsort(ranked, s->n_shown, sizeof *ranked, by_rank);
	for (size_t i = 0; i < s->n_shown; i++)
		edges_write(&out, s, ranked, &s->shown[i]);
	strbuf_addstr(&out, "}\n");
	return output_path(s->c->dot, &out, e);
}

/* --- output -------------------------------------------------------------- */

static void line_print(const char *name, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void line_print(const char *name, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	printf("%-15s", name);
	vprintf(fmt, ap);
	putchar('\n');
	va_end(ap);
}

static void print_text(const struct infer_summary *s, const struct infer_what *w,
		       const struct threshold *h, const char *path)
{
	double n = s->n_requests ? (double)s->n_requests : 1;
	printf("%s, dependencies inferred from times\n", path);
	line_print("Requests", "%" PRIu64 " over %s", s->n_requests,
		   duration_text((double)s->span_ns).s);
	if (s->n_endless || w->n_unknown)
		line_print("",
			   "%" PRIu64 " have no end, so nothing depends on them; %" PRIu64
			   " have no start and are left out",
			   s->n_endless, w->n_unknown);
	line_print("Think time", "a request can depend on requests that end at least %s before it "
		   "begins (%s)", duration_text((double)h->ns).s, h->origin);
	line_print("Dependencies",
		   "%" PRIu64 " that other dependencies do not imply; per request: mean %.3g, at "
		   "most %" PRIu64,
		   s->n_edges, (double)s->n_edges / n, s->n_parents_max);
	line_print("", "%" PRIu64 " request%s on no other request", s->n_roots,
		   s->n_roots == 1 ? " depends" : "s depend");
	line_print("Chains", "the longest has %" PRIu64 " request%s; %" PRIu64 " chain%s all "
		   "requests", s->longest_chain, s->longest_chain == 1 ? "" : "s", s->width_max,
		   s->width_max == 1 ? " contains" : "s contain");
	line_print("Width",
		   "on average, %.3g requests can be in flight together, and at most %" PRIu64,
		   s->width_mean, s->width_max);
	line_print("Last request", "would be issued after %s if requests took no time",
		   duration_text((double)s->think_ns).s);
}

static json_t *slices_json(const struct busy_over_time *o)
{
	json_t *list = json_array();
	for (size_t i = 0; i < N_SLICES; i++) {
		if (!o->slice[i].n)
			continue;
		json_append(list, J_INT("from_ns", o->from_ns + (json_int_t)i * o->length_ns),
			J_COUNT("n_requests", o->slice[i].n), J_VALUE("width_mean",
			json_real(o->slice[i].width_sum / (double)o->slice[i].n)),
			J_COUNT("width_max", o->slice[i].width_max));
	}
	return list;
}

static void print_json(const struct infer_summary *s, const struct infer_what *w,
		       const struct threshold *h, const struct busy_over_time *time)
{
	json_t *o = json_object();
	json_add(o, J_INT("schema", 1), J_VALUE("order", json_string("inferred")),
		J_INT("think_time_ns", h->ns), J_BOOL("think_time_estimated", h->estimated),
		J_COUNT("n_requests", s->n_requests), J_COUNT("n_without_begin", w->n_unknown),
		J_COUNT("n_without_end", s->n_endless), J_COUNT("n_dependencies", s->n_edges),
		J_COUNT("n_independent", s->n_roots), J_COUNT("n_parents_max", s->n_parents_max),
		J_COUNT("longest_chain", s->longest_chain), J_COUNT("width_max", s->width_max),
		J_VALUE("width_mean", json_real(s->width_mean)), J_INT("span_ns", s->span_ns),
		J_VALUE("service_ns", json_real(s->service_ns)),
		J_INT("think_span_ns", s->think_ns), J_INT("slice_ns", time->length_ns),
		J_VALUE("width_over_time", slices_json(time)));
	json_print(o);
}

int deps_inferred(struct trace *t, const struct deps_inferred_config *c, bool *usage, struct err *e)
{
	struct threshold h;
	struct infer_summary s;
	struct pass pass = {.c = c};
	struct infer_what w = {.fed = on_fed, .ended = on_ended, .ctx = &pass};
	int ret = threshold_find(&h, t, c->think, usage, e);
	w.threshold_ns = h.ns;
	ret = ret ? ret : infer_trace(&w, t, &s, e);
	if (!ret && c->dot)
		ret = dot_write(&pass, &h, e);
	if (!ret && c->output)
		ret = infer_annotate(t, h.ns, c->output, e);
	free(pass.shown);
	if (ret || (c->dot && !strcmp(c->dot, "-")))
		return ret;
	if (c->json)
		print_json(&s, &w, &h, &pass.time);
	else
		print_text(&s, &w, &h, c->path);
	return 0;
}
