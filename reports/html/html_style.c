/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The start of a page, with its style sheet. */
#include "common/embed.h"
#include "reports/escape.h"
#include "reports/html/html.h"

EMBED(style, "reports/html/style.css");

static void add_style(struct strbuf *out)
{
	static const char light[] =
	    "--page:#fff;--ink:#1b1f24;--rule:#d4d8dd;--soft:#f2f4f6;--card:#fafbfc;--link:#0b5fae;"
	    "--ok:#00694c;"
	    "--okbg:#e5f5ef;--bad:#b03a00;--badbg:#fdece3;--open:#7d5500;--openbg:#fdf3dc;"
	    "--h0:#dff0ea;--h1:#eef3d9;--h2:#faf0c4;--h3:#fbdc9a;--h4:#f6b27a;--h5:#ec8a55;";
	static const char dark[] =
	    "--page:#12161b;--ink:#e4e8ec;--rule:#3b434d;--soft:#1f252c;--card:#181d23;--link:#"
	    "7cc0ff;--ok:#4fd6a8;"
	    "--okbg:#10291f;--bad:#ff9a5c;--badbg:#331c0e;--open:#f0c24a;--openbg:#2c230c;"
	    "--h0:#14302a;--h1:#28331c;--h2:#3d3614;--h3:#554213;--h4:#74400f;--h5:#96400f;";
	strbuf_addf(out, "<style>\n:root{color-scheme:light dark;%s", light);
	for (size_t i = 0; i < PALETTE_N; i++)
		if (palette[i].light)
			strbuf_addf(out, "--%.*s:%s;", (int)__builtin_strlen(palette[i].css) - 7,
				    palette[i].css + 6, palette[i].light);
	strbuf_addf(out, "}\n@media screen and (prefers-color-scheme:dark){:root{%s", dark);
	for (size_t i = 0; i < PALETTE_N; i++)
		if (palette[i].dark)
			strbuf_addf(out, "--%.*s:%s;", (int)__builtin_strlen(palette[i].css) - 7,
				    palette[i].css + 6, palette[i].dark);
	strbuf_addf(out, "}}\n%s</style>\n", style);
}

void html_begin_page(struct strbuf *out, const char *title, bool with_images,
		     const char *more_style)
{
	strbuf_addf(out,
		    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		    "style-src 'unsafe-inline'%s\">\n",
		    with_images ? "; img-src data:" : "");
	html_addf(out, "<title>%s</title>\n", title);
	add_style(out);
	strbuf_addf(out, "%s</head>\n<body>\n", more_style ? more_style : "");
	if (with_images)
		svg_add_symbols(out);
	strbuf_addstr(out, "<main>\n");
}

void html_end_page(struct strbuf *out)
{
	strbuf_addstr(out, "</main>\n</body>\n</html>\n");
}
