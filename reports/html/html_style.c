/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/figures/figure.h"

static const char style[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.55 "
    "system-ui,-apple-system,'Segoe UI',Roboto,"
    "'Liberation Sans','DejaVu Sans',sans-serif}\n"
    "main{max-width:70rem;margin:0 auto;padding:1rem 1.25rem 4rem}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:1.2rem 0 .3rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.35rem;line-height:1.25;margin:2.6rem 0 .6rem;padding-top:.9rem;border-top:1px "
    "solid var(--rule)}\n"
    "h3{font-size:1.1rem;margin:1.8rem 0 .4rem}\n"
    "p,ul,ol,dl{max-width:46rem}\n"
    "p,li,dd,td,th{overflow-wrap:break-word}\n"
    "a{color:var(--link)}\n"
    ".sub{color:var(--muted);margin:.2rem 0 1rem;max-width:none}\n"
    "nav ol{display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;padding:0;margin:1.2rem "
    "0;list-style:none;max-width:none;font-size:.93rem}\n"
    ".banner{border:1px solid var(--rule);border-left:.6rem solid "
    "var(--c);border-radius:.4rem;padding:.9rem "
    "1.1rem;margin:1rem 0;"
    "background:var(--bg)}\n"
    ".banner .big{font-size:1.45rem;font-weight:700;line-height:1.25;margin:0 0 .3rem}\n"
    ".banner p{margin:.25rem 0}\n"
    ".banner .lines{margin:.4rem 0;padding-left:1.2rem;max-width:none}\n"
    "h2.next{border-top:0;margin-top:1.2rem;padding-top:0}\n"
    ".trusted{--c:var(--ok);--bg:var(--okbg)}\n"
    ".not{--c:var(--bad);--bg:var(--badbg)}\n"
    ".inconclusive{--c:var(--open);--bg:var(--openbg)}\n"
    ".none{--c:var(--muted);--bg:var(--soft)}\n"
    ".chip{display:inline-block;white-space:nowrap;border:1px solid "
    "var(--c);border-radius:1rem;padding:0 "
    ".55em;background:var(--bg);"
    "color:var(--ink);font-size:.88em;line-height:1.5}\n"
    ".chip b{color:var(--c);font-weight:700}\n"
    ".scroll{overflow-x:auto;margin:.6rem 0 1.1rem}\n"
    ".scroll:focus-visible{outline:2px solid var(--link)}\n"
    "table{border-collapse:collapse;font-size:.86rem;line-height:1.4;font-variant-numeric:tabular-"
    "nums}\n"
    "caption{text-align:left;font-weight:600;padding:.2rem 0;color:var(--ink)}\n"
    "th,td{padding:.22rem .6rem;text-align:left;vertical-align:top;border-bottom:1px solid "
    "var(--rule)}\n"
    "thead th{border-bottom:2px solid "
    "var(--rule);vertical-align:bottom;font-weight:600}\n"
    "tbody th{font-weight:500;white-space:nowrap}\n"
    "tbody th.l{white-space:normal;min-width:9rem;max-width:20rem;overflow-wrap:anywhere}\n"
    "tr.g th,tr.g "
    "th.l{max-width:none;white-space:normal;overflow-wrap:anywhere;font-weight:600;background:var(-"
    "-soft);border-"
    "bottom:0;padding-top:.3rem}\n"
    "tr.g~tr:not(.g) th{padding-left:1.2rem}\n"
    "td{white-space:nowrap}\n"
    "td.n,th.n{text-align:right}\n"
    "td.w{white-space:normal;min-width:14rem;overflow-wrap:anywhere}\n"
    "td small{color:var(--muted);white-space:nowrap}\n"
    ".matrix td,.matrix thead th+th{text-align:center}\n"
    ".matrix thead th{max-width:16rem;min-width:6rem;overflow-wrap:anywhere}\n"
    ".matrix td small{display:block;white-space:nowrap}\n"
    ".matrix a{text-decoration:none}\n"
    ".matrix tr:not(.g)>th:first-child{position:sticky;left:0;background:var(--page)}\n"
    ".matrix.narrow thead th{min-width:0;overflow-wrap:normal;padding:.22rem .35rem}.matrix.narrow "
    "td{padding:.22rem .35rem}\n"
    ".pair{display:flex;flex-wrap:wrap;gap:0 2.5rem}.pair>div{max-width:min(100%,29rem)}\n"
    ".note{font-size:.9rem;color:var(--muted);margin:.2rem 0 .6rem}\n"
    ".src{font-size:.86rem;color:var(--muted)}\n"
    "figure{margin:1rem 0;max-width:46rem}\n"
    "figure .plot{overflow-x:auto}\n"
    "figure svg{display:block;width:100%;height:auto;min-width:25rem}\n"
    ".sources svg{min-width:52rem}\n"
    "figure.sources{max-width:none}\n"
    "figcaption{font-size:.9rem;color:var(--muted);margin-top:.3rem;max-width:46rem}\n"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,26rem),1fr));gap:."
    "4rem 1.2rem}\n"
    ".grid figure{margin:.6rem 0}.grid figcaption{color:var(--ink);font-weight:600;margin:0 0 "
    ".2rem}\n"
    ".grid figure svg{min-width:0}\n"
    "details{border:1px solid var(--rule);border-radius:.4rem;padding:.45rem .8rem;margin:.6rem "
    "0;background:var(--card)}\n"
    "summary{cursor:pointer;font-weight:600}\n"
    "pre{overflow-x:auto;background:var(--soft);padding:.7rem;border-radius:.3rem;font-size:.85rem;"
    "line-height:1.4}\n"
    "code{font-size:.92em;background:var(--soft);padding:.05em "
    ".25em;border-radius:.2em;overflow-wrap:anywhere}\n"
    "pre code{background:none;padding:0;overflow-wrap:normal}\n"
    ".warnings li{margin:.35rem 0}\n"
    "dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.3rem "
    "1rem;max-width:none;font-size:.94rem}\n"
    "dt{font-weight:600}dd{margin:0;max-width:50rem}\n"
    ".skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:1rem;background:var(--page);"
    "padding:.4rem}\n"
    "@media (max-width:40rem){main{padding:.6rem .9rem "
    "3rem}h1{font-size:1.4rem}h2{font-size:1.2rem}.banner "
    ".big{font-size:1.2rem}"
    "dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.4rem}table{font-size:.82rem}th,td{"
    "padding:.2rem .45rem}"
    "tbody th{white-space:normal;min-width:6.5rem}tbody th.l{max-width:11rem}.matrix tbody "
    "th.l{min-width:5rem;max-width:7.5rem}"
    /* a row as a paragraph, where what is wide would stand beyond the window and make rows high for
       nothing to be seen */
    ".stack thead{display:none}.stack tbody tr{display:block;padding:.4rem 0;border-bottom:1px "
    "solid var(--rule)}"
    ".stack tbody td,.stack tbody th,.stack tbody th.l{display:inline;border:0;padding:0 .5rem 0 "
    "0;min-width:0;white-space:normal;"
    "overflow-wrap:anywhere}.stack tbody td.w,.stack tbody td.b{display:block;text-align:left}"
    ".stack tbody td.c::before{content:'\\A';white-space:pre}"
    ".stack [data-l]::before{content:attr(data-l) ' ';color:var(--muted)}}\n"
    "@media "
    "print{@page{size:A4;margin:13mm}html{font-size:9pt}main{max-width:none;padding:0}nav,.skip{"
    "display:none}"
    ".scroll,figure .plot{overflow:visible}table{font-size:.78rem}th,td{padding:.12rem .3rem}tbody "
    "th,tbody "
    "th.l{white-space:normal;"
    "min-width:0;max-width:34mm}td{white-space:normal}td.w{min-width:0}.chip{padding:0 .3em}"
    "figure,tr,.banner{break-inside:avoid}h2,h3,caption,tr.g{break-after:avoid}figure{max-width:"
    "125mm}.grid{grid-template-"
    "columns:1fr 1fr}"
    "figure svg,.sources svg{min-width:0}details{border:0;padding:0}"
    "details::details-content{content-visibility:visible;block-size:auto;opacity:1}a{color:inherit;"
    "text-decoration:none}}\n";

static void add_style(struct strbuf *out)
{
	static const char light[] =
	    "--page:#fff;--ink:#1b1f24;--rule:#d4d8dd;--soft:#f2f4f6;--card:#fafbfc;--link:#0b5fae;"
	    "--ok:#00694c;"
	    "--okbg:#e5f5ef;--bad:#b03a00;--badbg:#fdece3;--open:#7d5500;--openbg:#fdf3dc;";
	static const char dark[] =
	    "--page:#12161b;--ink:#e4e8ec;--rule:#3b434d;--soft:#1f252c;--card:#181d23;--link:#"
	    "7cc0ff;--ok:#4fd6a8;"
	    "--okbg:#10291f;--bad:#ff9a5c;--badbg:#331c0e;--open:#f0c24a;--openbg:#2c230c;";
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

void html_add_text(struct strbuf *out, const char *before, const char *text, const char *after)
{
	strbuf_addstr(out, before);
	escape_html(out, text);
	strbuf_addstr(out, after);
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
	html_add_text(out, "<title>", title, "</title>\n");
	add_style(out);
	strbuf_addf(out, "%s</head>\n<body>\n", more_style ? more_style : "");
}
