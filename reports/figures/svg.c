/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Converts gnuplot's SVG document to an element of the page. gnuplot writes one element per line in
 * fixed forms, so this code reads lines and copies lines that it does not know. */
#include "common/embed.h"
#include "reports/escape.h"
#include "reports/figures/figure.h"

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Returns the page's name of the colour "rgb(  0, 114, 178)", "#0072b2" or "black" at s; *len is
 * its length here. */
static const char *color_at(const char *s, size_t *len)
{
	unsigned int r, g, b;
	int n = 0;
	char hex[32] = "";
	if ((starts_with(s, "rgb(") && sscanf(s, "rgb(%3u,%3u,%3u)%n", &r, &g, &b, &n) == 3 && n) ||
	    (s[0] == '#' && sscanf(s, "#%2x%2x%2x%n", &r, &g, &b, &n) == 3 && n == 7))
		snprintf(hex, sizeof hex, "#%02x%02x%02x", r, g, b);
	*len = (size_t)n;
	for (size_t i = 0; i < PALETTE_N; i++)
		if (!strcmp(palette[i].hex, hex))
			return palette[i].css;
	*len = 5;
	return starts_with(s, "black") ? "currentColor" : NULL;
}

/* Length of the attribute name and the opening quote if the value is a colour; 0: no such
 * attribute. */
static size_t color_attribute(const char *s)
{
	static const char *const name[] = {" stroke=", " fill=", " color=", " fill = "};
	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++)
		if (starts_with(s, name[i]) &&
		    (s[strlen(name[i])] == '"' || s[strlen(name[i])] == '\''))
			return strlen(name[i]) + 1;
	return 0;
}

/* Length of an attribute that the page does not need: initial values of SVG, attributes of the
 * element that svg_inline() makes, and classes that no rule of the page's style names. gnuplot
 * repeats them in each of many groups. */
static size_t needless_attribute(const char *s)
{
	static const char *const text[] = {" font-family=\"sans-serif\"",
					   " stroke-linecap=\"butt\"",
					   " stroke-linejoin=\"miter\"", " stroke-width=\"1.00\"",
					   " fill=\"none\"", " color=\"black\"",
					   " stroke=\"currentColor\"", " class=\"gridline\""};
	for (size_t i = 0; i < sizeof text / sizeof text[0]; i++)
		if (starts_with(s, text[i]))
			return strlen(text[i]);
	return 0;
}

/* Appends one line with the page's colours, without needless attributes, and with "href". */
static void add_line(struct strbuf *out, const char *s, size_t len)
{
	const char *end = s + len;
	bool in_tag = false;
	while (s < end) {
		const size_t needless = in_tag ? needless_attribute(s) : 0;
		size_t n = in_tag ? color_attribute(s) : 0, color_len;
		const char *color = n ? color_at(s + n, &color_len) : NULL;
		if (needless) {
			s += needless;
		} else if (color && (s[n + color_len] == '"' || s[n + color_len] == '\'')) {
			strbuf_add(out, s, n);
			strbuf_addstr(out, color);
			s += n + color_len;
		} else if (in_tag && starts_with(s, " xlink:href=")) {
			strbuf_addstr(out, " href=");
			s += strlen(" xlink:href=");
		} else {
			in_tag = *s == '<' ? true : *s == '>' ? false : in_tag;
			strbuf_addch(out, *s++);
		}
	}
	strbuf_addch(out, '\n');
}

/* Drops an empty group; gnuplot writes many. */
static bool drop_empty_group(struct strbuf *out, size_t last_line)
{
	if (!starts_with(out->s + last_line, "<g") || !strchr(out->s + last_line, '>') ||
	    strchr(out->s + last_line, '>')[1] != '\n')
		return false;
	out->len = last_line;
	out->s[last_line] = 0;
	return true;
}

