/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/protocol/ini_file.h"

#include <ini.h>

#include "common/files.h"
#include "common/text.h"

#define FILE_MAX_BYTES (1u << 20)
#define NAME_MAX_CHARS 40 /* inih truncates section headings to 49 bytes */

static const char blanks[] = " \t\r\n\v\f";

struct ini_reading {
	struct ini_file *file;
	/* at: next byte for inih */
	const char *path, *at;
	unsigned int line;     /* of the text that inih processes */
	/* otherwise inih would continue a value with an indented line */
	bool in_value;
	bool indented;
	bool failed;
	struct err *err;
};

static int ini_refuse(struct ini_reading *r, unsigned int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int ini_refuse(struct ini_reading *r, unsigned int line, const char *fmt, ...)
{
	if (r->failed)
		return -EINVAL;
	r->failed = true;
	va_list ap;
	va_start(ap, fmt);
	err_vset(r->err, EINVAL, fmt, ap);
	va_end(ap);
	return err_context(r->err, "%s:%u", r->path, line);
}

static bool is_name(const char *s, size_t n)
{
	return n &&
	       strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") >= n;
}

/* Parses "[kind]" or "[kind name]". inih would truncate the heading, and would not report a section
 * without keys. */
static void section_begin(struct ini_reading *r, const char *text)
{
	const char *close = strchr(text, ']');
	if (!close)
		return; /* inih reports it */
	const char *rest = close + 1 + strspn(close + 1, blanks);
	if (*rest && *rest != ';' && *rest != '#') {
		ini_refuse(r, r->line, "unexpected text after the section heading: \"%.40s\"",
			   rest);
		return;
	}
	const char *word[3] = {NULL, NULL, NULL};
	size_t len[3] = {0, 0, 0}, n = 0;
	for (const char *p = text + 1; n < 3; n++) {
		p += strspn(p, " \t");
		if (p >= close)
			break;
		word[n] = p;
		len[n] = strcspn(p, " \t]");
		p += len[n];
	}
	if (n < 1 || n > 2 || !is_name(word[0], len[0])) {
		ini_refuse(r, r->line, "a section heading is [kind] or [kind name], not \"%.*s\"",
			   (int)(close + 1 - text), text);
		return;
	}
	if (n == 2 && (!is_name(word[1], len[1]) || len[1] > NAME_MAX_CHARS || word[1][0] == '-' ||
		       word[1][0] == '.')) {
		ini_refuse(r, r->line,
			   "\"%.*s\" is not a name: at most %d letters, digits and . _ -",
			   (int)len[1], word[1], NAME_MAX_CHARS);
		return;
	}
	struct ini_file *f = r->file;
	GROW(f->section, f->n_sections, f->cap_sections);
	struct ini_section *s = &f->section[f->n_sections++];
	*s = (struct ini_section){.line = r->line};
	s->kind = xasprintf("%.*s", (int)len[0], word[0]);
	s->name = n == 2 ? xasprintf("%.*s", (int)len[1], word[1]) : NULL;
	for (const struct ini_section *o = f->section; o < s; o++)
		if (!strcmp(o->kind, s->kind) &&
		    !strcmp(o->name ? o->name : "", s->name ? s->name : "")) {
			ini_refuse(r, r->line, "[%s%s%s] occurs twice, first at line %u", s->kind,
				   s->name ? " " : "", s->name ? s->name : "", o->line);
			return;
		}
}

/* Gives inih one line, as fgets() does. */
static char *next_line(char *to, int size, void *user)
{
	struct ini_reading *r = user;
	if (r->failed || !*r->at)
		return NULL;
	r->line++;
	size_t len = strcspn(r->at, "\n");
	if (len + 2 > (size_t)size) {
		ini_refuse(r, r->line,
			   "the line is %zu bytes long, but at most %d can be read: continue it on "
			   "an indented line after a comma or a semicolon", len, size - 2);
		return NULL;
	}
	memcpy(to, r->at, len);
	to[len] = '\n';
	to[len + 1] = 0;
	r->at += len + (r->at[len] == '\n');

	const char *text = to + (r->line == 1 && !strncmp(to, "\xef\xbb\xbf", 3) ? 3 : 0);
	const char *start = text + strspn(text, blanks);
	r->indented = start > text;
	if (*start == '[' && !(r->indented && r->in_value)) {
		section_begin(r, start);
		r->in_value = false;
	}
	return r->failed ? NULL : to;
}

static int key_continue(struct ini_reading *r, struct ini_key *k, const char *value)
{
	struct strbuf all = STRBUF_INIT;
	size_t len = strlen(value);
	/* inih does not strip comments of continuation lines */
	for (size_t i = 0; i < len; i++)
		if (value[i] == ';' && (!i || strchr(blanks, value[i - 1])))
			len = i;
	while (len && strchr(blanks, value[len - 1]))
		len--;
	if (!len)
		return 1;
	if (!strchr(",;", k->value[strlen(k->value) - 1])) {
		ini_refuse(r, r->line, "an indented line continues the value of \"%s\", which does "
			"not end with a comma or a semicolon: begin a new key at the left margin",
			k->name);
		return 0;
	}
	strbuf_addf(&all, "%s %.*s", k->value, (int)len, value);
	free(k->value);
	k->value = strbuf_detach(&all);
	return 1;
}

static int on_key(void *user, const char *section, const char *name, const char *value)
{
	/* inih truncates the section's name to 49 bytes; section_begin() has stored the whole
	 * name */
	(void)section;
	struct ini_reading *r = user;
	struct ini_file *f = r->file;
	if (r->failed)
		return 0;
	if (!f->n_sections) {
		ini_refuse(r, r->line, "\"%s\" is before the first [section]", name);
		return 0;
	}
	struct ini_section *s = &f->section[f->n_sections - 1];
	if (r->indented && r->in_value)
		return key_continue(r, &s->key[s->n_keys - 1], value);
	if (!*name) {
		ini_refuse(r, r->line, "the key before \"=\" is missing");
		return 0;
	}
	char *normal = xstrdup(name);
	for (char *c = normal; *c; c++)
		if (*c == '_')
			*c = '-';
	const struct ini_key *twice = ini_key_find(s, normal);
	if (twice || !*value) {
		if (twice)
			ini_refuse(r, r->line,
				   "\"%s\" is given twice in its section, first at line %u", name,
				   twice->line);
		else
			ini_refuse(r, r->line, "\"%s\" has no value", name);
		free(normal);
		return 0;
	}
	APPEND(s->key, s->n_keys, s->cap_keys, (struct ini_key){normal, xstrdup(value), r->line});
	r->in_value = true;
	return 1;
}

/* Reports the line of a byte that is not text. */
static int text_check(struct ini_reading *r, const struct strbuf *text)
{
	size_t bad = text_valid_length(text->s, text->len);
	if (bad == text->len)
		return 0;
	unsigned int line = 1;
	for (size_t i = 0; i < bad; i++)
		line += text->s[i] == '\n';
	unsigned char byte = (unsigned char)text->s[bad];
	return ini_refuse(r, line, "byte 0x%02x is not UTF-8 text", byte);
}

int ini_file_read(struct ini_file *f, const char *path, struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	*f = (struct ini_file){0};
	int ret = file_read(path, &text, FILE_MAX_BYTES, e);
	return ret ? ret : ini_text_read(f, path, &text, e);
}

int ini_text_read(struct ini_file *f, const char *path, const struct strbuf *text, struct err *e)
{
	*f = (struct ini_file){0};
	struct ini_reading r = {.file = f, .path = path, .at = text->s, .err = e};
	int ret = text_check(&r, text);
	int line = ret ? 0 : ini_parse_stream(next_line, &r, on_key, &r);
	if (line > 0 && (!r.failed || (unsigned int)line < r.line)) {
		/* inih reports an earlier line */
		r.failed = false;
		ini_refuse(&r, (unsigned int)line, "neither a [section] nor \"key = value\"");
	}
	if (r.failed)
		ret = -EINVAL;
	if (ret)
		ini_file_release(f);
	return ret;
}

void ini_file_release(struct ini_file *f)
{
	for (size_t i = 0; i < f->n_sections; i++) {
		struct ini_section *s = &f->section[i];
		for (size_t k = 0; k < s->n_keys; k++)
			FREE_EACH(s->key[k].name, s->key[k].value);
		FREE_EACH(s->key, s->kind, s->name);
	}
	free(f->section);
	*f = (struct ini_file){0};
}

const struct ini_key *ini_key_find(const struct ini_section *s, const char *name)
{
	for (size_t i = 0; i < s->n_keys; i++)
		if (!strcmp(s->key[i].name, name))
			return &s->key[i];
	return NULL;
}
