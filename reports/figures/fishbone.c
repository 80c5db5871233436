/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cause-and-effect diagram (Ishikawa) of the sources of uncertainty, after figure 2 of Pereira et
 * al. 2016: a bone for each category, a twig for each source; the spine ends in the measurand. */
#include "reports/escape.h"
#include "reports/figures/figure.h"

#define MAX_CATEGORIES 12
#define COLUMN 330 /* px between bones of one side */
#define SLANT 66   /* horizontal offset between the ends of a bone */
#define ROW 25
#define HEAD 150 /* width of the measurand's box and its margin */
#define LABEL_WIDTH 36

struct category {
	const char *name;
	size_t n; /* sources */
};

static size_t find_categories(const struct analysis *a, struct category *c)
{
	size_t n = 0;
	for (size_t i = 0; i < a->n_sources; i++) {
		size_t k = 0;
		while (k < n && strcmp(c[k].name, a->source[i].category))
			k++;
		if (k == n && n == MAX_CATEGORIES)
			continue;
		if (k == n)
			c[n++] = (struct category){a->source[i].category, 0};
		c[k].n++;
	}
	return n;
}

static void add_text(struct strbuf *out, double x, double y, const char *anchor, const char *weight,
		     const char *text)
{
	SCOPED_STRBUF cut = STRBUF_INIT;
	text_cut(&cut, text, LABEL_WIDTH);
	strbuf_addf(out,
		    "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s fill=\"" RGB_TEXT "\" "
		    "stroke=\"none\">", x, y, anchor, weight);
	html_addf(out, "%s</text>\n", cut.s);
}

/* A filled circle, an open circle or a triangle, so that the colour is not needed. */
static void add_mark(struct strbuf *out, double x, double y, const struct uncertainty_source *s)
{
	if (s->warning)
		strbuf_addf(out,
			    "<path d=\"M%.1f,%.1f l6,10 h-12 z\" fill=\"%s\" stroke=\""
			    RGB_VERMILLION "\"/>\n", x, y - 6,
			    s->in_budget ? RGB_VERMILLION : "none");
	else
		strbuf_addf(
		    out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.5\" fill=\"%s\" stroke=\"" RGB_BLUE
		    "\"/>\n", x, y, s->in_budget ? RGB_BLUE : "none");
}

/* Draws a bone from the edge to the spine; twigs join it from the left. `up` is 1 above the spine
 * and -1 below. */
static void add_bone(struct strbuf *out, const struct analysis *a, const struct category *c,
		     double x, double spine, double height, int up)
{
	double tip = spine - up * height;
	strbuf_addf(out, "<path d=\"M%.1f,%.1f L%.1f,%.1f\" fill=\"none\" stroke=\"" RGB_TEXT "\" "
		"stroke-width=\"2\"/>\n", x - SLANT, tip, x, spine);
	add_text(out, x - SLANT, up > 0 ? tip - 9 : tip + 19, "middle", " font-weight=\"bold\"",
		 c->name);
	size_t k = 0;
	for (size_t i = 0; i < a->n_sources; i++) {
		const struct uncertainty_source *s = &a->source[i];
		if (strcmp(s->category, c->name))
			continue;
		double y = tip + up * ROW * ((double)k + 0.7);
		double bone = x - SLANT + SLANT * (y - tip) / (spine - tip);
		strbuf_addf(out, "<path d=\"M%.1f,%.1f H%.1f\" fill=\"none\" stroke=\"" RGB_MUTED
			    "\"/>\n", bone - 14, y, bone);
		add_mark(out, bone - 20, y, s);
		add_text(out, bone - 30, y + 4.5, "end", "", s->name);
		k++;
	}
}

static void add_key(struct strbuf *out, double y)
{
	static const struct {
		struct uncertainty_source s;
		const char *text;
	} key[] = {{{.in_budget = true}, "quantified"},
		   {{.in_budget = false}, "named, not quantified"},
		   {{.warning = true}, "not controlled as requested"}};
	double x = 30;
	for (size_t i = 0; i < sizeof key / sizeof key[0]; i++) {
		add_mark(out, x, y, &key[i].s);
		add_text(out, x + 12, y + 4.5, "start", "", key[i].text);
		x += 50 + 7.2 * (double)strlen(key[i].text);
	}
}

void fishbone_add(struct strbuf *out, const struct analysis *a, unsigned int *width,
		  unsigned int *height)
{
	struct category c[MAX_CATEGORIES];
	size_t n = find_categories(a, c), n_columns = (n + 1) / 2, most[2] = {1, 1};
	for (size_t i = 0; i < n; i++)
		most[i % 2] = c[i].n > most[i % 2] ? c[i].n : most[i % 2];
	double up = ROW * ((double)most[0] + 0.6), down = ROW * ((double)most[1] + 0.6),
	       spine = 34 + up;
	double head = 20 + COLUMN * (double)n_columns;
	*width = (unsigned int)(head + HEAD);
	*height = (unsigned int)(spine + down + 60);
	strbuf_addf(
	    out,
	    "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
	    "width=\"%u\" height=\"%u\" "
	    "viewBox=\"0 0 %u %u\">\n<g font-family=\"sans-serif\" font-size=\"13\">\n",
	    *width, *height, *width, *height);
	double x = head;
	strbuf_addf(out, "<path d=\"M20,%.1f H%.1f\" fill=\"none\" stroke=\"" RGB_TEXT "\" "
			 "stroke-width=\"3\"/>\n<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" "
			 "height=\"64\" rx=\"6\" fill=\"" RGB_BAND "\" stroke=\"" RGB_TEXT "\" "
			 "stroke-width=\"2\"/>\n", spine, x, x, spine - 32, HEAD - 10);
	add_text(out, x + (HEAD - 10) / 2.0, spine - 5, "middle", " font-weight=\"bold\"",
		 "response time");
	add_text(out, x + (HEAD - 10) / 2.0, spine + 14, "middle", "", "in the replay");
	for (size_t i = 0; i < n; i++)
		add_bone(out, a, &c[i],
			 head - 16 - COLUMN * (double)(n_columns - 1 - i / 2) - (i % 2 ? 24 : 0),
			 spine, i % 2 ? down : up, i % 2 ? -1 : 1);
	add_key(out, spine + down + 42);
	strbuf_addstr(out, "</g>\n</svg>\n");
}
