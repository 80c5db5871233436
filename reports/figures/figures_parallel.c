/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Execution-time errors of parallel applications, as in figures 8 to 11 of the parallel-trace
 * paper: the largest error over the targets of the recordings, by application and target, by
 * sampling period, and by the number of delayed nodes. Published values stand beside them. */
#include "reports/escape.h"
#include "reports/figures/figures.h"
#include "reports/words.h"

#define MAX_PLACES 18 /* of one figure */
#define MAX_FIGURES 8
#define WIDTH 520
#define HEIGHT 280
#define LABEL 34 /* columns of a label below the axis */

static const struct scenario *scenario_of(const struct analysis *a, const struct parallel_worst *w)
{
	return cell_scenario(a, w->first);
}

static bool is_shown(const struct parallel_worst *w)
{
	return w->cell != PARALLEL_NO_CELL;
}

static uint64_t period_of(const struct analysis *a, const struct parallel_worst *w)
{
	const struct parallel_case *c = parallel_case_of(a, w->first);
	const uint64_t period = scenario_of(a, w)->parallel.period;
	return period ? period : c && c->recording ? c->recording->period : 0;
}

static uint64_t nodes_of(const struct analysis *a, const struct parallel_worst *w)
{
	const struct parallel_case *c = parallel_case_of(a, w->first);
	const uint64_t n = scenario_of(a, w)->parallel.n_throttled;
	return n ? n : c && c->recording ? c->recording->n_throttled : 0;
}

static void add_value(struct strbuf *data, double x, const struct parallel_worst *w)
{
	const struct estimate *e = &w->size;
	plot_row(data, x, 100 * e->value, 100 * (isfinite(e->lo95) ? e->lo95 : e->value),
		 100 * (isfinite(e->hi95) ? e->hi95 : e->value),
		 w->published ? 100 * fabs(w->published->value) : NAN, w->tracing_time);
}

static void add_axes(struct figure *f, size_t n_key)
{
	plot_key_above(f, n_key);
	strbuf_addstr(&f->script, "set ylabel 'error of the execution time' textcolor "
				   "rgb '" RGB_TEXT
		"'\nset format y '%g %%'\nset yrange [0:*]\n");
}

static void add_plot(struct strbuf *plot, const char *fmt, size_t index, const char *color,
		     const char *title)
{
	strbuf_addstr(plot, plot->len ? ", \\\n  " : "");
	strbuf_addf(plot, fmt, index, color);
	if (title) {
		strbuf_addstr(plot, " title ");
		plot_string(plot, title, 40);
	} else {
		strbuf_addstr(plot, " notitle");
	}
}

/* --- figures by application and target ----------------------------------- */

/* Whether this is the finest recording of an application for a target: all nodes, smallest
 * period. */
static bool is_finest(const struct analysis *a, const struct parallel_worst *w)
{
	const struct scenario *s = scenario_of(a, w);
	for (size_t i = 0; i < a->parallel->n_worst; i++) {
		const struct parallel_worst *o = &a->parallel->worst[i];
		const struct scenario *t = scenario_of(a, o);
		if (!scenario_same_application(s, t) || s->target != t->target)
			continue;
		const bool fewer = s->parallel.n_throttled && !t->parallel.n_throttled;
		const bool coarser = !s->parallel.n_throttled == !t->parallel.n_throttled &&
				     period_of(a, o) < period_of(a, w);
		if (fewer || coarser)
			return false;
	}
	return true;
}

/* Finds the places on the axis, an application on a target each: indices in a->parallel->worst. */
static size_t places_find(size_t *place, const struct analysis *a)
{
	size_t n = 0;
	for (size_t i = 0; i < a->parallel->n_worst && n < MAX_PLACES; i++) {
		const struct parallel_worst *w = &a->parallel->worst[i];
		bool known = !is_finest(a, w);
		for (size_t k = 0; k < n && !known; k++) {
			const struct scenario *s = scenario_of(a, w),
					      *t = scenario_of(a, &a->parallel->worst[place[k]]);
			known = scenario_same_application(s, t) && s->target == t->target;
		}
		if (!known)
			place[n++] = i;
	}
	return n;
}

static const struct parallel_worst *worst_at(const struct analysis *a, size_t place,
					     size_t replayer)
{
	const struct scenario *s = scenario_of(a, &a->parallel->worst[place]);
	for (size_t i = 0; i < a->parallel->n_worst; i++) {
		const struct parallel_worst *w = &a->parallel->worst[i];
		const struct scenario *t = scenario_of(a, w);
		if (a->cell[w->first].replayer == replayer && is_shown(w) &&
		    scenario_same_application(s, t) && s->target == t->target && is_finest(a, w))
			return w;
	}
	return NULL;
}

