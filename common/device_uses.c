/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds uses of a device: of itself, its partitions, the disk of a partition, and the devices above
 * and below it. */
#include <libmount.h>
#include <sys/sysmacros.h>

#include "common/device.h"
#include "common/files.h"

const struct device_system device_system = {"/sys", "/proc/self/mountinfo", "/proc/swaps", "/dev"};

#define NEAR_MAX 512 /* largest number of related devices */
#define DEPTH_MAX 16 /* largest depth of arrays on arrays */

/* A device related to the target. If it is in use, writing to the target is refused. */
struct near {
	dev_t number;
	char *name; /* "sdb1"; owned */
	const char *role; /* "its partition "; "" for the device itself */
};

struct uses_search {
	const struct device_system *system;
	struct device_uses *uses;
	const char *path;
	/* backing file, if the target is a loop device: to find other loop devices over this
	 * file */
	const char *backing;
	struct stat st;
	struct near near[NEAR_MAX];
	size_t n_near;
};

static void use_add(struct uses_search *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void use_add(struct uses_search *s, const char *fmt, ...)
{
	struct strbuf text = STRBUF_INIT;
	va_list ap;
	va_start(ap, fmt);
	strbuf_vaddf(&text, fmt, ap);
	va_end(ap);
	for (size_t i = 0; i < s->uses->n; i++)
		if (!strcmp(s->uses->text[i], text.s)) {
			strbuf_release(&text);
			return;
		}
	s->uses->text = xrealloc(s->uses->text, (s->uses->n + 1) * sizeof *s->uses->text);
	s->uses->text[s->uses->n++] = strbuf_detach(&text);
}

/* --- related devices ---------------------------------------------------- */

static bool number_of(const char *dir, dev_t *number)
{
	SCOPED_FREE char *file = xasprintf("%s/dev", dir);
	SCOPED_FREE char *text = file_read_line(file);
	unsigned int major, minor;
	bool known = text && sscanf(text, "%u:%u", &major, &minor) == 2;
	if (known)
		*number = makedev(major, minor);
	return known;
}

static const struct near *near_of(const struct uses_search *s, dev_t number)
{
	for (size_t i = 0; i < s->n_near; i++)
		if (s->near[i].number == number)
			return &s->near[i];
	return NULL;
}

static int near_add(struct uses_search *s, const char *dir, const char *role, struct err *e)
{
	dev_t number;
	if (!number_of(dir, &number) || near_of(s, number))
		return 0;
	if (s->n_near == NEAR_MAX)
		return err_set(e, E2BIG, "%s has more than %d partitions and related devices, so "
			       "it cannot be checked: use another device", s->path, NEAR_MAX);
	const char *slash = strrchr(dir, '/');
	s->near[s->n_near++] = (struct near){number, xstrdup(slash ? slash + 1 : dir), role};
	return 0;
}

/* Calls `call` with the path of each entry of `dir`. Skips a missing directory or entry. Errors: of
 * `call`, and of the system, because a device that cannot be checked is not used. */
static int each_entry(struct uses_search *s, const char *dir, int depth,
		      int (*call)(struct uses_search *, const char *, int, struct err *),
		      struct err *e)
{
	SCOPED_DIR DIR *d = opendir(dir);
	if (!d)
		return errno == ENOENT ? 0 : err_sys(e, errno, "cannot open directory %s", dir);
	int ret = 0, code = 0;
	for (struct dirent *entry; !ret && (entry = dir_next(d, &code));) {
		if (entry->d_name[0] == '.')
			continue;
		char *joined = xasprintf("%s/%s", dir, entry->d_name);
		char *path = realpath(joined, NULL);
		if (path)
			ret = call(s, path, depth, e);
		else if (errno != ENOENT)
			ret = err_sys(e, errno, "cannot resolve %s", joined);
		FREE_EACH(path, joined);
	}
	return ret || !code ? ret : err_sys(e, code, "cannot read the directory %s", dir);
}

static int holders_add(struct uses_search *s, const char *dir, int depth, struct err *e);

static int holder_add(struct uses_search *s, const char *dir, int depth, struct err *e)
{
	if (depth > DEPTH_MAX)
		return err_set(e, ELOOP, "more than %d layers of devices lie on %s, so it cannot "
			"be checked: use another device", DEPTH_MAX, s->path);
	size_t n = s->n_near;
	int ret = near_add(s, dir, "its upper device ", e);
	if (!ret && s->n_near > n)
		ret = holders_add(s, dir, depth + 1, e);
	return ret;
}

static int holders_add(struct uses_search *s, const char *dir, int depth, struct err *e)
{
	SCOPED_FREE char *holders = xasprintf("%s/holders", dir);
	return each_entry(s, holders, depth, holder_add, e);
}

static int partition_add(struct uses_search *s, const char *dir, int depth, struct err *e)
{
	SCOPED_FREE char *mark = xasprintf("%s/partition", dir);
	int there = path_is_there(mark, e), ret = there < 0 ? there : 0;
	if (there > 0)
		ret = near_add(s, dir, "its partition ", e);
	if (!ret && there > 0)
		ret = holders_add(s, dir, depth, e);
	return ret;
}

static int parent_add(struct uses_search *s, const char *dir, struct err *e)
{
	char *mark = xasprintf("%s/partition", dir), *parent = xstrdup(dir);
	char *slash = strrchr(parent, '/');
	int there = slash ? path_is_there(mark, e) : 0, ret = there < 0 ? there : 0;
	if (there > 0) {
		*slash = 0;
		ret = near_add(s, parent, "its whole disk ", e);
		ret = ret ? ret : holders_add(s, parent, 0, e);
	}
	FREE_EACH(parent, mark);
	return ret;
}

static char *sys_dir(const struct uses_search *s, dev_t number)
{
	SCOPED_FREE char *link =
	    xasprintf("%s/dev/block/%u:%u", s->system->sys, major(number), minor(number));
	return realpath(link, NULL);
}

static int family_add(struct uses_search *s, dev_t number, const char *role, struct err *e)
{
	SCOPED_FREE char *dir = sys_dir(s, number);
	if (!dir)
		return err_sys(
		    e, errno,
		    "%s: cannot find what uses the device (%s/dev/block/%u:%u)",
		    s->path, s->system->sys, major(number), minor(number));
	int ret = near_add(s, dir, role, e);
	ret = ret ? ret : each_entry(s, dir, 0, partition_add, e);
	ret = ret ? ret : parent_add(s, dir, e);
	return ret ? ret : holders_add(s, dir, 0, e);
}

/* --- loop devices -------------------------------------------------------- */

static char *backing_file(const char *dir)
{
	SCOPED_FREE char *file = xasprintf("%s/loop/backing_file", dir);
	return file_read_line(file);
}

static bool same_file(const struct stat *a, const struct stat *b)
{
	if (S_ISBLK(a->st_mode) && S_ISBLK(b->st_mode))
		return a->st_rdev == b->st_rdev;
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Finds loop devices over the target. */
static int loop_look(struct uses_search *s, const char *dir, int depth, struct err *e)
{
	(void)depth;
	(void)e;
	SCOPED_FREE char *backing = backing_file(dir);
	struct stat st;
	dev_t number;
	const char *name = strrchr(dir, '/') + 1;
	bool known = backing && number_of(dir, &number), there = known && !stat(backing, &st);
	const struct near *near = there && S_ISBLK(st.st_mode) ? near_of(s, st.st_rdev) : NULL;
	/* a deleted file, or a file that a mount hides, is known only by the kernel's name for
	 * it */
	bool same =
	    there ? same_file(&st, &s->st) : known && s->backing && !strcmp(backing, s->backing);
	if (near)
		use_add(s, "%s%s/%s backs the loop device %s/%s", near->role, s->system->dev,
			near->name, s->system->dev, name);
	else if (same && !near_of(s, number))
		use_add(s, "%s backs the loop device %s/%s", s->path, s->system->dev, name);
	return 0;
}

/* Examines the backing of a loop device. If this is a device, the user must name that device
 * instead. If it is a file, other loop devices may be over the same file. */
static int under_loop(struct uses_search *s, struct err *e)
{
	SCOPED_FREE char *dir = sys_dir(s, s->st.st_rdev);
	SCOPED_FREE char *backing = dir ? backing_file(dir) : NULL;
	struct stat st = {.st_mode = 0};
	int ret = 0;
	if (backing && !stat(backing, &st) && S_ISBLK(st.st_mode)) {
		use_add(s, "%s is on the device %s: use that device instead", s->path, backing);
	} else if (backing) {
		struct stat own = s->st;
		SCOPED_FREE char *block = xasprintf("%s/block", s->system->sys);
		const char *path = s->path;
		s->st = st;
		s->path = s->backing = backing;
		ret = each_entry(s, block, 0, loop_look, e);
		s->st = own;
		s->path = path;
		s->backing = NULL;
	}
	if (st.st_mode && !s->uses->under)
		s->uses->under = xstrdup(backing);
	return ret;
}

static void partitions_note(struct uses_search *s)
{
	struct device_uses *u = s->uses;
	for (size_t i = 0; i < s->n_near; i++) {
		if (strcmp(s->near[i].role, "its partition "))
			continue;
		u->partition = xrealloc(u->partition, (u->n_partitions + 1) * sizeof *u->partition);
		char *path = xasprintf("%s/%s", s->system->dev, s->near[i].name);
		for (char *c = path + strlen(s->system->dev); *c; c++)
			*c = *c == '!' ? '/' : *c; /* sysfs writes '!' instead of a slash */
		u->partition[u->n_partitions++] = path;
	}
}

/* --- mounts and swap ----------------------------------------------------- */

/* Finds the device of a line of the mount table by its number, or by its source: a file system over
 * several devices has a number of its own. */
static const struct near *near_of_fs(const struct uses_search *s, struct libmnt_fs *fs)
{
	const struct near *near = near_of(s, mnt_fs_get_devno(fs));
	const char *source = mnt_fs_get_srcpath(fs);
	struct stat st;
	if (!near && source && !stat(source, &st) && S_ISBLK(st.st_mode))
		near = near_of(s, st.st_rdev);
	return near;
}

static int mounts_look(struct uses_search *s, struct err *e)
{
	struct libmnt_table *table = mnt_new_table_from_file(s->system->mountinfo);
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	int ret = table && it
		      ? 0
		      : err_set(e, EIO, "%s: cannot read the mount table", s->system->mountinfo);
	struct libmnt_fs *fs;
	while (!ret && !mnt_table_next_fs(table, it, &fs)) {
		const struct near *near = near_of_fs(s, fs);
		if (near)
			use_add(s, "%s%s/%s is mounted on %s", near->role, s->system->dev,
				near->name, mnt_fs_get_target(fs));
	}
	mnt_free_iter(it);
	mnt_unref_table(table);
	return ret;
}

static int swaps_look(struct uses_search *s, struct err *e)
{
	struct libmnt_table *table = mnt_new_table();
	struct libmnt_iter *it = mnt_new_iter(MNT_ITER_FORWARD);
	int ret = table && it ? 0
			      : err_set(e, ENOMEM, "not enough memory for the table of swap areas");
	const int there = ret ? 0 : path_is_there(s->system->swaps, e);
	ret = there < 0 ? there : ret;
	if (there > 0 && mnt_table_parse_swaps(table, s->system->swaps))
		ret = err_set(e, EIO, "%s: cannot read the table of swap areas", s->system->swaps);
	struct libmnt_fs *fs;
	while (!ret && !mnt_table_next_fs(table, it, &fs)) {
		const char *source = mnt_fs_get_source(fs);
		struct stat st;
		if (!source || stat(source, &st) < 0)
			continue;
		const struct near *near = S_ISBLK(st.st_mode) ? near_of(s, st.st_rdev) : NULL;
		if (near)
			use_add(s, "%s%s/%s is swap", near->role, s->system->dev, near->name);
		else if (S_ISREG(st.st_mode) && same_file(&st, &s->st))
			use_add(s, "%s is swap", s->path);
	}
	mnt_free_iter(it);
	mnt_unref_table(table);
	return ret;
}

/* --- search for all uses ------------------------------------------------ */

static int uses_look(struct uses_search *s, struct err *e)
{
	int ret = 0;
	if (S_ISBLK(s->st.st_mode))
		ret = family_add(s, s->st.st_rdev, "", e);
	if (!ret && S_ISBLK(s->st.st_mode))
		ret = under_loop(s, e);
	partitions_note(s);
	ret = ret ? ret : mounts_look(s, e);
	ret = ret ? ret : swaps_look(s, e);
	/* A device is in use if another device is built on it, mounted or not. */
	for (size_t i = 0; i < s->n_near; i++)
		if (!strcmp(s->near[i].role, "its upper device "))
			use_add(s, "%s/%s uses it", s->system->dev, s->near[i].name);
	SCOPED_FREE char *block = xasprintf("%s/block", s->system->sys);
	ret = ret ? ret : each_entry(s, block, 0, loop_look, e);
	return ret;
}

int device_uses_find(struct device_uses *u, const struct device_system *system, const char *path,
		     const struct stat *st, struct err *e)
{
	*u = (struct device_uses){0};
	SCOPED_FREE struct uses_search *s = xcalloc(1, sizeof *s);
	*s = (struct uses_search){.system = system, .uses = u, .path = path, .st = *st};
	int ret = uses_look(s, e);
	for (size_t i = 0; i < s->n_near; i++)
		free(s->near[i].name);
	if (ret)
		device_uses_release(u);
	return ret;
}

void device_uses_release(struct device_uses *u)
{
	for (size_t i = 0; i < u->n; i++)
		free(u->text[i]);
	for (size_t i = 0; i < u->n_partitions; i++)
		free(u->partition[i]);
	FREE_EACH(u->text, u->partition, u->under);
	*u = (struct device_uses){0};
}
