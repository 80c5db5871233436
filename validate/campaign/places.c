/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Directories of scenarios: which scenarios share a directory, its creation, filling and
 * removal. */
#include <sys/statvfs.h>

#include "capture/fileset/fileset.h"
#include "common/files.h"
#include "common/units.h"
#include "microbench/microbench.h"
#include "validate/campaign/prepare.h"
#include "validate/campaign/storage.h"
#include "validate/protocol/pairing.h"

/* --- shared directories -------------------------------------------------- */

static const struct fileset_entry *entry_find(const struct fileset *s, const char *path)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->entry[i].path, path))
			return &s->entry[i];
	return NULL;
}

static bool sets_agree(const struct fileset *a, const struct fileset *b)
{
	for (size_t i = 0; i < b->n; i++) {
		const struct fileset_entry *same = entry_find(a, b->entry[i].path);
		if (same &&
		    (same->size != b->entry[i].size || same->directory != b->entry[i].directory))
			return false;
	}
	return true;
}

static void set_join(struct fileset *into, const struct fileset *more)
{
	into->entry = xreallocarray(into->entry, into->n + more->n + 1, sizeof *into->entry);
	for (size_t i = 0; i < more->n; i++)
		if (!entry_find(into, more->entry[i].path)) {
			into->entry[into->n] = more->entry[i];
			into->entry[into->n++].path = xstrdup(more->entry[i].path);
		}
}

static struct place_dir *dir_add(struct place *place, bool writes, const struct workload *sole)
{
	place->dir = xreallocarray(place->dir, place->n_dirs + 1, sizeof *place->dir);
	struct place_dir *d = &place->dir[place->n_dirs++];
	*d = (struct place_dir){
	    .fd = -1, .writes = writes, .sole = sole, .state = FILESET_STATE_INIT};
	return d;
}

static size_t dir_choose(struct place *place, const struct fileset *files, const struct workload *w)
{
	const struct workload *sole = w->script ? w : NULL;
	size_t i = sole ? place->n_dirs : 0;
	for (; i < place->n_dirs; i++)
		if (!place->dir[i].sole && !place->dir[i].is_copy &&
		    place->dir[i].writes == w->writes && sets_agree(&place->dir[i].files, files))
			break;
	if (i == place->n_dirs)
		dir_add(place, w->writes, sole);
	set_join(&place->dir[i].files, files);
	return i;
}

/* Plans n_seats sets of the same files: `dir`, and copies of it. copies_fill() adds the files
 * later, because further scenarios may share them. */
static void copies_plan(struct place *place, size_t dir, size_t n_seats)
{
	for (size_t seat = 1; seat < n_seats; seat++) {
		if (!place->dir[dir].copy) {
			const struct place_dir of = place->dir[dir];
			place->dir[dir].copy = place->n_dirs;
			dir_add(place, of.writes, of.sole)->is_copy = true;
		}
		dir = place->dir[dir].copy;
	}
}

static void copies_fill(struct place *place)
{
	/* a copy comes after its original */
	for (size_t i = 0; i < place->n_dirs; i++)
		if (place->dir[i].copy)
			set_join(&place->dir[place->dir[i].copy].files, &place->dir[i].files);
}

/* Removes the files of copies. The directories stay, because scenarios refer to them by number. */
static int copies_drop(struct place *place, struct err *e)
{
	int ret = 0;
	for (size_t i = 0; !ret && i < place->n_dirs; i++) {
		struct place_dir *d = &place->dir[i];
		d->copy = 0;
		if (!d->is_copy)
			continue;
		ret = fileset_remove(&d->files, d->fd, e);
		microbench_files_release(&d->files);
	}
	place->lacks_copies = true;
	return ret;
}

struct place_dir *place_seat(struct place *place, size_t dir, size_t seat)
{
	for (; seat && place->dir[dir].copy; seat--)
		dir = place->dir[dir].copy;
	return &place->dir[dir];
}

static size_t dir_of_program(struct place *place)
{
	dir_add(place, true, NULL)->program = true;
	return place->n_dirs - 1;
}

