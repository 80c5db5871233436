/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots of a trace by gnuplot: figures for the page, and text plots for the terminal. */
#include "reports/info/info.h"
#include "reports/figures/figures.h"
#include "reports/number.h"

#define FIGURE_WIDTH 560
#define FIGURE_HEIGHT 250
#define FIGURE_BINS 400u
#define GNUPLOT_TIMEOUT_S 20
#define CDF_STEPS 200
#define N_SHADES 5
#define TEXT_COLUMNS_MAX 110u
#define TEXT_ROWS_MAX 15u

static const char *const kind_titles[KIND_N] = {"reads", "writes", "others"};

struct axis { /* of times: shown value = ns * scale */
	struct number_unit unit;
	double end; /* in the shown unit */
};

/* --- data ---------------------------------------------------------------- */

/* Returns the length of the part of a bin that is between the first and the last start. */
static double bin_clip(const struct tally *s, int64_t begin_ns, int64_t width_ns, double *from_ns)
{
	int64_t lo = begin_ns > s->first_begin_ns ? begin_ns : s->first_begin_ns;
	int64_t hi =
	    begin_ns + width_ns < s->last_begin_ns ? begin_ns + width_ns : s->last_begin_ns;
	*from_ns = (double)(lo - s->first_begin_ns);
	return (double)(hi - lo);
}

static void add_bin(struct strbuf *data, const struct timeline_bin *b, double from, double to,
		    double per_s)
{
	for (int end = 0; end < 2; end++) {
		plot_number(data, end ? to : from);
		for (int k = 0; k < KIND_N; k++)
			plot_number(data, (double)b->n[k] * per_s);
		plot_row(data, (double)timeline_requests(b) * per_s,
			 (double)b->bytes[KIND_READ] * per_s / 1048576,
			 (double)b->bytes[KIND_WRITE] * per_s / 1048576);
	}
}

/* Adds two lines for each bin, at its start and end: time, requests per second of each kind and of
 * all kinds, MiB per second read and written. Omits a first or last bin if less than half of it is
 * inside the trace, because few requests determine its rate. */
static void rate_data(struct strbuf *data, const struct info *x, size_t max_bins, struct axis *axis)
{
	const struct tally *s = &x->profile->tally;
	SCOPED(timeline_release) struct timeline t;
	timeline_shrink(&t, &x->profile->timeline, max_bins);
	double end_ns = (double)(s->last_begin_ns - s->first_begin_ns), width = (double)t.width_ns;
	bool single = t.used_to - t.used_from < 3; /* then no bin is omitted */
	axis->unit = number_unit_time(end_ns > 0 ? end_ns : width);
	axis->end = (single ? fmax(end_ns, width) : end_ns) * axis->unit.scale;
	strbuf_addstr(data,
		      "# time, then per second: reads, writes, other requests, all requests, MiB "
		      "read, MiB written\n");
	for (size_t i = t.used_from; i < t.used_to; i++) {
		double from_ns,
		    inside = bin_clip(s, (t.base + (int64_t)i) * t.width_ns, t.width_ns, &from_ns);
		if (single)
			inside = width;
		if (inside >= width / 2)
			add_bin(data, &t.bin[i], from_ns * axis->unit.scale,
				(from_ns + inside) * axis->unit.scale, 1e9 / inside);
	}
}

/* Adds the distribution function of the response times of one kind: ns, share. Returns false if
 * there are no response times. */
static bool response_data(struct strbuf *data, const struct info *x, enum profile_kind kind)
{
	static const double tail[] = {0.995, 0.998, 0.999, 0.9999, 1};
	SCOPED(histogram_release) struct histogram h;
	double q;
	profile_responses(x->profile, kind, &h);
	bool any = h.n > 0;
	for (int i = 0; any && i < CDF_STEPS; i++)
		if (!histogram_quantile(&h, (double)i / CDF_STEPS, &q, NULL))
			strbuf_addf(data, "%.10g %.10g\n", fmax(q, 1), (double)i / CDF_STEPS);
	for (size_t i = 0; any && i < sizeof tail / sizeof *tail; i++)
		if (!histogram_quantile(&h, tail[i], &q, NULL))
			strbuf_addf(data, "%.10g %.10g\n", fmax(q, 1), tail[i]);
	if (!any)
		strbuf_addstr(data, "NaN NaN\n");
	strbuf_addstr(data, "\n\n");
	return any;
}

