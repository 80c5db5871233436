/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/seal.h"

#define MOST_NAMED 3
/* No file of a campaign is larger. Reading an untrusted sparse file could take hours. */
#define FILE_MAX_BYTES (64 << 20)

void seal_break(struct seal *s, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;
	s->state = SEAL_BROKEN;
	if (s->n_changes++ >= MOST_NAMED)
		return;
	if (s->changes)
		strbuf_addf(&text, "%s; ", s->changes);
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	free(s->changes);
	s->changes = strbuf_detach(&text);
}

void seal_check_chain(struct seal *s, const struct journal_reading *r)
{
	if (r->first_unlinked)
		seal_break(s, "line %llu of the journal does not have the checksum of the "
			"line before it: lines were changed, added or removed",
			(unsigned long long)r->first_unlinked);
}

void seal_record_take(struct seal_record *s, const json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "event"));
	json_t *files = json_object_get(event, "files");
	s->ended = !strcmp(name, "end") || !strcmp(name, "interrupted");
	if (!strcmp(name, "environment")) {
		const char *digest = json_string_value(json_object_get(event, "sha256"));
		memcpy(s->environment[1], s->environment[0], FILE_DIGEST_HEX);
		snprintf(s->environment[0], FILE_DIGEST_HEX, "%s", digest ? digest : "");
	} else if ((!strcmp(name, "start") || !strcmp(name, "resume")) && json_is_object(files)) {
		json_decref(s->files);
		s->files = json_incref(files);
		s->late |= json_is_true(json_object_get(event, "late"));
	}
}

void seal_record_release(struct seal_record *s)
{
	json_decref(s->files);
	*s = (struct seal_record){0};
}

/* Compares a file with two digests; `other` may be "". *change: NULL, or the kind of change.
 * Errors: the file could not be read, so nothing is known about it. */
static int file_compare(const char *dir, const char *name, const char *digest, const char *other,
			const char **change, struct err *e)
{
	char hex[FILE_DIGEST_HEX] = "", *path = xasprintf("%s/%s", dir, name);
	struct stat st = {0};
	int ret = 0;
	*change = NULL;
	if (lstat(path, &st) < 0 && errno != ENOENT && errno != ENOTDIR)
		ret = err_sys(e, errno, "cannot examine %s", path);
	else if (!st.st_mode)
		*change = "removed";
	else if (S_ISREG(st.st_mode) && st.st_size <= FILE_MAX_BYTES)
		ret = file_digest(path, hex, e);
	if (!ret && !*change && (!*hex || (strcmp(hex, digest) && strcmp(hex, other))))
		*change = "changed";
	free(path);
	return ret;
}

int seal_check_file(struct seal *s, const char *dir, const char *name, const char *digest,
		    struct err *e)
{
	const char *change;
	int ret = file_compare(dir, name, digest, "", &change, e);
	if (!ret && change)
		seal_break(s, "%s was %s after the campaign wrote it", name, change);
	return ret;
}

static int environment_check(struct seal *s, const char *dir, const struct seal_record *r,
			     struct err *e)
{
	static const char name[] = "environment.json";
	const char *change;
	int ret = file_compare(dir, name, r->environment[0], r->environment[1], &change, e);
	if (!ret && change && r->ended)
		seal_break(s, "%s was %s after the campaign wrote it", name, change);
	else if (!ret && change)
		seal_break(s, "the journal was cut after line %llu, or %s was %s after the "
			"campaign wrote it", (unsigned long long)r->n_lines, name, change);
	return ret;
}

int seal_check_record(struct seal *s, const char *dir, const struct seal_record *r, struct err *e)
{
	const char *name;
	json_t *digest;
	int ret = 0;
	json_object_foreach(r->files, name, digest)
		/* refuse "..", which would lead out of the results: the journal is untrusted */
		if (!ret && json_is_string(digest) && !strstr(name, ".."))
			ret = seal_check_file(s, dir, name, json_string_value(digest), e);
	return ret || !r->environment[0][0] ? ret : environment_check(s, dir, r, e);
}

int seal_require(const struct seal *s, const char *dir, struct err *e)
{
	if (s->state != SEAL_BROKEN)
		return 0;
	return err_set(e, EBADMSG,
		       "%s: %s%s. No verdict is given on results that were changed: put the "
		       "original files back, or run the campaign again",
		       dir, s->changes, s->n_changes > MOST_NAMED ? "; and more" : "");
}

void seal_release(struct seal *s)
{
	free(s->changes);
	*s = (struct seal){0};
}
