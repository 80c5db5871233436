/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/provenance/read.h"

#include <dirent.h>

#include "common/files.h"
#include "common/text.h"

static json_t *number_of(const char *text)
{
	char *end;
	errno = 0;
	long long n = strtoll(text, &end, 10);
	return errno || end == text || *end ? text_to_json(text) : json_integer(n);
}

static json_t *chosen_of(const char *text)
{
	const char *from = strpbrk(text, "[(");
	const char *to = from ? strpbrk(from, "])") : NULL;
	if (!to)
		return text_to_json(text);
	SCOPED_FREE char *chosen = xasprintf("%.*s", (int)(to - from - 1), from + 1);
	return text_to_json(chosen);
}

static json_t *switch_of(const char *text)
{
	static const char *const off[] = {"0", "off", "N", "n", NULL}, *const on[] = {"1", "on",
										      "Y", "y",
										      NULL};
	for (size_t i = 0; off[i]; i++) {
		if (!strcmp(text, off[i]))
			return json_false();
		if (!strcmp(text, on[i]))
			return json_true();
	}
	return text_to_json(text);
}

json_t *fact_of_text(const char *text, enum fact_kind kind)
{
	if (!text || !*text)
		return json_null();
	switch (kind) {
	case FACT_NUMBER:
		return number_of(text);
	case FACT_CHOSEN:
		return chosen_of(text);
	case FACT_SWITCH:
		return switch_of(text);
	case FACT_LINE:
		break;
	}
	return text_to_json(text);
}

json_t *fact_read(const char *root, const char *path, enum fact_kind kind)
{
	SCOPED_FREE char *full = xasprintf("%s%s", root, path), *line = file_read_line(full);
	return fact_of_text(line, kind);
}

json_t *fact_keyed(const char *root, const char *path, const char *key)
{
	char *full = xasprintf("%s%s", root, path), *line = NULL;
	size_t cap = 0, len = strlen(key);
	int fd = file_open_regular(full, O_RDONLY, NULL);
	SCOPED_FILE FILE *in = fd >= 0 ? fdopen(fd, "re") : NULL;
	json_t *o = NULL;
	while (in && !o && getline(&line, &cap, in) > 0) {
		char *after = line + len;
		if (strncmp(line, key, len))
			continue;
		after += strspn(after, " \t");
		if (*after != ':')
			continue;
		after += 1 + strspn(after + 1, " \t");
		after[strcspn(after, "\n")] = 0;
		o = fact_of_text(after, FACT_LINE);
	}
	FREE_EACH(line, full);
	return o ? o : json_null();
}

static bool is_numbered(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	return !strncmp(name, prefix, len) && name[len] &&
	       strspn(name + len, "0123456789") == strlen(name + len);
}

void numbered_each(const char *root, const char *path, const char *prefix,
		   void (*each)(const char *path, void *context), void *context)
{
	SCOPED_FREE char *dir = xasprintf("%s%s", root, path);
	SCOPED_FREE struct dirent **entry = NULL;
	const int n = scandir(dir, &entry, NULL, versionsort);
	for (int i = 0; i < n; i++) {
		SCOPED_FREE char *full = xasprintf("%s/%s", dir, entry[i]->d_name);
		if (is_numbered(entry[i]->d_name, prefix))
			each(full, context);
		free(entry[i]);
	}
}