/* Finds the smallest and the largest response time; false if there are none. */
static bool response_range(const struct info *x, double *min_ns, double *max_ns)
{
	SCOPED(histogram_release) struct histogram h;
	profile_responses(x->profile, KIND_N, &h);
	return !histogram_quantile(&h, 0, min_ns, NULL) && !histogram_quantile(&h, 1, max_ns, NULL);
}

/* The same data as outlines of bars. */
static void level_outline(struct strbuf *data, const struct profile *p)
{
	for (size_t i = 0; i <= p->concurrency.highest; i++) {
		double share = 100 * profile_share_of_time(p, i), at = (double)i;
		strbuf_addf(data, "%.6g 0\n%.6g %.6g\n%.6g %.6g\n%.6g 0\n", at - 0.3, at - 0.3,
			    share, at + 0.3, share, at + 0.3);
	}
}

static bool has_rates(const struct info *x)
{
	return x->profile->tally.n_begin_known > 0;
}

static bool has_levels(const struct info *x)
{
	return profile_has_ends(x->profile) && isfinite(profile_mean_concurrency(x->profile));
}

/* --- figures of the page ------------------------------------------------- */

static void add_grid(struct strbuf *script, const char *xlabel, const char *ylabel)
{
	strbuf_addf(script, "set grid ytics lc rgb '" RGB_GRID "'\n"
		"set xlabel '%s' textcolor rgb '" RGB_TEXT "'\n"
		"set ylabel '%s' textcolor rgb '" RGB_TEXT "'\n"
		"set key above left Left reverse horizontal samplen 2\nset format y '%%.8g'\n",
		xlabel, ylabel);
}

static void add_curve(struct strbuf *script, size_t n, const char *using, const char *style,
		      size_t series, const char *title)
{
	strbuf_addf(script, "%s%s with %s lw 1.4 lc rgb '%s' title '%s'",
		    n ? ", \\\n  file " : "plot file ", using, style, palette_series(series),
		    title);
}

static void figure_rates(struct figures *fs, const struct info *x)
{
	const struct profile *p = x->profile;
	struct axis axis;
	char using[64], label[64];
	size_t n = 0;
	struct figure *f = figure_add(fs, "rate", 0, FIGURE_WIDTH, FIGURE_HEIGHT);
	rate_data(&f->data, x, FIGURE_BINS, &axis);
	snprintf(label, sizeof label, "time [%s]", axis.unit.name);
	add_grid(&f->script, label, "requests per second");
	strbuf_addf(&f->script, "set yrange [0:*]\nset xrange [0:%.10g]\n", axis.end);
	for (int k = 0; k < KIND_N; k++) {
		uint64_t n_kind = k == KIND_OTHER
				      ? p->tally.n_records - p->sizes[0].distribution.n -
					    p->sizes[1].distribution.n
				      : p->sizes[k].distribution.n;
		snprintf(using, sizeof using, "using 1:%d", k + 2);
		if (n_kind)
			add_curve(&f->script, n++, using, "lines", (size_t)k, kind_titles[k]);
	}
	strbuf_addch(&f->script, '\n');
	figure_caption(f, "Requests per second over the course of the trace.");
	if (!p->tally.n_bytes)
		return;
	f = figure_add(fs, "moved", 0, FIGURE_WIDTH, FIGURE_HEIGHT);
	rate_data(&f->data, x, FIGURE_BINS, &axis);
	add_grid(&f->script, label, "MiB per second");
	strbuf_addf(&f->script, "set yrange [0:*]\nset xrange [0:%.10g]\n", axis.end);
	add_curve(&f->script, 0, "using 1:6", "lines", KIND_READ, "read");
	add_curve(&f->script, 1, "using 1:7", "lines", KIND_WRITE, "written");
	strbuf_addch(&f->script, '\n');
	figure_caption(f, "Data moved per second, by the start times of the requests.");
}

static void figure_responses(struct figures *fs, const struct info *x)
{
	double min_ns, max_ns;
	char using[64];
	size_t n = 0;
	if (!response_range(x, &min_ns, &max_ns))
		return;
	struct figure *f = figure_add(fs, "response", 0, FIGURE_WIDTH, FIGURE_HEIGHT);
	add_grid(&f->script, "response time", "share of the requests");
	strbuf_addstr(&f->script, "set yrange [0:1.02]\n");
	plot_time_axis(&f->script, 'x', min_ns, max_ns, 8);
	for (int k = 0; k < KIND_N; k++) {
		snprintf(using, sizeof using, "index %d using 1:2", k);
		if (response_data(&f->data, x, (enum profile_kind)k))
			add_curve(&f->script, n++, using, "lines", (size_t)k, kind_titles[k]);
	}
	strbuf_addch(&f->script, '\n');
	figure_caption(f, "Response times: share of the requests that took at most this long.");
}

