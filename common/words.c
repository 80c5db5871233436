/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/words.h"

#include <ctype.h>
#include <jansson.h>

#include "common/units.h"

static const char blanks[] = " \t\r\n";

void words_list_take(struct words_list *w, char *word)
{
	if (w->n + 1 >= w->cap) {
		w->cap = w->cap ? w->cap * 2 : 16;
		w->v = xreallocarray(w->v, w->cap, sizeof *w->v);
	}
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

void words_list_add(struct words_list *w, const char *word)
{
	words_list_take(w, xstrdup(word));
}

void words_list_addf(struct words_list *w, const char *fmt, ...)
{
	struct strbuf word = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&word, fmt, ap);
	va_end(ap);
	words_list_take(w, strbuf_detach(&word));
}

void words_list_add_all(struct words_list *w, ...)
{
	va_list ap;
	va_start(ap, w);
	for (const char *word; (word = va_arg(ap, const char *));)
		words_list_add(w, word);
	va_end(ap);
}

void words_list_release(struct words_list *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct words_list){NULL, 0, 0};
}

/* The end of the bracket at `s`, or NULL. Brackets may be nested. Brackets inside quotes are
 * ignored. */
static const char *bracket_end(const char *s)
{
	int depth = 0;
	bool quoted = false;
	for (; *s; s++) {
		if (quoted && *s == '\\' && s[1])
			s++;
		else if (*s == '"')
			quoted = !quoted;
		else if (!quoted && strchr("([", *s))
			depth++;
		else if (!quoted && strchr(")]", *s) && --depth == 0)
			return s;
	}
	return NULL;
}

int words_split(struct words_list *w, const char *text, struct err *e)
{
	const char *p = text;
	*w = (struct words_list){NULL, 0, 0};
	if (!text[strspn(text, blanks)])
		return err_set(e, EINVAL, "\"%s\" is an empty list", text);
	for (;;) {
		struct strbuf item = STRBUF_INIT;
		bool quoted = false, any_quote = false;
		size_t keep = 0; /* length without trailing blanks, except quoted ones */
		p += strspn(p, blanks);
		for (; *p && (quoted || *p != ','); p++) {
			if (*p == '"') {
				quoted = !quoted;
				any_quote = true;
				keep = item.len;
				continue;
			}
			const char *end =
			    !quoted && (*p == '(' || *p == '[') ? bracket_end(p) : NULL;
			for (; end && p < end; p++)
				strbuf_addch(&item, *p);
			strbuf_addch(&item, *p);
			if (quoted || !strchr(blanks, *p))
				keep = item.len;
		}
		char *s = strbuf_detach(&item);
		s[keep] = 0;
		words_list_take(w, s);
		if (quoted || (!*s && !any_quote)) {
			words_list_release(w);
			return err_set(e, EINVAL,
				       quoted ? "\"%s\": a quote is not closed"
					      : "\"%s\" has an empty item",
				       text);
		}
		if (!*p++)
			return 0;
	}
}

static int json_words(struct words_list *w, const char *text, struct err *e)
{
	json_error_t why;
	json_auto_t *list = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	json_t *word;
	size_t i;
	int ret =
	    list ? 0 : err_set(e, EINVAL, "\"%s\" is not a list of words: %s", text, why.text);
	json_array_foreach(list, i, word) {
		if (!json_is_string(word)) {
			ret = err_set(e, EINVAL, "\"%s\": word %zu is not text in double quotes",
				      text, i + 1);
			break;
		}
		words_list_add(w, json_string_value(word));
	}
	return ret;
}

/* Reads one word from *p on, without its quotes. */
static int plain_word(struct strbuf *out, const char **p, const char *text, struct err *e)
{
	bool quoted = false;
	for (; **p && (quoted || !strchr(blanks, **p)); ++*p) {
		if (**p == '"') {
			quoted = !quoted;
			continue;
		}
		if (quoted && **p == '\\' && ((*p)[1] == '"' || (*p)[1] == '\\'))
			++*p;
		strbuf_addch(out, **p);
	}
	return quoted ? err_set(e, EINVAL, "\"%s\": a quote is not closed", text) : 0;
}

int words_parse(struct words_list *w, const char *text, struct err *e)
{
	const char *p = text + strspn(text, blanks);
	SCOPED_STRBUF word = STRBUF_INIT;
	int ret = 0;
	*w = (struct words_list){NULL, 0, 0};
	if (*p == '[')
		ret = json_words(w, p, e);
	else
		for (; !ret && *p; p += strspn(p, blanks)) {
			strbuf_reset(&word);
			ret = plain_word(&word, &p, text, e);
			if (!ret)
				words_list_add(w, word.s);
		}
	if (!ret && !w->n)
		ret = err_set(e, EINVAL, "\"%s\" has no words", text);
	if (ret)
		words_list_release(w);
	return ret;
}

int words_parse_value(struct words_list *w, const char *text, struct err *e)
{
	int ret = words_parse(w, text, e);
	if (ret || w->n != 1 || text[strspn(text, blanks)] != '"' || !strchr(w->v[0], ' '))
		return ret;
	SCOPED_FREE char *inside = xstrdup(w->v[0]);
	words_list_release(w);
	return words_parse(w, inside, e);
}

/* --- placeholders -------------------------------------------------------- */

void placeholders_set(struct placeholders *p, const char *name, const char *value)
{
	size_t i = 0;
	while (i < p->n && strcmp(p->v[i].name, name))
		i++;
	if (i < p->n) {
		free(p->v[i].value);
	} else {
		GROW(p->v, p->n, p->cap);
		p->v[p->n++].name = xstrdup(name);
	}
	p->v[i].value = xstrdup(value);
}

const char *placeholders_get(const struct placeholders *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->v[i].name, name))
			return p->v[i].value;
	return NULL;
}

void placeholders_release(struct placeholders *p)
{
	for (size_t i = 0; i < p->n; i++)
		FREE_EACH(p->v[i].name, p->v[i].value);
	free(p->v);
	*p = (struct placeholders){NULL, 0, 0};
}

static int placeholder_refuse(const struct placeholders *p, const char *name, const char *word,
			      struct err *e)
{
	SCOPED_FREE const char **names = xcalloc(p->n + 1, sizeof *names);
	for (size_t i = 0; i < p->n; i++)
		names[i] = p->v[i].name;
	return name_refuse(e, EINVAL, name, names, " (for a brace, write {{)",
			   "\"%s\": there is no placeholder {%s}", word, name);
}

/* Length of the name in braces at `s`; 0: there is none. */
static size_t name_length(const char *s)
{
	size_t n = 0;
	if (*s != '{' || !islower((unsigned char)s[1]))
		return 0;
	while (islower((unsigned char)s[1 + n]) || isdigit((unsigned char)s[1 + n]) ||
	       s[1 + n] == '_')
		n++;
	return s[1 + n] == '}' ? n : 0;
}

int placeholders_replace(const struct placeholders *p, const char *word, char **out, struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	int ret = 0;
	*out = NULL;
	for (const char *s = word; *s && !ret;) {
		size_t n = name_length(s);
		if (!n) {
			s += s[0] == '{' && s[1] == '{';
			strbuf_addch(&text, *s++);
			continue;
		}
		char *name = xasprintf("%.*s", (int)n, s + 1);
		const char *value = placeholders_get(p, name);
		if (value)
			strbuf_addstr(&text, value);
		else
			ret = placeholder_refuse(p, name, word, e);
		free(name);
		s += n + 2;
	}
	*out = ret ? NULL : strbuf_detach(&text);
	if (ret)
		strbuf_release(&text);
	return ret;
}
