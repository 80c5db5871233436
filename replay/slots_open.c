/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of slots.h that touches the file system. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/xalloc.h"
#include "replay/rooted.h"
#include "replay/slots.h"

#define SPARE_DESCRIPTORS 64 /* of the program itself */

/* --- the files before the first request --------------------------------------------------------------------------- */

static int name_check(const char *name, struct err *e)
{
	for (const char *p = name; p; p = strchr(p, '/')) {
		p += *p == '/';
		if (p[0] == '.' && p[1] == '.' && (p[2] == '/' || !p[2]))
			return err_set(e, EINVAL, "%s: a path with \"..\" cannot be prepared", name);
	}
	return 0;
}

int slots_files(const struct slots *s, struct fileset *f, struct err *e)
{
	*f = (struct fileset){.entry = xcalloc(2 * (size_t)s->n_files + 1, sizeof *f->entry)};
	for (uint32_t i = 0; i < s->n_files; i++) {
		const struct slot_file *file = &s->file[i];
		int ret = file->touched ? name_check(file->name, e) : 0;
		if (ret) {
			slots_files_release(f);
			return ret;
		}
		const char *slash = strrchr(file->name, '/');
		if (!file->touched || !strcmp(file->name, "."))
			continue;
		if (slash) { /* also for a file that the trace itself makes */
			char *parent = xstrdup(file->name);
			parent[slash - file->name] = '\0';
			f->entry[f->n++] = (struct fileset_entry){.path = parent, .directory = true};
		}
		if (file->needed)
			f->entry[f->n++] = (struct fileset_entry){.path = xstrdup(file->name), .size = file->size};
	}
	return 0;
}

void slots_files_release(struct fileset *f)
{
	for (size_t i = 0; i < f->n; i++)
		free((char *)(uintptr_t)f->entry[i].path);
	free(f->entry);
	*f = (struct fileset){.entry = NULL};
}

/* --- opening ------------------------------------------------------------------------------------------------------ */

static int limit_raise(uint64_t n_wanted, struct err *e)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return err_sys(e, errno, "cannot read the limit of open files");
	if (r.rlim_cur >= n_wanted)
		return 0;
	if (r.rlim_max < n_wanted)
		r.rlim_cur = r.rlim_max;
	else
		r.rlim_cur = n_wanted;
	if (setrlimit(RLIMIT_NOFILE, &r) < 0)
		return err_sys(e, errno, "cannot raise the limit of open files to %llu", (unsigned long long)r.rlim_cur);
	return 0;
}

static int slot_open(const struct slots *s, const struct slot *b, int dir_fd, int *fd, struct err *e)
{
	const uint32_t never = O_CREAT | O_EXCL | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
	const char *name = s->file[b->file].name;
	int kind = rooted_kind(dir_fd, name, e);
	if (kind < 0)
		return kind;
	*fd = rooted_open(dir_fd, name, rooted_flags(b->flags & ~never), 0);
	if (*fd < 0 && errno == ENOENT)
		return err_set(e, ENOENT, "%s: not there; --prepare makes the files that a trace needs", name);
	if (*fd < 0 && errno == EINVAL && b->flags & O_DIRECT)
		return err_set(e, EINVAL, "%s: this file system has no direct I/O, which the trace uses", name);
	if (*fd < 0)
		return err_sys(e, errno, "%s: cannot be opened", name);
	if (b->position && lseek(*fd, (off_t)b->position, SEEK_SET) < 0)
		return err_sys(e, errno, "%s: cannot be positioned at %llu", name, (unsigned long long)b->position);
	return 0;
}

int slots_open(const struct slots *s, int dir_fd, int *fds, struct err *e)
{
	for (uint32_t i = 0; i < s->n; i++)
		fds[i] = -1;
	int ret = limit_raise(s->n + SPARE_DESCRIPTORS, e);
	for (uint32_t i = 0; !ret && i < s->n_files; i++) {
		int kind = s->file[i].opened ? rooted_kind(dir_fd, s->file[i].name, e) : 0;
		ret = kind < 0 ? kind : 0;
	}
	for (uint32_t i = 0; !ret && i < s->n; i++)
		if (s->slot[i].at_setup)
			ret = slot_open(s, &s->slot[i], dir_fd, &fds[i], e);
	if (ret)
		slots_close(s, fds);
	return ret;
}

void slots_close(const struct slots *s, int *fds)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (fds[i] >= 0) {
			close(fds[i]);
			fds[i] = -1;
		}
}
