/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies the changes that the command line makes to the text of a protocol. */
#include <jansson.h>

#include "common/hosts.h"
#include "common/units.h"
#include "microbench/microbench.h"
#include "validate/protocol/protocol_read.h"

#define VALUE_CHARS 150 /* the reader of protocols limits the length of a line */

/* Returns the line after `line`, or the end of the text. */
static const char *next_line(const char *line)
{
	line += strcspn(line, "\n");
	return line + (*line == '\n');
}

static const char *word_of(const char *line)
{
	return line + strspn(line, " \t");
}

/* Whether the heading is that of the section. NAME NULL: with any name or none. */
static bool is_section(const char *heading, const char *kind, const char *name)
{
	const char *at = word_of(heading + 1);
	const size_t len = strlen(kind);
	if (strncmp(at, kind, len) || !strchr(" \t]", at[len]))
		return false;
	at = word_of(at + len);
	return !name || (!strncmp(at, name, strlen(name)) && strchr(" \t]", at[strlen(name)]));
}

/* Sets a key of the section. The lines of its old value are replaced. */
static void key_put(struct strbuf *text, const char *kind, const char *name, const char *key,
		    const char *value)
{
	const char *from = text->s, *to = text->s; /* the text to replace */
	bool inside = false, found = false;
	const size_t len = strlen(key);
	for (const char *line = text->s; *line && !found; line = next_line(line)) {
		const char *word = word_of(line);
		if (*line == '[')
			inside = is_section(line, kind, name);
		if (*line == '[' && inside)
			from = to = next_line(line);
		found = inside && !strncmp(word, key, len) && word[len] &&
			strchr(" \t=:", word[len]);
		if (found) {
			from = line;
			to = next_line(line);
			while ((*to == ' ' || *to == '\t') && !strchr("\r\n", *word_of(to)))
				to = next_line(to);
		}
	}
	struct strbuf out = STRBUF_INIT;
	strbuf_addf(&out, "%.*s%s%s = %s\n%s", (int)(from - text->s), text->s,
		    from > text->s && from[-1] != '\n' ? "\n" : "", key, value, to);
	strbuf_release(text);
	*text = out;
}

/* Whether a section is removed: with a claim, sections of other limits; and replayers that are not
 * named. */
static bool is_left_out(const char *heading, const struct protocol_given *g)
{
	bool named = !g->replayers;
	for (const char *const *name = g->replayers; name && *name; name++)
		named |= is_section(heading, "replayer", *name);
	return (g->claim && (is_section(heading, "accept", NULL) || is_section(heading, "compare",
		NULL))) || (is_section(heading, "replayer", NULL) && !named);
}

static void sections_leave_out(struct strbuf *text, const struct protocol_given *g)
{
	struct strbuf out = STRBUF_INIT;
	bool out_of = false;
	for (const char *line = text->s, *next; *line; line = next) {
		next = next_line(line);
		if (*line == '[')
			out_of = is_left_out(line, g);
		if (!out_of)
			strbuf_add(&out, line, (size_t)(next - line));
	}
	strbuf_release(text);
	*text = out;
}

bool protocol_text_has(const char *text, const char *kind, const char *name)
{
	for (const char *line = text; *line; line = next_line(line))
		if (*line == '[' && is_section(line, kind, name))
			return true;
	return false;
}

/* Reduces a key of [protocol] to `max`, if it is larger. */
static void key_limit(struct strbuf *text, const char *key, uint64_t value, uint64_t max)
{
	SCOPED_FREE char *limited = xasprintf("%" PRIu64, max);
	if (value > max)
		key_put(text, "protocol", NULL, key, limited);
}

/* The largest number of replicates limits the numbers of recordings and of sessions. A session
 * needs two blocks, and there are at least two sessions. */
static void replicates_put(struct strbuf *text, const char *replicates, uint64_t n_bank,
			   uint64_t n_sessions)
{
	const char *dots = strstr(replicates, "..");
	const uint64_t n = strtoull(dots ? dots + 2 : replicates, NULL, 10);
	key_put(text, "protocol", NULL, "replicates", replicates);
	key_limit(text, "bank", n_bank, n + 1);
	key_limit(text, "sessions", n_sessions, n >= 4 ? n / 2 : 2);
}

void protocol_text_change(struct strbuf *text, const struct protocol_given *g, uint64_t n_bank,
			  uint64_t n_sessions)
{
	if (g->claim || g->replayers)
		sections_leave_out(text, g);
	if (g->replicates)
		replicates_put(text, g->replicates, n_bank, n_sessions);
	if (g->budget)
		key_put(text, "protocol", NULL, "budget", g->budget);
	if (g->claim)
		key_put(text, "protocol", NULL, "claim", g->claim);
	if (g->sections)
		strbuf_addf(text, "\n%s", g->sections);
}

/* --- hosts and launchers ------------------------------------------------- */

