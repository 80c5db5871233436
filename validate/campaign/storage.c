/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/storage.h"

#include <sys/statvfs.h>

#include <libmount/libmount.h>

#include "common/device_queue.h"
#include "common/files.h"
#include "common/leftovers.h"
#include "common/text.h"
#include "validate/provenance/provenance.h"

/* --- storage of a directory ---------------------------------------------- */

/* Describes the mount of `path`. */
static void mount_find(struct storage *s)
{
	struct libmnt_table *table = mnt_new_table_from_file("/proc/self/mountinfo");
	struct libmnt_fs *fs =
	    table ? mnt_table_find_mountpoint(table, s->path, MNT_ITER_BACKWARD) : NULL;
	const char *source = fs ? mnt_fs_get_source(fs) : NULL;
	if (fs) {
		snprintf(s->file_system, sizeof s->file_system, "%s", mnt_fs_get_fstype(fs));
		snprintf(s->source, sizeof s->source, "%s", source ? source : "none");
		snprintf(s->options, sizeof s->options, "%s;%s", mnt_fs_get_vfs_options(fs),
			 mnt_fs_get_fs_options(fs));
	}
	mnt_unref_table(table);
}

int storage_look(struct storage *s, const char *dir, struct err *e)
{
	struct stat st;
	struct statvfs v;
	*s = (struct storage){.file_system = "unknown"};
	char *real = realpath(dir, NULL);
	if (!real || stat(real, &st) < 0 || statvfs(real, &v) < 0) {
		int ret = err_sys(e, errno, "cannot examine %s", dir);
		free(real);
		return ret;
	}
	snprintf(s->path, sizeof s->path, "%s", real);
	free(real);
	mount_find(s);
	s->device = st.st_dev;
	s->free_bytes = (uint64_t)(geteuid() ? v.f_bavail : v.f_bfree) * v.f_frsize;
	s->in_memory = !strcmp(s->file_system, "tmpfs") || !strcmp(s->file_system, "ramfs") ||
		       !strcmp(s->file_system, "devtmpfs");
	s->queue_dir = device_queue_parent(st.st_dev);
	return 0;
}

void storage_release(struct storage *s)
{
	free(s->queue_dir);
	s->queue_dir = NULL;
}

json_t *storage_to_json(const struct storage *s)
{
	json_t *device = s->queue_dir ? provenance_device(s->queue_dir) : json_null();
	return json_pack("{s:o, s:o, s:o, s:o, s:I, s:o}", "dir", text_to_json(s->path),
			 "file_system", text_to_json(s->file_system), "source",
			 text_to_json(s->source), "mount_options", text_to_json(s->options),
			 "free_bytes", (json_int_t)s->free_bytes, "device", device);
}

/* --- scratch ------------------------------------------------------------- */

static bool is_apart(dev_t device, const dev_t *targets, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (targets[i] == device)
			return false;
	return true;
}

/* Accepts the path of an earlier session only if it is a real directory that no other user can
 * enter. */
static bool is_own(const struct stat *st)
{
	return S_ISDIR(st->st_mode) && st->st_uid == geteuid() && !(st->st_mode & 077);
}

static bool is_ours(const char *dir)
{
	struct stat st;
	return lstat(dir, &st) == 0 && is_own(&st);
}

static bool earlier_find(struct scratch *s, const char *parent, const char *name)
{
	if (!parent)
		return false;
	s->dir = xasprintf("%s/%s", parent, name);
	if (is_ours(s->dir))
		return true;
	free(s->dir);
	s->dir = NULL;
	return false;
}

static int dir_make(struct scratch *s, const char *parent, const char *name, struct err *e)
{
	s->dir = xasprintf("%s/%s", parent, name);
	if (mkdir(s->dir, 0700) == 0)
		return 0;
	int ret = err_sys(e, errno, "cannot create a scratch directory in %s", parent);
	free(s->dir);
	s->dir = NULL;
	return ret;
}

bool dir_lock(int fd)
{
	return file_lock(fd) == 0 || errno != EWOULDBLOCK;
}

int dir_in_use(const char *path, struct err *e)
{
	return err_set(e, EBUSY,
		       "%s is in use by another campaign. Both campaigns use it, because the "
		       "results directory of one is a copy of the results directory of the "
		       "other. Wait until the other campaign ends",
		       path);
}

#define N_PLACES 6

static void places_list(const char *place[N_PLACES], const char *wanted, const char *fallback)
{
	const char *const all[N_PLACES] = {wanted, "/dev/shm", getenv("TMPDIR"),
					   "/tmp", "/var/tmp", fallback};
	memcpy(place, all, sizeof all);
}

/* Finds a place on a device that no target uses, with need_bytes free. NULL: none; otherwise `s`
 * describes it. */
static const char *place_apart(struct storage *s, const dev_t *targets, size_t n_targets,
			       uint64_t need_bytes)
{
	const char *place[N_PLACES];
	places_list(place, NULL, NULL);
	for (int i = 0; i < N_PLACES; i++) {
		if (!place[i] || place[i][0] != '/' || storage_look(s, place[i], NULL) < 0)
			continue;
		if (is_apart(s->device, targets, n_targets) && s->free_bytes >= need_bytes &&
		    access(place[i], W_OK | X_OK) == 0)
			return place[i];
		storage_release(s);
	}
	return NULL;
}