int places_plan(struct places *s, const struct protocol *p, struct err *e)
{
	*s = (struct places){
	    .n_targets = p->n_targets, .n_scenarios = p->n_scenarios, .seed = p->seed};
	s->place = xcalloc(p->n_targets, sizeof *s->place);
	s->scenario = xcalloc(p->n_scenarios, sizeof *s->scenario);
	for (size_t i = 0; i < p->n_targets; i++)
		s->place[i] =
		    (struct place){.fd = -1, .needs_copies = p->pairing == PAIRING_SLICES};
	int ret = 0;
	for (size_t i = 0; !ret && i < p->n_scenarios; i++) {
		const struct scenario *c = &p->scenario[i];
		const struct workload *w = workload_find(c->type);
		struct microbench_config config;
		if (c->script || c->trace) {
			s->scenario[i].dir = dir_of_program(&s->place[c->target]);
			if (c->script && c->recorded_on != c->target)
				s->scenario[i].recorded_dir =
				    dir_of_program(&s->place[c->recorded_on]);
			continue;
		}
		ret = scenario_config(c, &config, e);
		ret = ret ? ret : microbench_files(w, &config, &s->scenario[i].files, e);
		if (!ret) {
			s->scenario[i].dir =
			    dir_choose(&s->place[c->target], &s->scenario[i].files, w);
			copies_plan(&s->place[c->target], s->scenario[i].dir,
				    scenario_n_seats(p, i));
		}
	}
	for (size_t i = 0; !ret && i < p->n_targets; i++)
		copies_fill(&s->place[i]);
	return ret;
}

static void place_release(struct place *place)
{
	for (size_t i = 0; i < place->n_dirs; i++) {
		struct place_dir *d = &place->dir[i];
		fd_close(d->fd);
		microbench_files_release(&d->files);
		fileset_state_release(&d->state);
		free(d->path);
	}
	fd_close(place->fd);
	device_release(&place->below);
	FREE_EACH(place->dir, place->path);
}

void places_release(struct places *s)
{
	for (size_t i = 0; i < s->n_targets; i++)
		place_release(&s->place[i]);
	for (size_t i = 0; i < s->n_scenarios; i++)
		microbench_files_release(&s->scenario[i].files);
	FREE_EACH(s->place, s->scenario);
	*s = (struct places){0};
}

static uint64_t dir_bytes(const struct place_dir *d)
{
	uint64_t sum = 0;
	for (size_t k = 0; k < d->files.n; k++)
		sum += d->files.entry[k].size - fileset_holes_kept(&d->files, k);
	return sum;
}

uint64_t place_bytes(const struct place *place)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < place->n_dirs; i++)
		sum += dir_bytes(&place->dir[i]);
	return sum;
}

uint64_t place_copies_bytes(const struct place *place)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < place->n_dirs; i++)
		sum += place->dir[i].is_copy ? dir_bytes(&place->dir[i]) : 0;
	return sum;
}

/* --- directories --------------------------------------------------------- */

static int dir_open(const char *path, int *fd, struct err *e)
{
	*fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	return *fd < 0 ? err_sys(e, errno, "cannot open the directory %s", path) : 0;
}

/* Accepts the path that an earlier session used only if it is a real directory of this user. */
static bool is_ours(const char *path)
{
	struct stat st;
	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_uid == geteuid();
}

static int space_check(const struct place *place, struct err *e)
{
	struct statvfs v;
	uint64_t need = place_bytes(place), has = 0;
	if (fstatvfs(place->fd, &v) < 0 || !v.f_blocks)
		return 0;
	for (size_t i = 0; i < place->n_dirs; i++)
		for (size_t k = 0; k < place->dir[i].files.n; k++) {
			struct stat st;
			if (fstatat(place->dir[i].fd, place->dir[i].files.entry[k].path, &st,
				    AT_SYMLINK_NOFOLLOW) == 0)
				has += (uint64_t)st.st_blocks * 512;
		}
	uint64_t free_bytes = (uint64_t)(geteuid() ? v.f_bavail : v.f_bfree) * v.f_frsize;
	if (need <= has + free_bytes)
		return 0;
	return err_set(e, ENOSPC,
		       "no space for the workloads' files in %s: %s are needed, but %s are free",
		       place->path, size_text(need - has).s, size_text(free_bytes).s);
}

static bool has_copies(const struct place *place)
{
	for (size_t i = 0; i < place->n_dirs; i++)
		if (place->dir[i].is_copy)
			return true;
	return false;
}