static void add_places(struct figure *f, const struct analysis *a, const size_t *place, size_t n)
{
	strbuf_addstr(&f->script, "set xtics rotate by 60 right (");
	for (size_t k = 0; k < n; k++) {
		const struct scenario *s = scenario_of(a, &a->parallel->worst[place[k]]);
		SCOPED_STRBUF name = STRBUF_INIT;
		SCOPED_STRBUF label = STRBUF_INIT;
		parallel_add_application(&name, s);
		strbuf_addf(&name, ", %s", a->results->protocol.target[s->target].name);
		text_cut_name(&label, name.s, LABEL);
		strbuf_addstr(&f->script, k ? ", " : "");
		plot_string(&f->script, label.s, LABEL);
		strbuf_addf(&f->script, " %zu", k);
	}
	strbuf_addf(&f->script, ")\nset bmargin 13\nset lmargin 12\nset xrange [-0.6:%.10g]\nset "
		"style fill solid 0.6 noborder\n", (double)n - 0.4);
}

static void figure_errors(struct figures *fs, const struct analysis *a)
{
	size_t place[MAX_PLACES];
	const struct parallel_analysis *p = a->parallel;
	const size_t n = places_find(place, a),
		     n_series = p->n_sums < PALETTE_N_SERIES ? p->n_sums : PALETTE_N_SERIES;
	const double width = 0.8 / (double)(n_series ? n_series : 1);
	SCOPED_STRBUF plot = STRBUF_INIT;
	bool published = false;
	if (!n || !n_series)
		return;
	struct figure *f =
	    figure_add(fs, "parallel-error", 0, WIDTH + 16 * (unsigned int)n, HEIGHT + 170);
	strbuf_addstr(&f->data, "# columns: x position; in percent: error, its lower and upper 95 "
				"% limit, published error; time of the recording divided by time "
				"of the application. A block per replayer\n");
	for (size_t k = 0; k < n_series; k++) {
		for (size_t i = 0; i < n; i++) {
			const struct parallel_worst *w = worst_at(a, place[i], p->sum[k].replayer);
			if (!w)
				continue;
			published |= w->published != NULL;
			add_value(&f->data,
				  (double)i + width * ((double)k - ((double)n_series - 1) / 2), w);
		}
		strbuf_addstr(&f->data, "\n\n");
		char format[120];
		snprintf(format, sizeof format,
			 "file index %%zu using 1:2:3:4:(%.4g) with boxerrorbars lc rgb '%%s'",
			 width * 0.9);
		add_plot(&plot, format, k, palette_series(k),
			 a->results->protocol.replayer[p->sum[k].replayer].name);
	}
	for (size_t k = 0; published && k < n_series; k++)
		add_plot(&plot,
			 "file index %zu using 1:5 with points pt 4 ps 0.9 lw 1.6 lc rgb '%s'", k,
			 RGB_TEXT, k ? NULL : "published");
	add_axes(f, n_series + published);
	add_places(f, a, place, n);
	strbuf_addf(&f->script, "plot %s\n", plot.s);
	figure_caption(f,
		       "Largest error of the execution time among the recordings (figures 8 and "
		       "9 of the //TRACE paper)%s",
		       published ? "; squares: published, on other storage" : "");
	figure_alt(f, "Error of the execution time of each application on each target, a bar for "
		      "each replayer");
}

/* --- figures by period and by delayed nodes ------------------------------ */

struct by {
	const char *section, *x, *caption;
	uint64_t (*value)(const struct analysis *a, const struct parallel_worst *w);
	/* whether two scenarios belong to one line */
	bool (*kept)(const struct scenario *a, const struct scenario *b);
	bool logarithmic;
};

static bool same_nodes(const struct scenario *a, const struct scenario *b)
{
	return a->parallel.n_throttled == b->parallel.n_throttled;
}

static bool same_period(const struct scenario *a, const struct scenario *b)
{
	return a->parallel.period == b->parallel.period;
}

static const struct by by[] = {
    {"parallel-period", "sampling period",
     "by sampling period (figure 10 of the //TRACE paper)", period_of, same_nodes, true},
    {"parallel-nodes", "delayed nodes",
     "by the number of delayed nodes (figure 11 of the //TRACE paper)", nodes_of,
     same_period, false},
};