/* Adds rectangles of neighbouring cells with the same shade: left, right, bottom, top, shade. */
static void add_row(struct strbuf *data, const struct offset_map *m, int64_t offset,
		    const uint32_t *limit, const struct axis *axis)
{
	const double width = ldexp(1, (int)m->time.shift), height = ldexp(1, (int)m->offset.shift);
	size_t before = 0;
	int64_t since = m->time.from;
	for (int64_t t = m->time.from; t <= m->time.to + 1; t++) {
		const uint32_t n = t > m->time.to ? 0 : offset_map_count(m, t, offset);
		size_t shade = 0;
		while (shade < N_SHADES && n >= limit[shade])
			shade++;
		if (shade == before)
			continue;
		if (before)
			strbuf_addf(data, "%.8g %.8g %.12g %.12g %zu\n",
				    (double)(since - m->time.from) * width * axis->unit.scale,
				    (double)(t - m->time.from) * width * axis->unit.scale,
				    (double)offset * height, (double)(offset + 1) * height, before);
		before = shade;
		since = t;
	}
}

/* Finds the limits of the shades: the first limit is 1 request, and each further limit is a
 * constant multiple of the previous limit. */
static void find_shades(const struct offset_map *m, uint32_t *limit)
{
	uint32_t most = 1;
	for (int64_t o = m->offset.from; o <= m->offset.to; o++)
		for (int64_t t = m->time.from; t <= m->time.to; t++)
			if (offset_map_count(m, t, o) > most)
				most = offset_map_count(m, t, o);
	for (size_t i = 0; i < N_SHADES; i++) {
		limit[i] = (uint32_t)ceil(pow(most, (double)i / N_SHADES));
		if (i && limit[i] <= limit[i - 1])
			limit[i] = limit[i - 1] + 1;
	}
}

/* Adds an axis with labels at multiples of a power of two, in bytes with a unit. */
static void add_size_axis(struct strbuf *script, double lo, double hi)
{
	const double step = exp2(ceil(log2(fmax(hi - lo, 1) / 5)));
	strbuf_addf(script, "set yrange [%.12g:%.12g]\nset ytics (", lo, hi);
	for (double at = ceil(lo / step) * step; at <= hi; at += step)
		strbuf_addf(script, "%s'%s' %.12g", script->s[script->len - 1] == '(' ? "" : ", ",
			    size_text((uint64_t)at).s, at);
	strbuf_addstr(script, ")\n");
}

static void figure_offsets(struct figures *fs, const struct info *x)
{
	const struct offset_map *m = &x->profile->offset_map;
	const double height = ldexp(1, (int)m->offset.shift);
	uint32_t limit[N_SHADES + 1];
	char label[64];
	if (!m->n || (m->offset.from == m->offset.to && m->time.from == m->time.to))
		return;
	const double end_ns = ldexp((double)(m->time.to - m->time.from + 1), (int)m->time.shift);
	const struct axis axis = {number_unit_time(end_ns), 0};
	struct figure *f = figure_add(fs, "offsets", 0, FIGURE_WIDTH, FIGURE_HEIGHT + 40);
	find_shades(m, limit);
	strbuf_addstr(&f->data, "# left, right, bottom, top, shade of the rectangle: 1 is the "
				"lightest\n");
	for (int64_t o = m->offset.from; o <= m->offset.to; o++)
		add_row(&f->data, m, o, limit, &axis);
	snprintf(label, sizeof label, "time [%s]", axis.unit.name);
	add_grid(&f->script, label, "offset");
	strbuf_addf(&f->script, "set xrange [0:%.10g]\nset style fill solid noborder\n",
		    end_ns * axis.unit.scale);
	add_size_axis(&f->script, (double)m->offset.from * height,
		      (double)(m->offset.to + 1) * height);
	strbuf_addstr(&f->script, "plot");
	for (size_t i = 0; i < N_SHADES; i++)
		strbuf_addf(&f->script,
			    "%s file using ($5==%zu?$1:NaN):3:1:2:3:4 with boxxyerror fs "
			    "transparent solid %.2f noborder lc rgb '%s' title '%u%s'",
			    i ? ", \\\n " : "", i + 1, 0.2 + 0.8 * (double)i / (N_SHADES - 1),
			    RGB_BLUE, limit[i],
			    i + 1 < N_SHADES ? "" : " or more");
	strbuf_addch(&f->script, '\n');
	figure_caption(f, "Reads and writes by time and offset in their file or device. For "
			  "each shade, the key gives the smallest number of requests that "
			  "this shade stands for.");
}