int place_make(struct place *place, const char *parent, const char *name, struct err *e)
{
	struct stat st;
	if (stat(parent, &st) < 0)
		return err_sys(e, errno, "cannot use the target directory %s", parent);
	if (!S_ISDIR(st.st_mode))
		return err_set(e, ENOTDIR, "the target %s is not a directory", parent);
	char *path = xasprintf("%s/%s", parent, name);
	if (mkdir(path, 0700) < 0 && (errno != EEXIST || !is_ours(path))) {
		int ret = err_sys(e, errno,
			"cannot create the directory %s in the target directory %s", name, parent);
		free(path);
		return ret;
	}
	place->path = path;
	int ret = dir_open(place->path, &place->fd, e);
	if (ret)
		return ret;
	if (!dir_lock(place->fd)) {
		ret = dir_in_use(path, e);
		close(place->fd);
		place->fd = -1;
		/* nothing at this path belongs to this campaign */
		place->path = NULL;
		free(path);
		return ret;
	}
	if (fstat(place->fd, &st) < 0)
		return err_sys(e, errno, "cannot examine %s", place->path);
	place->device = st.st_dev;
	for (size_t i = 0; !ret && i < place->n_dirs; i++) {
		struct place_dir *d = &place->dir[i];
		d->path = xasprintf("%s/%s-%zu", place->path, d->writes ? "written" : "read", i);
		if (mkdir(d->path, 0700) < 0 && errno != EEXIST)
			ret = err_sys(e, errno, "cannot create the directory %s", d->path);
		else
			ret = dir_open(d->path, &d->fd, e);
	}
	if (ret)
		return ret;
	ret = space_check(place, e);
	if (ret != -ENOSPC || place->needs_copies || !has_copies(place))
		return ret;
	if (e)
		*e = (struct err)ERR_INIT;
	ret = copies_drop(place, e);
	return ret ? ret : space_check(place, e);
}

int place_dir_anew(struct place *place, struct place_dir *dir, struct err *e)
{
	/* or another file in its place */
	int ret = path_remove(dir->path, e);
	if (ret)
		return ret;
	close(dir->fd);
	dir->fd = -1;
	fileset_state_release(&dir->state);
	if (mkdir(place->path, 0700) < 0 && errno != EEXIST)
		return err_sys(
		    e, errno,
		    "the directory %s was removed while it was in use, and cannot be created again",
		    place->path);
	if (mkdir(dir->path, 0700) < 0 && errno != EEXIST)
		return err_sys(
		    e, errno,
		    "the directory %s was removed while it was in use, and cannot be created again",
		    dir->path);
	ret = dir_open(dir->path, &dir->fd, e);
	if (!ret) {
		fd_close(place->fd);
		ret = dir_open(place->path, &place->fd, e);
		if (!ret)
			(void)dir_lock(place->fd);
	}
	return ret;
}

int place_dir_check(struct place *place, struct place_dir *dir, struct err *e)
{
	struct stat is, was = {0};
	const bool there = lstat(dir->path, &is) == 0;
	/* a system error is not a proof that the directory changed */
	if ((!there && errno != ENOENT && errno != ENOTDIR) ||
	    (dir->fd >= 0 && fstat(dir->fd, &was) < 0))
		return err_sys(e, errno, "cannot examine %s", dir->path);
	if (there && dir->fd >= 0 && is.st_dev == was.st_dev && is.st_ino == was.st_ino)
		return 0;
	int ret = place_dir_anew(place, dir, e);
	return ret ? ret
		   : err_set(e, ESTALE,
			     "the directory %s was removed or replaced while it was in use; it was "
			     "created again", dir->path);
}

int place_fill(struct places *s, size_t target, uint64_t n_passes, struct err *e)
{
	struct place *place = &s->place[target];
	int ret = 0;
	for (uint64_t pass = 0; !ret && pass <= n_passes; pass++)
		for (size_t i = 0; !ret && i < place->n_dirs; i++) {
			struct place_dir *d = &place->dir[i];
			ret =
			    fileset_restore(&d->files, d->fd, s->seed, pass > 0, NULL, &d->state,
					    e);
			if (ret)
				err_context(e, "making the files in %s", d->path);
		}
	return ret;
}

int place_remove(struct place *place, struct err *e)
{
	int ret = 0;
	if (!place->path || place->fd < 0)
		return 0;
	for (size_t i = 0; i < place->n_dirs; i++) {
		struct place_dir *d = &place->dir[i];
		if (d->fd < 0)
			continue;
		if (d->sole && microbench_clear(d->sole, &d->files, d->fd, ret ? NULL : e) < 0)
			ret = ret ? ret : -EIO;
		if (d->program) {
			if (dir_remove_tree(d->path, ret ? NULL : e) < 0)
				ret = ret ? ret : -EIO;
			continue;
		}
		if (fileset_remove(&d->files, d->fd, ret ? NULL : e) < 0)
			ret = ret ? ret : -EIO;
		if (rmdir(d->path) < 0 && errno != ENOENT && !ret)
			ret = err_sys(e, errno, "the directory %s was not removed", d->path);
	}
	if (rmdir(place->path) < 0 && errno != ENOENT && !ret)
		ret = err_sys(e, errno, "the directory %s was not removed", place->path);
	return ret;
}
