/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens the files of a run for its threads, and checks that they are as a script expects. */

#include "capture/fileset/fileset.h"
#include "common/confine.h"
#include "common/units.h"
#include "microbench/run/run.h"

static int file_fits(const struct bench_run *r, const struct fileset_entry *f, int fd,
		     struct err *e)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return err_sys(e, errno, "cannot examine %s/%s", r->config->dir, f->path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, EPERM, "%s/%s is not a regular file", r->config->dir, f->path);
	if ((uint64_t)st.st_size >= f->size)
		return 0;
	return err_set(e, EINVAL, "%s/%s has %s, but the run needs %s: restore it with --prepare",
		       r->config->dir, f->path, size_text((uint64_t)st.st_size).s,
		       size_text(f->size).s);
}

int bench_file_open(struct bench_run *r, struct worker *w, struct err *e)
{
	const struct microbench_config *c = r->config;
	const struct fileset_entry *f = &r->files.entry[w->bench.index];
	w->open_flags = (!r->workload->writes ? O_RDONLY
			 : r->workload->reads ? O_RDWR
					      : O_WRONLY) |
			(c->direct ? O_DIRECT : 0) | (c->sync ? O_SYNC : 0);
	int fd = confined_open(r->dir_fd, f->path, w->open_flags, 0, e);
	if (fd == -EINVAL && c->direct)
		return err_set(e, EINVAL, "%s/%s: this file system does not support direct I/O: "
			       "omit direct, or choose another directory",
			       c->dir, f->path);
	if (fd < 0)
		return err_context(e, "%s", c->dir);
	w->bench.fd = fd;
	return file_fits(r, f, fd, e);
}

/* --- files of a script -------------------------------------------------- */

/* Whether a script makes files of such a name: a number with a prefix or a suffix. */
static bool is_own_name(const char *name)
{
	static const char *const before[] = {"", "s", "obj", "inc"}, *const behind[] = {"", ".o",
											".o.new",
											".c", ".h"};
	static const char digits[] = "0123456789";
	const char *number = strpbrk(name, digits);
	size_t n_before = number ? (size_t)(number - name) : 0, i, k;
	if (!number)
		return !strcmp(name, "src") || !strcmp(name, "copy");
	for (i = 0; i < 4 && (strlen(before[i]) != n_before || memcmp(before[i], name, n_before));
	     i++)
		;
	for (k = 0; k < 5 && strcmp(behind[k], number + strspn(number, digits)); k++)
		;
	return i < 4 && k < 5;
}

int microbench_clear(const struct workload *w, const struct fileset *s, int dir_fd, struct err *e)
{
	return w->script ? fileset_clear(s, dir_fd, w->script->top, is_own_name, false, e) : 0;
}

static int entry_check(const struct bench_run *r, const struct fileset_entry *f, struct err *e)
{
	struct stat st;
	int fd = confined_open(r->dir_fd, f->path, O_PATH, 0, e);
	if (fd < 0)
		return fd;
	int ret = fstat(fd, &st) ? err_sys(e, errno, "cannot examine %s", f->path) : 0;
	close(fd);
	if (ret)
		return ret;
	if (f->directory ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
		return err_set(e, EPERM, "%s is not a %s", f->path,
			       f->directory ? "directory" : "regular file");
	if (!f->directory && (uint64_t)st.st_size != f->size)
		return err_set(e, EINVAL,
			       "%s has %lld bytes instead of %llu: restore it with --prepare",
			       f->path, (long long)st.st_size, (unsigned long long)f->size);
	return 0;
}

int bench_files_check(const struct bench_run *r, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; i < r->files.n && !ret; i++)
		ret = entry_check(r, &r->files.entry[i], e);
	if (!ret)
		ret = fileset_clear(&r->files, r->dir_fd, r->workload->script->top, is_own_name,
				    true, e);
	return ret ? err_context(e, "%s", r->config->dir) : 0;
}