static void add_body(struct strbuf *out, const char *s)
{
	size_t last_line = out->len;
	bool in_defs = false;
	while (*s) {
		const char *line = s + strspn(s, " \t");
		size_t len = strcspn(line, "\n");
		s = line + len + (line[len] == '\n');
		if (starts_with(line, "<defs>"))
			in_defs = true;
		if (in_defs) {
			in_defs = !starts_with(line, "</defs>");
			continue;
		}
		if (!len || starts_with(line, "<title>") || starts_with(line, "<desc>") ||
		    starts_with(line, "<rect x=\"0\" y=\"0\""))
			continue;
		if (starts_with(line, "</g>") && len == 4 && out->len > last_line &&
		    drop_empty_group(out, last_line))
			continue;
		last_line = out->len;
		if (starts_with(line, "<g id=")) /* skip ids, which would occur twice in the page */
			strbuf_addstr(out, "<g>\n");
		else
			add_line(out, line, len);
	}
}

bool svg_inline(struct strbuf *out, const char *svg, const char *alt)
{
	const char *start = strstr(svg, "<svg"), *head_end = start ? strchr(start, '>') : NULL;
	const char *box = start ? strstr(start, "viewBox=\"") : NULL;
	size_t len = strlen(svg);
	while (len && strchr(" \n\r\t", svg[len - 1]))
		len--;
	double x, y, width, height;
	if (!head_end || !box || box > head_end || len < 6 || memcmp(svg + len - 6, "</svg>", 6) ||
	    sscanf(box, "viewBox=\"%lf %lf %lf %lf\"", &x, &y, &width, &height) != 4)
		return false;
	strbuf_addf(out, "<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", width,
		    height);
	escape_html(out, alt);
	strbuf_addf(out, "\" style=\"max-width:%.0fpx\" fill=\"none\" stroke=\"currentColor\">\n",
		    width);
	add_body(out, head_end + 1);
	return true;
}

EMBED(symbols, "reports/figures/symbols.svg");

void svg_add_symbols(struct strbuf *out)
{
	strbuf_addf(out, "<svg width=\"0\" height=\"0\" style=\"position:absolute\" "
			 "aria-hidden=\"true\"><defs>\n%s</defs></svg>\n", symbols);
}

bool svg_forget(struct strbuf *svg)
{
	static const char group[] = "<g fill=\"none\" color=\"white\" stroke=\"",
			  colourless[] = "currentColor";
	const char *start = strstr(svg->s, group), *end;
	if (!start)
		return false;
	start += strlen(group);
	end = strchr(start, '"');
	if (!end || !strncmp(start, colourless, (size_t)(end - start)))
		return false;
	struct strbuf out = STRBUF_INIT;
	strbuf_add(&out, svg->s, (size_t)(start - svg->s));
	strbuf_addstr(&out, colourless);
	strbuf_add(&out, end, svg->len - (size_t)(end - svg->s));
	strbuf_release(svg);
	*svg = out;
	return true;
}

const struct palette_entry palette[PALETTE_N] = {
    {RGB_TEXT, "currentColor", NULL, NULL},
    {RGB_GRID, "var(--grid)", "#d4d8dd", "#3b434d"},
    {RGB_BAND, "var(--band)", "#e6eef5", "#1d2b38"},
    {RGB_MUTED, "var(--muted)", "#5d6670", "#9aa4af"},
    {RGB_BLUE, "var(--blue)", "#0072b2", "#4fb0ea"},
    {RGB_VERMILLION, "var(--vermillion)", "#c45500", "#ff8c42"},
    {RGB_GREEN, "var(--green)", "#00855f", "#2fcf9f"},
    {RGB_ORANGE, "var(--orange)", "#b67c00", "#f2b632"},
    {RGB_PURPLE, "var(--purple)", "#b4588c", "#e29cc4"},
    {RGB_SKY, "var(--sky)", "#2d8fc7", "#8fd0f5"},
};

const char *palette_series(size_t n)
{
	static const char *const series[PALETTE_N_SERIES] = {RGB_BLUE, RGB_VERMILLION, RGB_GREEN,
		RGB_PURPLE, RGB_ORANGE, RGB_SKY};
	return series[n % PALETTE_N_SERIES];
}

/* Filled circle, square, triangles, diamond, pentagon: can be distinguished without colour. */
int palette_point(size_t n)
{
	static const int point[PALETTE_N_SERIES] = {7, 5, 9, 13, 11, 15};
	return point[n % PALETTE_N_SERIES];
}