int scratch_choose(struct storage *s, bool *apart, const dev_t *targets, size_t n_targets,
		   const char *fallback, struct err *e)
{
	*apart = place_apart(s, targets, n_targets, 0) != NULL;
	if (*apart)
		return 0;
	if (access(fallback, W_OK | X_OK) < 0)
		return err_sys(e, errno, "cannot create a scratch directory in %s", fallback);
	int ret = storage_look(s, fallback, e);
	*apart = !ret && is_apart(s->device, targets, n_targets);
	return ret;
}

#define RESULTS_LINK "results"

int scratch_link(const struct scratch *s, const char *results, struct err *e)
{
	SCOPED_FREE char *link = xasprintf("%s/" RESULTS_LINK, s->dir);
	int ret = 0;
	/* the link of an earlier session: the results directory may have been moved since */
	(void)unlink(link);
	if (symlink(results, link) < 0)
		ret = err_sys(e, errno, "cannot create the symbolic link %s", link);
	return ret;
}

/* Whether no campaign can be resumed with this scratch directory. */
static bool is_orphan(const char *dir)
{
	SCOPED_FREE char *link = xasprintf("%s/" RESULTS_LINK, dir),
			 *path = xasprintf("%s/journal", link);
	const char *token = strrchr(dir, '-') + 1;
	struct stat st;
	SCOPED_FREE char *line = NULL;
	size_t cap = 0;
	const bool linked = lstat(link, &st) == 0;
	const int fd = linked ? file_open_regular(path, O_RDONLY, NULL) : -EINVAL;
	bool orphan = fd == -ENOENT || fd == -ENOTDIR;
	FILE *in = fd >= 0 ? fdopen(fd, "r") : NULL;
	if (in) {
		bool found = false;
		while (!found && getline(&line, &cap, in) > 0)
			found = strstr(line, token);
		orphan = !found && !ferror(in);
		fclose(in);
	}
	return orphan;
}

void scratch_sweep(const char *wanted, const char *pattern)
{
	const char *place[N_PLACES];
	places_list(place, wanted, NULL);
	for (int i = 0; i < N_PLACES; i++) {
		SCOPED_FREE char *path = place[i] ? xasprintf("%s/%s", place[i], pattern) : NULL;
		if (path)
			leftover_sweep(path, is_orphan);
	}
}

int scratch_check_free(const char *wanted, const char *name, const char *fallback, struct err *e)
{
	const char *place[N_PLACES];
	struct scratch s = {.lock = -1};
	int ret = 0;
	places_list(place, wanted, fallback);
	for (int i = 0; i < N_PLACES && !ret; i++) {
		if (!earlier_find(&s, place[i], name))
			continue;
		int fd = open(s.dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		ret = fd >= 0 && !dir_lock(fd) ? dir_in_use(s.dir, e) : 0;
		fd_close(fd);
		free(s.dir);
	}
	return ret;
}

static int scratch_lock(struct scratch *s, struct err *e)
{
	s->lock = open(s->dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->lock < 0)
		return err_sys(e, errno, "cannot open the scratch directory %s", s->dir);
	if (dir_lock(s->lock))
		return 0;
	return dir_in_use(s->dir, e);
}

int scratch_make(struct scratch *s, const char *wanted, const char *name, const dev_t *targets,
		 size_t n_targets, const char *fallback, uint64_t need_bytes, struct err *e)
{
	const char *place[N_PLACES], *apart = NULL;
	places_list(place, wanted, fallback);
	*s = (struct scratch){.lock = -1};
	for (size_t i = 0; i < N_PLACES && !s->taken_over; i++)
		s->taken_over = earlier_find(s, place[i], name);
	if (!s->dir && !wanted)
		apart = place_apart(&s->storage, targets, n_targets, need_bytes);
	if (apart && dir_make(s, apart, name, NULL) == 0) {
		s->apart = true;
		return scratch_lock(s, e);
	}
	storage_release(&s->storage);
	int ret = s->dir ? 0 : dir_make(s, wanted ? wanted : fallback, name, e);
	ret = ret ? ret : scratch_lock(s, e);
	ret = ret ? ret : storage_look(&s->storage, s->dir, e);
	if (ret) {
		/* the directory may belong to others */
		scratch_release(s);
		return ret;
	}
	s->apart = is_apart(s->storage.device, targets, n_targets);
	if (s->storage.free_bytes >= need_bytes || s->taken_over)
		return 0;
	ret = err_set(e, ENOSPC, "the scratch directory %s has %llu MiB free, and the traces need "
		"%llu MiB: name another with scratch = DIR", s->dir,
		(unsigned long long)(s->storage.free_bytes >> 20),
		(unsigned long long)(need_bytes >> 20));
	scratch_remove(s, NULL);
	scratch_release(s);
	return ret;
}

int scratch_check(const struct scratch *s, bool *made, struct err *e)
{
	struct stat st;
	*made = false;
	if (lstat(s->dir, &st) == 0)
		return is_own(&st) ? 0
				   : err_set(e, ESTALE,
					     "the scratch directory %s was replaced, or its "
					     "owner or mode (0700) was changed", s->dir);
	if (errno != ENOENT && errno != ENOTDIR)
		return err_sys(e, errno, "cannot examine the scratch directory %s", s->dir);
	if (mkdir(s->dir, 0700) < 0)
		return err_sys(e, errno,
			"the scratch directory %s was removed and cannot be created again", s->dir);
	*made = true;
	return 0;
}

int scratch_remove(struct scratch *s, struct err *e)
{
	return s->dir && path_exists(s->dir) ? dir_remove_tree(s->dir, e) : 0;
}

void scratch_release(struct scratch *s)
{
	storage_release(&s->storage);
	if (s->dir && s->lock >= 0)
		close(s->lock);
	free(s->dir);
	*s = (struct scratch){.lock = -1};
}