static size_t causal_sum(const struct analysis *a)
{
	for (size_t k = 0; k < a->parallel->n_sums; k++)
		if (replayer_is_causal(
			&a->results->protocol.replayer[a->parallel->sum[k].replayer]))
			return k;
	return 0;
}

/* Adds the points of one target and returns their number. If several points have the same place,
 * only the first is added. */
static size_t add_line(struct strbuf *data, const struct analysis *a, const struct by *b,
		       const struct parallel_worst *first, size_t target)
{
	const size_t replayer = a->cell[first->first].replayer;
	uint64_t seen[64];
	size_t n = 0;
	for (size_t i = 0; i < a->parallel->n_worst && n < sizeof seen / sizeof *seen; i++) {
		const struct parallel_worst *w = &a->parallel->worst[i];
		const struct scenario *s = scenario_of(a, w);
		const uint64_t x = b->value(a, w);
		bool known = a->cell[w->first].replayer != replayer || !is_shown(w) ||
			s->target != target || !x || !scenario_same_application(s,
			scenario_of(a, first)) || !b->kept(s, scenario_of(a, first));
		for (size_t k = 0; k < n && !known; k++)
			known = seen[k] == x;
		if (known)
			continue;
		seen[n++] = x;
		add_value(data, (double)x, w);
	}
	return n;
}

static void figure_by(struct figures *fs, const struct analysis *a, const struct by *b,
		      const struct parallel_worst *first, size_t number)
{
	SCOPED_STRBUF plot = STRBUF_INIT, data = STRBUF_INIT, name = STRBUF_INIT;
	size_t index = 0, most = 0;
	for (size_t t = 0; t < a->results->protocol.n_targets && index < PALETTE_N_SERIES; t++) {
		const size_t n = add_line(&data, a, b, first, t);
		if (!n)
			continue;
		most = n > most ? n : most;
		strbuf_addstr(&data, "\n\n");
		add_plot(
		    &plot,
		    "file index %zu using 1:2:3:4 with yerrorlines lw 1.4 pt 7 ps 0.5 lc rgb '%s'",
		    index, palette_series(index), a->results->protocol.target[t].name);
		add_plot(&plot,
			 "file index %zu using 1:5 with points pt 4 ps 0.9 lw 1.4 lc rgb '%s'",
			 index, palette_series(index), NULL);
		index++;
	}
	if (most > 1) {
		struct figure *f = figure_add(fs, b->section, number, WIDTH, HEIGHT);
		strbuf_addf(&f->data,
			"# columns: %s; in percent: error, its lower and upper 95 %% limit, "
			"published error; time of the recording divided by time of the "
			"application. A block per target\n%s",
			b->x, data.s);
		add_axes(f, index);
		strbuf_addf(&f->script, "set xlabel '%s' textcolor rgb '" RGB_TEXT "'\n%splot %s\n",
			    b->x,
			    b->logarithmic
				? "set logscale x\nset offsets graph 0.04, graph 0.04, 0, 0\n"
				: "set xtics 1\nset offsets 0.3, 0.3, 0, 0\n",
			    plot.s);
		parallel_add_application(&name, scenario_of(a, first));
		figure_caption(f, "%s: error of the execution time %s, a line for each target; "
			"squares: published, on other storage", name.s, b->caption);
		figure_alt(f, "Error of the execution time %s, %s", b->caption, name.s);
	}
}

static void figures_by(struct figures *fs, const struct analysis *a, const struct by *b)
{
	const size_t replayer = a->parallel->n_sums ? a->parallel->sum[causal_sum(a)].replayer : 0;
	size_t n = 0;
	for (size_t i = 0; i < a->parallel->n_worst && n < MAX_FIGURES; i++) {
		const struct parallel_worst *w = &a->parallel->worst[i];
		bool done = a->cell[w->first].replayer != replayer;
		for (size_t k = 0; k < i && !done; k++) {
			const struct parallel_worst *o = &a->parallel->worst[k];
			done = a->cell[o->first].replayer == replayer &&
			       scenario_same_application(scenario_of(a, w), scenario_of(a, o)) &&
			       b->kept(scenario_of(a, w), scenario_of(a, o));
		}
		if (!done)
			figure_by(fs, a, b, w, ++n);
	}
}

void figures_parallel(struct figures *fs, const struct analysis *a)
{
	if (!a->parallel)
		return;
	figure_errors(fs, a);
	for (size_t i = 0; i < sizeof by / sizeof *by; i++)
		figures_by(fs, a, &by[i]);
}