char *protocol_command_value(const char *command, struct err *e)
{
	SCOPED(words_list_release) struct words_list words = {NULL, 0, 0};
	SCOPED_STRBUF list = STRBUF_INIT;
	if (words_parse_value(&words, command, e))
		return NULL;
	if (!strpbrk(command, "\";#\n\r") && strlen(command) <= VALUE_CHARS)
		return xasprintf("\"%s\"", command);
	for (size_t i = 0; i < words.n; i++) {
		json_auto_t *word = json_string(words.v[i]);
		SCOPED_FREE char *shown =
		    word ? json_dumps(word, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
		if (!shown)
			return err_set(e, EINVAL, "\"%s\" is not UTF-8 text", command), NULL;
		strbuf_addstr(&list, i ? ",\n  " : "[");
		for (const char *c = shown; *c; c++) /* ; and # would begin comments */
			strbuf_addf(&list, strchr(";#", *c) ? "\\u%04x" : "%c", (unsigned int)*c);
	}
	strbuf_addch(&list, ']');
	return strbuf_detach(&list);
}

/* Returns the value of key `hosts`. The caller frees. */
static char *hosts_value(const char *hosts, struct err *e)
{
	SCOPED(words_list_release) struct words_list names = {NULL, 0, 0};
	if (hosts_parse(hosts, &names, e))
		return NULL;
	SCOPED_FREE char *path = realpath(hosts, NULL);
	if (path && strpbrk(path, "\";\n"))
		return err_set(e, EINVAL, "\"%s\": the path of a list of hosts cannot contain "
			       "quotes, semicolons or line breaks", path), NULL;
	return xasprintf("\"%s\"", path ? path : hosts);
}

/* Whether the ranks are those of a built-in workload, which has a launcher of its own. */
static bool starts_ranks(const struct scenario *s)
{
	const struct workload *w = workload_find(s->type);
	return w && w->own_options && word_in("launcher", w->own_options);
}

/* Sets a key in the sections of all parallel applications; `with_hosts`: only of those with hosts.
 * Returns the number of sections. */
static size_t workloads_put(struct strbuf *text, const struct protocol *p, const char *key,
			    const char *value, bool with_hosts)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_scenarios; i++) {
		const struct scenario *s = &p->scenario[i];
		const bool has = setting_find(s->option, s->n_options, "hosts");
		if (!s->parallel.is || (with_hosts && !has))
			continue;
		key_put(text, "workload", s->workload, key, value);
		n++;
	}
	return n;
}

/* Sets the launcher of all replayers and built-in workloads that start ranks. Returns the number of
 * sections. */
static size_t ranks_put(struct strbuf *text, const struct protocol *p, const char *value)
{
	size_t n = 0;
	for (size_t i = 0; i < p->n_replayers; i++)
		if (replayer_is_of_nodes(&p->replayer[i])) {
			key_put(text, "replayer", p->replayer[i].section, "launcher", value);
			n++;
		}
	for (size_t i = 0; i < p->n_scenarios; i++)
		if (starts_ranks(&p->scenario[i])) {
			key_put(text, "workload", p->scenario[i].workload, "launcher", value);
			n++;
		}
	return n;
}

static int launcher_put(struct strbuf *text, const struct protocol *p, const char *launcher,
			bool with_hosts, struct err *e)
{
	SCOPED_FREE char *value = protocol_command_value(launcher, e);
	if (!value)
		return e->code;
	if (strstr(launcher, "{host}"))
		return workloads_put(text, p, "launcher", value, with_hosts) ? 0
			: err_set(e, EINVAL, "\"%s\" contains {host}, but no parallel application "
				"in %s has the key \"hosts\": name the hosts with --rank-hosts",
				launcher, p->path);
	return ranks_put(text, p, value) ? 0
		: err_set(e, EINVAL, "the launcher \"%s\" contains no {host}. Such a launcher "
			"starts ranks, but %s has neither a replayer with engine = parallel nor a "
			"built-in parallel workload. Add {host} to start programs on hosts",
			launcher, p->path);
}

int protocol_text_launch(struct strbuf *text, const struct protocol *p,
			 const struct protocol_given *g, struct err *e)
{
	SCOPED_FREE char *hosts = g->rank_hosts ? hosts_value(g->rank_hosts, e) : NULL;
	if (g->rank_hosts && !hosts)
		return err_context(e, "--rank-hosts");
	if (hosts && !workloads_put(text, p, "hosts", hosts, false))
		return err_set(e, EINVAL, "--rank-hosts: %s has no workload with type = parallel",
			       p->path);
	for (size_t i = 0; i < g->launchers.n; i++) {
		const char *launcher = g->launchers.text[i];
		for (size_t k = 0; k < i; k++)
			if (!strstr(launcher, "{host}") == !strstr(g->launchers.text[k], "{host}"))
				return err_set(e, EINVAL, "--launcher: \"%s\" and \"%s\" both %s "
					"{host}: give at most one launcher with {host} and one "
					"without", g->launchers.text[k], launcher,
					strstr(launcher, "{host}") ? "contain" : "lack");
		if (launcher_put(text, p, launcher, !hosts, e))
			return err_context(e, "--launcher");
	}
	return 0;
}

void protocol_add_devices(struct strbuf *out, const struct protocol *p)
{
	const char *separator = " --device ";
	for (size_t i = 0; i < p->n_targets; i++)
		if (p->target[i].destructive && p->target[i].device) {
			strbuf_addstr(out, separator);
			shell_word(out, p->target[i].device);
			separator = ",";
		}
}
