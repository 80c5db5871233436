/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>

#include "common/text.h"
#include "common/units.h"
#include "validate/provenance/provenance.h"

static const char hidden[] = PROVENANCE_HIDDEN;

static bool is_secret(const char *key)
{
	static const char *const secret[] = {"host", "serial", "uuid", NULL};
	return word_in(key, secret);
}

/* Returns the length of a UUID at s: 8-4-4-4-12 hexadecimal digits; after "UUID=" also 4-4 (FAT) or
 * 16 (NTFS). */
static size_t uuid_length(const char *s)
{
	static const unsigned char group[] = {8, 4, 4, 4, 12};
	size_t at = 0;
	for (size_t i = 0; i < sizeof group; i++) {
		if (i && s[at++] != '-')
			return 0;
		for (unsigned char k = 0; k < group[i]; k++)
			if (!isxdigit((unsigned char)s[at++]))
				return 0;
	}
	return at;
}

static size_t token_length(const char *s)
{
	return strcspn(s, " \t\n\"',;:=<>()");
}

/* Returns the length of the path at the start of a word after the character `before`, if it
 * identifies a user or machine; 0: none. */
static size_t path_length(const char *s, char before)
{
	static const char *const common[] = {"/dev/", "/proc/", "/sys/", NULL};
	if (s[0] != '/' || token_length(s) < 2)
		return 0;
	for (size_t i = 0; common[i]; i++)
		if (!strncmp(s, common[i], strlen(common[i])) && strncmp(s, "/dev/disk/by-", 13))
			return 0;
	/* find the end of the path; it may contain blanks: it extends to its closing quote, or over
	 * words with a slash that do not begin another path, and text after its last blank does not
	 * belong to it */
	size_t len = token_length(s);
	const char *quote = before == '"' || before == '\'' ? strchr(s, before) : NULL;
	if (quote)
		return (size_t)(quote - s);
	while (s[len] == ' ' && s[len + 1] != '/' &&
	       memchr(s + len + 1, '/', token_length(s + len + 1)))
		len += 1 + token_length(s + len + 1);
	return len;
}

static size_t label_length(const char *s)
{
	static const char *const labels[] = {
	    "UUID=", "PARTUUID=", "LABEL=", "PARTLABEL=", "SERIAL=", NULL};
	for (size_t i = 0; labels[i]; i++)
		if (!strncmp(s, labels[i], strlen(labels[i])))
			return strlen(labels[i]);
	return 0;
}

static size_t host_length(const char *s, const char *host)
{
	size_t len = host ? strlen(host) : 0;
	return len && !strncmp(s, host, len) && !isalnum((unsigned char)s[len]) ? len : 0;
}

/* Returns the length of the text to hide at this place; *keep: number of leading bytes that
 * stay. */
static size_t secret_length(const char *s, bool begins, char before, const char *host, size_t *keep)
{
	*keep = begins ? label_length(s) : 0;
	if (*keep)
		return token_length(s + *keep);
	size_t len = uuid_length(s);
	if (!len && begins)
		len = path_length(s, before);
	return !len && begins ? host_length(s, host) : len;
}

char *provenance_redact_text(const char *s, const char *host)
{
	struct strbuf out = STRBUF_INIT;
	bool begins = true;
	char before = 0;
	while (*s) {
		size_t keep, len = secret_length(s, begins, before, host, &keep);
		if (len) {
			strbuf_add(&out, s, keep);
			strbuf_addstr(&out, hidden);
			s += keep + len;
			begins = false;
			before = 0;
			continue;
		}
		begins =
		    !isalnum((unsigned char)*s) && *s != '/' && *s != '_' && *s != '.' && *s != '-';
		before = *s;
		strbuf_addch(&out, *s++);
	}
	return out.s ? strbuf_detach(&out) : xstrdup("");
}

char *provenance_redact_member(const char *name, const char *value, const char *host)
{
	const char *dot = strrchr(name, '.');
	return is_secret(dot ? dot + 1 : name) ? xstrdup(hidden)
					       : provenance_redact_text(value, host);
}

static bool is_among(char **const *name, size_t n, const char *text)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(*name[i], text))
			return true;
	return false;
}

void provenance_redact_names(char **const *name, size_t n, const char *host)
{
	for (size_t i = 0; i < n; i++) {
		char *plain = provenance_redact_text(*name[i], host), *unique = xstrdup(plain);
		const bool changed = strcmp(plain, *name[i]) != 0;
		for (size_t k = 2; changed && is_among(name, i, unique); k++) {
			free(unique);
			unique = xasprintf("%s (%zu)", plain, k);
		}
		FREE_EACH(plain, *name[i]);
		*name[i] = unique;
	}
}

static json_t *text_redacted(const char *s, const char *host)
{
	SCOPED_FREE char *text = provenance_redact_text(s, host);
	return text_to_json(text);
}

static void value_redact(json_t *v, const char *host);

static void object_redact(json_t *o, const char *host)
{
	const char *key;
	json_t *v;
	void *next;
	json_object_foreach_safe(o, next, key, v)
	{
		if (is_secret(key) && !json_is_null(v))
			json_object_set_new(o, key, json_string(hidden));
		else if (json_is_string(v) && path_length(json_string_value(v), 0) &&
			 strcmp(key, "command"))
			json_object_set_new(o, key, json_string(hidden)); /* only a path */
		else if (json_is_string(v))
			json_object_set_new(o, key, text_redacted(json_string_value(v), host));
		else
			value_redact(v, host);
	}
}

static void value_redact(json_t *v, const char *host)
{
	if (json_is_object(v))
		object_redact(v, host);
	for (size_t i = 0; json_is_array(v) && i < json_array_size(v); i++) {
		json_t *item = json_array_get(v, i);
		if (json_is_string(item))
			json_array_set_new(v, i, text_redacted(json_string_value(item), host));
		else
			value_redact(item, host);
	}
}

void provenance_redact(json_t *environment)
{
	const char *name = json_string_value(json_object_get(environment, "host"));
	SCOPED_FREE char *host = name ? xstrdup(name) : NULL;
	value_redact(environment, host);
}