static void figure_levels(struct figures *fs, const struct info *x)
{
	struct figure *f = figure_add(fs, "levels", 0, FIGURE_WIDTH, FIGURE_HEIGHT);
	strbuf_addstr(&f->data, "# requests in flight, share of the time in percent\n");
	for (size_t i = 0; i <= x->profile->concurrency.highest; i++)
		strbuf_addf(&f->data, "%zu %.6g\n", i, 100 * profile_share_of_time(x->profile, i));
	add_grid(&f->script, "requests in flight", "share of the time [%]");
	size_t highest = x->profile->concurrency.highest;
	strbuf_addf(&f->script, "set yrange [0:*]\nset xrange [-0.7:%zu.7]\nset xtics %zu\nset "
		"boxwidth 0.8\nset style fill solid 0.8\nplot file using 1:2 with boxes lc rgb '"
		RGB_BLUE "' notitle\n", highest, highest / 10 + 1);
	figure_caption(f, "Share of the time for each number of requests in flight.");
}

/* Adds a logarithmic axis of sizes in bytes. */
static void add_log_size_axis(struct strbuf *script, double lo, double hi)
{
	const double step = exp2(fmax(1, ceil(log2(hi / lo) / 6)));
	strbuf_addf(script, "set logscale x 2\nset xrange [%.10g:%.10g]\nset xtics (", lo, hi);
	for (double at = exp2(ceil(log2(lo))); at <= hi; at *= step)
		strbuf_addf(script, "%s'%s' %.10g", script->s[script->len - 1] == '(' ? "" : ", ",
			    size_text((uint64_t)at).s, at);
	strbuf_addstr(script, ")\n");
}

/* Sizes as distribution functions. */
static void figure_sizes(struct figures *fs, const struct info *x)
{
	const struct profile *p = x->profile;
	struct figure *f = NULL;
	size_t n = 0;
	double q, lo = INFINITY, hi = 2;
	char using[64];
	SCOPED_STRBUF plot = STRBUF_INIT;
	for (int k = 0; k < KIND_OTHER; k++) {
		const struct histogram *h = &p->sizes[k].distribution;
		if (!h->n)
			continue;
		if (!f)
			f = figure_add(fs, "sizes", 0, FIGURE_WIDTH, FIGURE_HEIGHT);
		/* begin at share 0, so that a single size is a step as well */
		if (!histogram_quantile(h, 0, &q, NULL))
			strbuf_addf(&f->data, "%.10g 0\n", fmax(q, 1) / 2);
		lo = fmin(lo, fmax(q, 1) / 2);
		for (int i = 0; i <= CDF_STEPS; i++)
			if (!histogram_quantile(h, (double)i / CDF_STEPS, &q, NULL))
				strbuf_addf(&f->data, "%.10g %.10g\n", fmax(q, 1),
					    (double)i / CDF_STEPS);
		strbuf_addf(&f->data, "%.10g 1\n\n\n", fmax(q, 1) * 2);
		hi = fmax(hi, q * 2);
		snprintf(using, sizeof using, "index %zu using 1:2", n);
		add_curve(&plot, n++, using, "steps", (size_t)k, kind_titles[k]);
	}
	if (f) {
		add_grid(&f->script, "requested size", "share of the requests");
		strbuf_addstr(&f->script, "set yrange [0:1.02]\n");
		add_log_size_axis(&f->script, fmax(lo, 1), hi);
		strbuf_addf(&f->script, "%s\n", plot.s);
		figure_caption(f, "Sizes: share of the requests with at most this size.");
	}
}

void info_figures_build(struct figures *fs, const struct info *x)
{
	*fs = (struct figures){0};
	if (!has_rates(x))
		return;
	figure_rates(fs, x);
	figure_responses(fs, x);
	figure_offsets(fs, x);
	if (has_levels(x))
		figure_levels(fs, x);
	figure_sizes(fs, x);
}

/* --- characters ---------------------------------------------------------- */

