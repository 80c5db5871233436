/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Applies the changes that the command line makes to the text of a protocol. */
#include "validate/protocol/protocol_read.h"

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

/* Sets a key of [protocol]. The lines of its old value are replaced. */
static void key_put(struct strbuf *text, const char *key, const char *value)
{
	const char *from = text->s, *to = text->s; /* the text to replace */
	bool inside = false, found = false;
	const size_t len = strlen(key);
	for (const char *line = text->s; *line && !found; line = next_line(line)) {
		const char *word = word_of(line);
		if (*line == '[')
			inside = is_section(line, "protocol", NULL);
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

void protocol_text_change(struct strbuf *text, const struct protocol_given *g)
{
	if (g->claim || g->replayers)
		sections_leave_out(text, g);
	if (g->replicates)
		key_put(text, "replicates", g->replicates);
	if (g->budget)
		key_put(text, "budget", g->budget);
	if (g->claim)
		key_put(text, "claim", g->claim);
	if (g->sections)
		strbuf_addf(text, "\n%s", g->sections);
}
