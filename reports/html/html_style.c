/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/escape.h"
#include "reports/html/html.h"
#include "reports/figures/figure.h"

static const char style[] =
    "*{box-sizing:border-box}\n"
    "html{-webkit-text-size-adjust:100%}\n"
    "body{margin:0;background:var(--page);color:var(--ink);font:1rem/1.5 system-ui,"
    "-apple-system,'Segoe UI',Roboto,'Liberation Sans','DejaVu Sans',sans-serif}\n"
    "main{max-width:78rem;margin:0 auto;padding:.5rem 1.25rem 4rem}\n"
    "h1{font-size:1.5rem;line-height:1.2;margin:.5rem 0 .1rem;overflow-wrap:anywhere}\n"
    "h2{font-size:1.25rem;line-height:1.25;margin:2rem 0 .4rem;padding-top:.7rem;"
    "border-top:1px solid var(--rule)}\n"
    "h3{font-size:1.05rem;margin:1.4rem 0 .3rem}\n"
    "p,ul,ol,dl{max-width:52rem}\n"
    "ul.wide{max-width:none;padding-left:1.2rem;font-size:.9rem}\n"
    "p,li,dd,td,th{overflow-wrap:break-word}\n"
    "a{color:var(--link)}\n"
    ".sub{color:var(--muted);margin:.1rem 0 .6rem;max-width:none;font-size:.9rem}\n"
    "nav ol{display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:0;margin:0;list-style:none;"
    "max-width:none;font-size:.85rem}\n"
    ".banner{border:1px solid var(--rule);border-left:.6rem solid var(--c);"
    "border-radius:.4rem;padding:.5rem .9rem;margin:.5rem 0;background:var(--bg)}\n"
    ".banner .big{font-size:1.3rem;font-weight:700;line-height:1.25;margin:0 0 .2rem}\n"
    ".banner p{margin:.2rem 0;max-width:none}\n"
    ".banner .lines{margin:.2rem 0;padding-left:1.2rem;max-width:none}\n"
    ".next{margin:.4rem 0;max-width:none}\n"
    ".trusted{--c:var(--ok);--bg:var(--okbg)}\n"
    ".not{--c:var(--bad);--bg:var(--badbg)}\n"
    ".inconclusive{--c:var(--open);--bg:var(--openbg)}\n"
    ".none{--c:var(--muted);--bg:var(--soft)}\n"
    ".chip{display:inline-block;white-space:nowrap;border:1px solid var(--c);"
    "border-radius:1rem;padding:0 .5em;background:var(--bg);color:var(--ink);font-size:.88em;"
    "line-height:1.45}\n"
    ".chip b{color:var(--c);font-weight:700}\n"
    ".scroll{overflow-x:auto;margin:.5rem 0 .9rem}\n"
    ".scroll:focus-visible{outline:2px solid var(--link)}\n"
    "table{border-collapse:collapse;font-size:.84rem;line-height:1.35;"
    "font-variant-numeric:tabular-nums}\n"
    "caption{text-align:left;font-weight:600;padding:.2rem 0;color:var(--ink)}\n"
    "th,td{padding:.2rem .5rem;text-align:left;vertical-align:top;border-bottom:1px solid "
    "var(--rule)}\n"
    "thead th{border-bottom:2px solid var(--rule);vertical-align:bottom;font-weight:600}\n"
    "tbody th{font-weight:500;white-space:nowrap}\n"
    "tbody th.l{white-space:normal;min-width:9rem;max-width:20rem;overflow-wrap:anywhere}\n"
    "tr.g th,tr.g th.l{max-width:none;white-space:normal;overflow-wrap:anywhere;"
    "font-weight:600;background:var(--soft);border-bottom:0}\n"
    "tr.g td{background:var(--soft);border-bottom:0}\n"
    "tr.g~tr:not(.g) th{padding-left:1rem}\n"
    "td{white-space:nowrap}\n"
    "td.n,th.n{text-align:right}\n"
    "td.w{white-space:normal;min-width:12rem;overflow-wrap:anywhere}\n"
    "td small{color:var(--muted)}\n"
    "table.wrap{font-size:.76rem}table.wrap td,table.wrap th{white-space:normal;padding:.2rem "
    ".3rem}table.wrap td.w,table.wrap th.l{min-width:6rem}\n"
    "table.wrap td small{display:block;white-space:normal}\n"
    "table.map{width:100%;font-size:.75rem;line-height:1.3}\n"
    ".map th,.map td{padding:.12rem .2rem;border:1px solid var(--page);"
    "vertical-align:middle}\n"
    ".map thead th,.map .limits "
    "td{text-align:center;vertical-align:bottom;font-weight:500;font-size:.7rem;"
    "line-height:1.15;color:var(--muted)}\n"
    ".map thead th:first-child,.map .limits td:first-child{text-align:left}\n"
    ".map tbody td{text-align:center}\n"
    ".map tbody td.v{text-align:left}\n"
    ".map tbody th{min-width:9.5rem;max-width:19rem;white-space:normal;overflow-wrap:anywhere}\n"
    ".map tr.g th{font-size:.84rem;white-space:nowrap}\n"
    ".map td a{display:flex;justify-content:center;gap:.3em;color:var(--ink);"
    "text-decoration:none;white-space:nowrap}\n"
    ".map td.v a{justify-content:flex-start}\n"
    ".map td:not(.v) b{color:var(--bad)}\n"
    ".map a:focus-visible{outline:2px solid var(--link)}\n"
    ".h0{background:var(--h0)}.h1{background:var(--h1)}.h2{background:var(--h2)}.h3{"
    "background:var(--h3)}.h4{background:var(--h4)}.h5{background:var(--h5)}\n"
    ".key{font-size:.8rem;color:var(--muted);margin:.2rem 0;max-width:none}\n"
    ".key i{font-style:normal;color:var(--ink);padding:.1rem .5rem}\n"
    "table.strip{width:100%}.strip tbody th.l{min-width:17rem}\n"
    ".strip th,.strip td{padding:.1rem .5rem;vertical-align:middle}\n"
    ".strip .bars{width:30%;min-width:7rem}\n"
    ".bar{display:block;width:100%;height:18px;overflow:visible}\n"
    ".bar rect{fill:var(--band)}.bar line{stroke:var(--grid);stroke-width:1}\n"
    ".bar .i{stroke:var(--c);stroke-width:3}.bar circle,.bar text{fill:var(--c)}.bar "
    ".o{fill:var(--page);stroke:var(--c);stroke-width:2}\n"
    ".scale text{fill:var(--muted);font-size:11px}\n"
    ".case{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1.12fr);gap:.5rem 1.2rem;"
    "align-items:start}\n"
    ".facts{margin:.3rem 0 .6rem;max-width:none;font-size:.9rem}\n"
    ".four{display:grid;grid-template-columns:1fr 1fr;gap:.3rem .8rem}\n"
    ".four figure{margin:0}.four figcaption{color:var(--ink);font-weight:600;font-size:.8rem;"
    "margin:0}\n"
    ".four figure svg{min-width:0;max-width:none!important}\n"
    ".case .bars{width:22%;min-width:5rem}.case th,.case td{padding:.1rem .35rem}.case td small{"
    "white-space:normal}\n"
    ".note{font-size:.85rem;color:var(--muted);margin:.2rem 0 .5rem}\n"
    ".src{font-size:.84rem;color:var(--muted)}\n"
    "figure{margin:1rem 0;max-width:52rem}\n"
    "figure .plot{overflow-x:auto}\n"
    "figure svg{display:block;width:100%;height:auto;min-width:22rem}\n"
    ".sources svg{min-width:52rem}\n"
    "figure.sources{max-width:none}\n"
    "figcaption{font-size:.85rem;color:var(--muted);margin-top:.2rem;max-width:52rem}\n"
    ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,24rem),1fr));"
    "gap:.4rem 1.2rem}\n"
    ".grid figure{margin:.4rem 0}.grid figcaption{color:var(--ink);font-weight:600;margin:0 "
    "0 .2rem}\n"
    ".grid figure svg{min-width:0}\n"
    "details{border:1px solid var(--rule);border-radius:.4rem;padding:.3rem .8rem;"
    "margin:.4rem 0;background:var(--card)}\n"
    "summary{cursor:pointer;font-weight:600}\n"
    "details>div[id]{scroll-margin-top:3rem}\n"
    "details:has(:target)::details-content{content-visibility:visible;block-size:auto;"
    "opacity:1}\n"
    "pre{overflow-x:auto;background:var(--soft);padding:.7rem;border-radius:.3rem;"
    "font-size:.85rem;line-height:1.4}\n"
    "code{font-size:.92em;background:var(--soft);padding:.05em .25em;border-radius:.2em;"
    "overflow-wrap:anywhere}\n"
    "pre code{background:none;padding:0;overflow-wrap:normal}\n"
    ".warnings li{margin:.35rem 0}\n"
    "dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.3rem 1rem;"
    "max-width:none;font-size:.94rem}\n"
    "dt{font-weight:600}dd{margin:0;max-width:52rem}dd+dd{grid-column:2}\n"
    "@media (max-width:60rem){.case{grid-template-columns:1fr}}\n"
    "@media (max-width:40rem){main{padding:.4rem .7rem 3rem}h1{font-size:1.25rem}h2{"
    "font-size:1.1rem}.banner .big{font-size:1.1rem}.four{grid-template-columns:1fr}dl{"
    "grid-template-columns:1fr;gap:0}dd{margin-bottom:.4rem}dd+dd{grid-column:1}table{font-size:.8rem}th,td{"
    "padding:.2rem .4rem}tbody th{white-space:normal;min-width:6rem}tbody th.l{"
    "max-width:11rem}.map td span,.map .limits,.map .v .chip{font-size:0}.map .v .chip b{"
    "font-size:.78rem}.map th,.map td{padding:.1rem 0}.map tbody td{width:auto;padding:.2rem "
    "0}.map .limits{display:none}.map thead th span{writing-mode:vertical-rl;"
    "font-size:.72rem}.map thead .v{font-size:0}.map tbody th{min-width:0;font-size:.74rem}"
    ".strip th,.strip td{padding:.15rem .2rem;white-space:normal}.strip tbody th,.strip tbody "
    "th.l{min-width:0}"
    ".strip .lim{display:none}.strip .bars{width:30%;min-width:5rem}.strip .n small{"
    "display:none}.strip .chip{white-space:normal;border-radius:.4rem}.stack thead{"
    "display:none}.stack tbody tr{display:block;padding:.4rem 0;border-bottom:1px solid "
    "var(--rule)}.stack tbody td,.stack tbody th,.stack tbody th.l{display:inline;border:0;"
    "padding:0 .5rem 0 0;min-width:0;white-space:normal;overflow-wrap:anywhere}.stack tbody "
    "td.w,.stack tbody td.b{display:block;text-align:left}.stack tbody td.c::before{"
    "content:'\\A';white-space:pre}.stack [data-l]::before{content:attr(data-l) ' ';"
    "color:var(--muted)}}\n"
    "@media print{@page{size:A4;margin:13mm}html{font-size:8pt}main{max-width:none;padding:0}"
    "nav{display:none}.scroll,figure .plot{overflow:visible}table{font-size:.78rem}th,td{"
    "padding:.1rem .25rem}tbody th,tbody th.l{white-space:normal;min-width:0;max-width:34mm}"
    "td{white-space:normal}td.w{min-width:0}.chip{padding:0 .3em}figure,tr,.banner{"
    "break-inside:avoid}h2,h3,caption,tr.g,summary{break-after:avoid}figure{max-width:125mm}"
    ".grid{grid-template-columns:1fr "
    "1fr}.case{grid-template-columns:1fr}.four{grid-template-columns:repeat(4,1fr)}.map tbody "
    "td{width:auto}.map td,.bar,.key i,.chip{"
    "print-color-adjust:exact}figure svg,.sources svg{min-width:0}details{border:0;padding:0}"
    "details::details-content{content-visibility:visible;block-size:auto;opacity:1}a{"
    "color:inherit;text-decoration:none}}\n";

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