/* The start of a text plot. */
static void text_begin(struct gnuplot_plot *plot, const struct strbuf *data, unsigned int columns,
		       unsigned int rows, const char *title)
{
	gnuplot_add_data(&plot->script, data);
	strbuf_addf(&plot->script, "reset\nset encoding utf8\nset terminal dumb noenhanced size "
		"%u,%u\nset title '%s'\n"
		"set border 3\nset tics nomirror scale 0.5\nset format y '%%.7g'\nunset key\n",
		columns, rows, title);
}

static void text_rate(struct gnuplot_plot *plot, const struct info *x, unsigned int columns,
		      unsigned int rows)
{
	SCOPED_STRBUF data = STRBUF_INIT;
	struct axis axis;
	char title[100];
	rate_data(&data, x, columns - 12, &axis);
	snprintf(title, sizeof title, "Requests per second, over time [%s]", axis.unit.name);
	text_begin(plot, &data, columns, rows, title);
	strbuf_addf(&plot->script, "set yrange [0:*]\nset xrange [0:%.10g]\n"
		"plot $data using 1:5 with filledcurves y1=0\n", axis.end);
}

static bool text_response(struct gnuplot_plot *plot, const struct info *x, unsigned int columns,
			  unsigned int rows)
{
	struct strbuf data = STRBUF_INIT;
	double min_ns, max_ns;
	if (!response_range(x, &min_ns, &max_ns))
		return false;
	response_data(&data, x, KIND_READ);
	response_data(&data, x, KIND_WRITE);
	response_data(&data, x, KIND_OTHER);
	text_begin(plot, &data, columns, rows,
		   "Share of requests that took at most this long: r reads, w writes, o others");
	plot_time_axis(&plot->script, 'x', min_ns, max_ns, columns / 12);
	strbuf_addstr(&plot->script, "set yrange [0:1.02]\nplot $data index 2 with points pt 'o', "
		"$data index 1 with points pt 'w', $data index 0 with points pt 'r'\n");
	strbuf_release(&data);
	return true;
}

static void text_level(struct gnuplot_plot *plot, const struct info *x, unsigned int columns,
		       unsigned int rows)
{
	SCOPED_STRBUF data = STRBUF_INIT;
	size_t highest = x->profile->concurrency.highest;
	level_outline(&data, x->profile);
	text_begin(plot, &data, columns, rows, "Share of the time [%] for each number in flight");
	strbuf_addf(&plot->script, "set yrange [0:*]\nset xrange [-0.5:%zu.5]\nset xtics %zu\n"
		"plot $data with filledcurves y1=0\n", highest, highest / 10 + 1);
}

/* Appends a text plot after an empty line, without trailing blanks. */
static void add_plot(struct strbuf *out, const struct strbuf *text)
{
	if (text->len)
		strbuf_addch(out, '\n');
	for (size_t i = 0, start = out->len; i < text->len; i++) {
		while (text->s[i] == '\n' && out->len > start && out->s[out->len - 1] == ' ')
			out->s[--out->len] = 0;
		if (text->s[i] != '\f' && (text->s[i] != '\n' || out->len > start))
			strbuf_addch(out, text->s[i]);
	}
	while (out->len > 1 && out->s[out->len - 1] == '\n' && out->s[out->len - 2] == '\n')
		out->s[--out->len] = 0;
}

int info_plot_text(struct strbuf *out, const struct info *x, unsigned int columns,
		   unsigned int rows, struct err *e)
{
	struct gnuplot_plot plot[3];
	size_t n = 0;
	if (!has_rates(x))
		return 0;
	columns = columns < 40 ? 40 : columns > TEXT_COLUMNS_MAX ? TEXT_COLUMNS_MAX : columns;
	rows = rows < 10 ? 10 : rows > TEXT_ROWS_MAX ? TEXT_ROWS_MAX : rows;
	for (size_t i = 0; i < 3; i++) {
		strbuf_init(&plot[i].script);
		strbuf_init(&plot[i].text);
	}
	text_rate(&plot[n++], x, columns, rows);
	n += text_response(&plot[n], x, columns, rows);
	if (has_levels(x))
		text_level(&plot[n++], x, columns, rows);
	int ret = gnuplot_run(plot, n, GNUPLOT_TIMEOUT_S, e);
	for (size_t i = 0; i < 3; i++) {
		if (!ret)
			add_plot(out, &plot[i].text);
		strbuf_release(&plot[i].script);
		strbuf_release(&plot[i].text);
	}
	return ret;
}
