/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/results/seal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/strbuf.h"
#include "common/xalloc.h"

#define MOST_NAMED 3
/* No file of a campaign is larger. A sparse file of a stranger would be read for hours. */
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

void seal_record_take(struct seal_record *s, const json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "event"));
	json_t *files = json_object_get(event, "files");
	if (!strcmp(name, "environment")) {
		const char *digest = json_string_value(json_object_get(event, "sha256"));
		memcpy(s->environment[1], s->environment[0], FILE_DIGEST_HEX);
		snprintf(s->environment[0], FILE_DIGEST_HEX, "%s", digest ? digest : "");
	} else if ((!strcmp(name, "start") || !strcmp(name, "resume")) && json_is_object(files)) {
		json_decref(s->files);
		s->files = json_incref(files);
	}
}

void seal_record_release(struct seal_record *s)
{
	json_decref(s->files);
	*s = (struct seal_record){0};
}

static bool file_is(const char *dir, const char *name, const char *digest, bool *there)
{
	char hex[FILE_DIGEST_HEX] = "", *path = xasprintf("%s/%s", dir, name);
	struct stat st;
	*there = lstat(path, &st) == 0;
	const bool same = *there && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX_BYTES &&
			  file_digest(path, hex) && !strcmp(hex, digest);
	free(path);
	return same;
}

static void change_note(struct seal *s, const char *name, bool there)
{
	if (there)
		seal_break(s, "%s was changed after the campaign wrote it", name);
	else
		seal_break(s, "%s was removed after the campaign wrote it", name);
}

void seal_check_file(struct seal *s, const char *dir, const char *name, const char *digest)
{
	bool there;
	if (!file_is(dir, name, digest, &there))
		change_note(s, name, there);
}

void seal_check_record(struct seal *s, const char *dir, const struct seal_record *r)
{
	const char *name;
	json_t *digest;
	bool there;
	json_object_foreach(r->files, name, digest)
		if (json_is_string(digest) && !strstr(name, "..")) /* the journal may be a stranger's */
			seal_check_file(s, dir, name, json_string_value(digest));
	if (r->environment[0][0] && !file_is(dir, "environment.json", r->environment[0], &there) &&
	    !(r->environment[1][0] && file_is(dir, "environment.json", r->environment[1], &there)))
		change_note(s, "environment.json", there);
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
