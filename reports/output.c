/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/output.h"

#include "common/files.h"

int output_file_by(const char *dir, const char *name, void (*add)(FILE *out, const void *what),
		   const void *what, struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s/%s", dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		int ret = err_sys(e, errno, "cannot create %s", path);
		if (fd >= 0) {
			close(fd);
			unlink(path);
		}
		return ret;
	}
	errno = 0;
	add(out, what);
	int ret = fflush(out) || ferror(out)
		      ? err_sys(e, errno ? errno : EIO, "cannot write %s", path)
		      : 0;
	/* starts writing to the disk without waiting; the caller syncs later */
	(void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	if (fclose(out) && !ret)
		ret = err_sys(e, errno, "cannot close %s", path);
	if (ret)
		unlink(path); /* so no part of a file remains under its name */
	return ret;
}

static void text_put(FILE *out, const void *what)
{
	const struct strbuf *text = what;
	fwrite(text->s, 1, text->len, out);
}

int output_file(const char *dir, const char *name, const struct strbuf *text, struct err *e)
{
	return output_file_by(dir, name, text_put, text, e);
}

int output_table(const char *dir, const struct table *t, const char *suffix,
		 void (*add)(struct strbuf *out, const struct table *t), struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	SCOPED_FREE char *name = xasprintf("tables/%s.%s", t->name, suffix);
	add(&text, t);
	return output_file(dir, name, &text, e);
}

int output_dir(const char *dir, const char *name, struct err *e)
{
	SCOPED_FREE char *path = xasprintf("%s/%s", dir, name);
	return dir_create(path, e);
}

int output_stream_by(FILE *out, void (*add)(FILE *out, const void *what), const void *what,
		     struct err *e)
{
	errno = 0;
	add(out, what);
	if (fflush(out) || ferror(out))
		return err_sys(e, errno ? errno : EIO, "cannot write the report");
	return 0;
}

int output_stream(FILE *out, const struct strbuf *text, struct err *e)
{
	return output_stream_by(out, text_put, text, e);
}

int output_path(const char *path, const struct strbuf *text, struct err *e)
{
	return strcmp(path, "-") ? file_write_atomic(path, text->s, text->len, e)
				 : output_stream(stdout, text, e);
}
