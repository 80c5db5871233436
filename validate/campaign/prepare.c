/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/prepare.h"

#include <fts.h>

#include "capture/fileset/fileset.h"
#include "common/clock.h"
#include "common/drop_caches.h"
#include "microbench/microbench.h"
#include "validate/campaign/untouched.h"

#define SYNC_TRIES 20

/* Writes the set back until the kernel reports no dirty page of it. A clean set is not synced,
 * because syncfs() also waits for the data of all other programs. */
static int sync_clean(const struct place *place, const struct fileset *files, int dir_fd,
		      struct fileset_residency *r, struct err *e)
{
	int ret = fileset_residency(files, dir_fd, r, e);
	bool clean = r->by_cachestat && !r->dirty_bytes;
	for (int i = 0; !ret && !clean && i < SYNC_TRIES; i++) {
		if (syncfs(place->fd) < 0)
			return err_sys(e, errno, "cannot sync the file system of %s", place->path);
		ret = fileset_residency(files, dir_fd, r, e);
		clean = !r->dirty_bytes;
	}
	return ret;
}

/* Evicts caches as far as the target asks and the system permits; *r: the part that is cached
 * afterwards. Residency is read just before dentries and inodes are dropped (evict = all): a
 * look-up afterwards would load them again. */
static int caches_evict(const struct target *target, const struct fileset *files, int dir_fd,
			bool drop_caches, struct fileset_residency *r, struct err *e)
{
	int ret = r->cached_bytes ? fileset_evict(files, dir_fd, e) : 0;
	ret = ret ? ret : fileset_residency(files, dir_fd, r, e);
	bool drop = target->evict >= EVICT_DROP || (target->evict == EVICT_AUTO && r->cached_bytes);
	if (ret || !drop || !drop_caches)
		return ret;
	ret = caches_drop(DROP_PAGES, e);
	ret = ret ? ret : fileset_residency(files, dir_fd, r, e);
	if (ret || target->evict != EVICT_ALL)
		return ret;
	/* dirty inodes stay in memory even if all pages are clean */
	if (syncfs(dir_fd) < 0)
		return err_sys(e, errno, "cannot sync the files");
	return fileset_drop(files, dir_fd, e);
}

static int caches_warm(const struct fileset *files, int dir_fd, struct fileset_residency *r,
		       struct err *e)
{
	int ret = r->cached_bytes < r->total_bytes ? fileset_warm(files, dir_fd, e) : 0;
	return ret ? ret : fileset_residency(files, dir_fd, r, e);
}

/* --- files made by a program's script ------------------------------------ */

/* Lists every regular file below `path`, without following links. Ownership:
 * microbench_files_release(). */
static int tree_list(const char *path, struct fileset *files, struct err *e)
{
	char *const roots[] = {(char *)path, NULL};
	size_t cap = 0, skip = strlen(path) + 1;
	FTS *fts = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	if (!fts)
		return err_sys(e, errno, "cannot read directory %s", path);
	for (const FTSENT *f; (f = fts_read(fts));) {
		if (f->fts_info != FTS_F)
			continue;
		GROW(files->entry, files->n, cap);
		files->entry[files->n++] = (struct fileset_entry){
		    xstrdup(f->fts_path + skip), (uint64_t)f->fts_statp->st_size, false};
	}
	fts_close(fts);
	return 0;
}

static struct place_dir *dir_of(const struct places *s, const struct protocol *p, struct seat seat)
{
	const struct scenario_files *f = &s->scenario[seat.scenario];
	const bool is_target = seat.target == p->scenario[seat.scenario].target;
	return place_seat(&s->place[seat.target], is_target ? f->dir : f->recorded_dir,
			  seat.number);
}

char *program_dir(const struct places *s, const struct protocol *p, size_t scenario, size_t target)
{
	return xstrdup(dir_of(s, p, (struct seat){scenario, target, 0})->path);
}

char *program_work_dir(const struct places *s, const struct protocol *p, size_t scenario,
		       size_t target)
{
	const char *script =
	    p->scenario[scenario].script ? p->scenario[scenario].script : "trace.sh";
	const char *slash = strrchr(script, '/'), *base = slash ? slash + 1 : script;
	char *dir = program_dir(s, p, scenario, target),
	     *path = xasprintf("%s/%.*s", dir, (int)(strlen(base) - 3), base);
	free(dir);
	return path;
}

int prepare_check(struct places *s, const struct protocol *p, struct seat seat, struct strbuf *what,
		  struct err *e)
{
	struct place *place = &s->place[seat.target];
	struct place_dir *dir = dir_of(s, p, seat);
	int ret = place_dir_check(place, dir, e),
	    more = untouched_check(place, dir, what, ret ? NULL : e);
	return ret ? ret : more;
}

static double seconds_since(int64_t *ns)
{
	const int64_t before = *ns;
	*ns = clock_monotonic_ns();
	return (double)(*ns - before) * 1e-9;
}

int prepare_run(struct places *s, const struct protocol *p, struct seat seat, bool drop_caches,
		struct prepared *out, struct err *e)
{
	const struct target *target = &p->target[seat.target];
	struct place *place = &s->place[seat.target];
	struct place_dir *dir = dir_of(s, p, seat);
	const struct fileset *files = &s->scenario[seat.scenario].files;
	struct fileset found = {0};
	int64_t at = clock_monotonic_ns();
	*out = (struct prepared){0};
	int ret = place_dir_check(place, dir, e);
	if (ret)
		return ret;
	if (dir->program) {
		ret = tree_list(dir->path, &found, e);
		files = &found;
	}
	if (dir->sole)
		ret = microbench_clear(dir->sole, &dir->files, dir->fd, e);
	if (!ret && !dir->program)
		ret = fileset_restore(&dir->files, dir->fd, s->seed, false, NULL, &dir->state, e);
	ret = ret ? ret : untouched_note(place, e);
	out->restore_s = seconds_since(&at);
	ret = ret ? ret : sync_clean(place, files, dir->fd, &out->residency, e);
	out->sync_s = seconds_since(&at);
	if (!ret && target->cache == CACHE_COLD)
		ret = caches_evict(target, files, dir->fd, drop_caches, &out->residency, e);
	if (!ret && target->cache == CACHE_WARM)
		ret = caches_warm(files, dir->fd, &out->residency, e);
	out->evict_s = seconds_since(&at);
	out->evicted_ns = at;
	microbench_files_release(&found);
	return ret ? err_context(e, "preparing the files in %s", dir->path) : 0;
}

void prepare_settle(const struct prepared *prepared, int64_t settle_ns)
{
	int64_t until = prepared->evicted_ns + settle_ns;
	struct timespec t = {until / 1000000000, until % 1000000000};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}
