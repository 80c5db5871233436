/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/json/environment_facts.h"
#include "reports/escape.h"
#include "reports/html/html.h"

static void row_add(void *out, const char *name, const char *value)
{
	html_addf(out, "<tr><th scope=\"row\" class=\"l\">%s</th><td class=\"w\">%s</td></tr>\n",
		  name, value);
}

static void title_add(void *out, const char *title)
{
	html_addf(out, "<tr class=\"g\"><th scope=\"rowgroup\" colspan=\"2\">%s</th></tr>\n",
		  title);
}

void html_add_environment(struct strbuf *out, const json_t *environment)
{
	html_begin_wide(out, "Environment");
	strbuf_addstr(out, "<table class=\"pairs\"><thead><tr><th scope=\"col\">Fact</th><th "
		"scope=\"col\">Value</th></tr></thead>\n<tbody>\n");
	facts_show(environment, &(struct facts_form){title_add, row_add, out});
	strbuf_addstr(out, "</tbody></table></div>\n<p>The file <code>environment.json</code> has "
		"these facts as members; <code>doc/results.md</code> explains the members.</p>\n");
}
