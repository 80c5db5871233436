/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of slots.h that access the file system. */
#include <sys/resource.h>

#include "replay/load/initial.h"

#define SPARE_DESCRIPTORS 64 /* of the program itself */
#define EXECUTABLE 0755u

/* --- the files before the first request ---------------------------------- */

void slots_files(const struct slots *s, struct fileset *f)
{
	const struct initial *initial = s->initial;
	uint32_t n = initial ? initial->n : 0, n_shown = 0;
	*f = (struct fileset){
		.entry = xcalloc((size_t)n + 1, sizeof *f->entry),
		.detail = xcalloc((size_t)n + 1, sizeof *f->detail),
	};
	for (uint32_t i = 0; i < n; i++) {
		const struct initial_entry *from = &initial->entry[i];
		if (from->listed)
			continue;
		f->entry[n_shown] = (struct fileset_entry){xstrdup(from->path), from->size,
							   from->kind == INITIAL_DIRECTORY};
		if (from->kind == INITIAL_FILE && from->executable)
			f->detail[n_shown].mode = EXECUTABLE;
		if (from->link)
			f->detail[n_shown].link = xstrdup(from->link);
		n_shown++;
	}
	f->n = n_shown;
}

void slots_files_release(struct fileset *f)
{
	for (size_t i = 0; i < f->n; i++)
		free((char *)(uintptr_t)f->entry[i].path);
	for (size_t i = 0; f->detail && i < f->n; i++)
		free((char *)(uintptr_t)f->detail[i].link);
	FREE_EACH(f->entry, f->detail);
	*f = (struct fileset){.entry = NULL};
}

/* --- opening ------------------------------------------------------------- */

int descriptors_allow(uint64_t n_wanted, uint64_t n_needed, uint64_t n_of_trace, struct err *e)
{
	struct rlimit r;
	if (getrlimit(RLIMIT_NOFILE, &r) < 0)
		return err_sys(e, errno, "cannot read the limit of open files");
	if (r.rlim_max < n_needed)
		return err_set(e, EMFILE, "the replay needs %llu descriptors (the trace has %llu "
			"open at one time), but only %llu are permitted: raise the limit (ulimit "
			"-n %llu)", (unsigned long long)n_needed, (unsigned long long)n_of_trace,
			(unsigned long long)r.rlim_max, (unsigned long long)n_needed);
	if (r.rlim_cur >= n_wanted)
		return 0;
	r.rlim_cur = r.rlim_max < n_wanted ? r.rlim_max : n_wanted;
	if (setrlimit(RLIMIT_NOFILE, &r) < 0)
		return err_sys(e, errno, "cannot raise the limit of open files to %llu",
			       (unsigned long long)r.rlim_cur);
	return 0;
}

int descriptor_open(const struct rooted *root, const char *name, const struct slot *b, int *fd,
		    struct err *e)
{
	const uint32_t never = O_CREAT | O_EXCL | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
	*fd = rooted_open(root, name, rooted_flags(b->flags & ~never), 0);
	if (*fd < 0 && errno == ENOENT)
		return err_set(e, ENOENT,
			       "%s: missing; --prepare creates the files of a trace", name);
	/* the open has cached its name */
	if (*fd < 0 && errno == EPERM && rooted_kind(root, name, e) == -EPERM)
		return -EPERM;
	if (*fd < 0 && errno == EINVAL && b->flags & O_DIRECT)
		return err_set(
		    e, EINVAL,
		    "%s: the trace uses direct I/O, which this file system does not support", name);
	if (*fd < 0)
		return err_sys(e, errno, "cannot open %s", name);
	if (b->position && lseek(*fd, (off_t)b->position, SEEK_SET) < 0)
		return err_sys(e, errno, "%s: cannot seek to %llu", name,
			       (unsigned long long)b->position);
	return 0;
}

/* Copies the descriptor to the slots that inherit it. */
static int heirs_open(const struct slots *s, uint32_t slot, int *fds, struct err *e)
{
	for (uint32_t heir = s->slot[slot].heir; heir; heir = s->slot[heir].next_heir) {
		fds[heir] = fcntl(fds[slot], F_DUPFD_CLOEXEC, 3);
		if (fds[heir] < 0)
			return err_sys(e, errno, "%s: cannot duplicate its descriptor",
				       s->file[s->slot[slot].file].name);
	}
	return 0;
}

int slots_allow(const struct slots *s, uint32_t n_more, struct err *e)
{
	/* each locked slot needs a second open file (calls_lock.c) */
	const uint32_t n_locks = s->n_locked < s->n_open_max ? s->n_locked : s->n_open_max;
	return descriptors_allow((uint64_t)s->n + n_locks + n_more + SPARE_DESCRIPTORS,
		(uint64_t)s->n_open_max + n_locks + n_more + SPARE_DESCRIPTORS, s->n_open_max, e);
}

int slots_open(const struct slots *s, const struct rooted *root, uint32_t n_more, int *fds,
	       struct err *e)
{
	for (uint32_t i = 0; i < s->n; i++)
		fds[i] = -1;
	int ret = slots_allow(s, n_more, e);
	for (uint32_t i = 0; !ret && i < s->n_files; i++) {
		int kind = s->file[i].opened && !s->file[i].passed
			       ? rooted_kind(root, s->file[i].name, e)
			       : 0;
		ret = kind < 0 ? kind : 0;
	}
	for (uint32_t i = 1; !ret && i < s->n; i++)
		if (s->slot[i].at_setup && !s->slot[i].passed)
			ret = descriptor_open(root, s->file[s->slot[i].file].name, &s->slot[i],
					      &fds[i], e);
	for (uint32_t i = 1; !ret && i < s->n; i++)
		if (fds[i] >= 0 && !s->slot[i].inherited)
			ret = heirs_open(s, i, fds, e);
	for (uint32_t i = 0; ret && i < s->n; i++)
		if (fds[i] >= 0) {
			close(fds[i]);
			fds[i] = -1;
		}
	return ret;
}

