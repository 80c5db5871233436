/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reports/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files.h"
#include "common/xalloc.h"

/* Starts writing to the disk and does not wait. The caller syncs later. */
static void begin_to_sync(int fd)
{
	(void)sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
}

int output_file(const char *dir, const char *name, const struct strbuf *text, struct err *e)
{
	char *path = xasprintf("%s/%s", dir, name);
	int ret = 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	if (fd < 0) {
		ret = err_sys(e, errno, "cannot create %s", path);
		goto out;
	}
	ret = write_all(fd, text->s, text->len);
	if (ret)
		ret = err_sys(e, -ret, "cannot write %s", path);
	begin_to_sync(fd);
	if (close(fd) < 0 && !ret)
		ret = err_sys(e, errno, "cannot close %s", path);
	if (ret)
		unlink(path); /* no part of a file is left under its name */
out:
	free(path);
	return ret;
}

int output_table(const char *dir, const struct table *t, const char *suffix,
		 void (*add)(struct strbuf *out, const struct table *t), struct err *e)
{
	struct strbuf text = STRBUF_INIT;
	char *name = xasprintf("tables/%s.%s", t->name, suffix);
	add(&text, t);
	int ret = output_file(dir, name, &text, e);
	free(name);
	strbuf_release(&text);
	return ret;
}

int output_dir(const char *dir, const char *name, struct err *e)
{
	char *path = xasprintf("%s/%s", dir, name);
	int ret = dir_create(path, e);
	free(path);
	return ret;
}

int output_stream(FILE *out, const struct strbuf *text, struct err *e)
{
	errno = 0;
	if (fwrite(text->s, 1, text->len, out) != text->len || fflush(out))
		return err_sys(e, errno ? errno : EIO, "cannot write the report");
	return 0;
}

int output_file_by(const char *dir, const char *name, void (*add)(FILE *out, const void *what),
		   const void *what, struct err *e)
{
	char *path = xasprintf("%s/%s", dir, name);
	int ret = 0;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out) {
		ret = err_sys(e, errno, "cannot create %s", path);
		if (fd >= 0)
			close(fd);
		goto out;
	}
	errno = 0;
	add(out, what);
	if (fflush(out) || ferror(out))
		ret = err_sys(e, errno ? errno : EIO, "cannot write %s", path);
	begin_to_sync(fd);
	if (fclose(out) && !ret)
		ret = err_sys(e, errno, "cannot close %s", path);
	if (ret)
		unlink(path); /* no part of a file is left under its name */
out:
	free(path);
	return ret;
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
