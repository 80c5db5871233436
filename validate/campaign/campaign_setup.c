/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Target directories, scratch directory, cgroup and device queues of a campaign, and their
 * cleanup. */
#include <sys/statvfs.h>

#include "common/device_queue.h"
#include "common/drop_caches.h"
#include "common/files.h"
#include "common/text.h"
#include "validate/campaign/mounts.h"
#include "validate/campaign/observe.h"
#include "validate/protocol/launch_settings.h"
#include "validate/provenance/provenance.h"

#define SCRATCH_LEAST_BYTES (64u << 20)
#define PROGRAM_CODE_BYTES (1u << 20)

/* --- cgroup and caches --------------------------------------------------- */

static bool any_budget(const struct protocol *p)
{
	for (size_t i = 0; i < p->n_targets; i++)
		if (p->target[i].cache_budget_bytes || p->target[i].memory_limit_bytes)
			return true;
	return false;
}

/* Removes the cgroups of single runs, and of the members of a group, that a killed session left
 * behind. */
static void earlier_cgroups_remove(const struct campaign *c)
{
	cgroup_remove_left(c->earlier_cgroup);
	for (size_t i = 1; i <= c->protocol->n_replayers; i++) {
		SCOPED_FREE char *path = xasprintf("%s-%zu", c->earlier_cgroup, i);
		cgroup_remove_left(path);
	}
}

static int cgroup_begin(struct campaign *c, struct err *e)
{
	if (!any_budget(c->protocol))
		return 0;
	if (c->earlier_cgroup)
		earlier_cgroups_remove(c);
	cgroup_find(&c->cgroups, "");
	if (c->cgroups.kind == CGROUP_NONE) {
		environment_skip(c->environment,
				 "memory cgroup with a page-cache budget or memory limit",
				 c->cgroups.why,
				 "none: the page cache and the memory of the runs have no limit");
		return 0;
	}
	snprintf(c->cgroup_name, sizeof c->cgroup_name, "validate-%s", c->token);
	SCOPED_FREE char *path = xasprintf("%s/%s", c->cgroups.parent, c->cgroup_name);
	return journal_append_new(
	    &c->journal, json_pack("{s:s, s:o}", "event", "cgroup", "path", text_to_json(path)), e);
}

static int caches_check(const struct protocol *p, struct err *e)
{
	for (size_t i = 0; i < p->n_targets && !may_drop_caches(); i++) {
		const struct target *t = &p->target[i];
		if (t->cache == CACHE_COLD && t->evict >= EVICT_DROP)
			return err_set(e, EPERM, "target %s: evict = %s needs the right to write "
				"/proc/sys/vm/drop_caches: run as root, or set evict = fadvise",
				t->name, evict_names[t->evict]);
	}
	return 0;
}

static void caches_begin(struct campaign *c)
{
	bool wanted = false;
	c->drop_caches = may_drop_caches();
	for (size_t i = 0; i < c->protocol->n_targets; i++) {
		const struct target *t = &c->protocol->target[i];
		wanted |= t->cache == CACHE_COLD && t->evict == EVICT_AUTO;
	}
	if (wanted && !c->drop_caches)
		environment_skip(c->environment, "dropping all caches if pages stay cached",
				 "/proc/sys/vm/drop_caches may not be written (no privilege)",
				 "only posix_fadvise(DONTNEED) on each file; pages that stay "
				 "cached are recorded");
}

/* --- targets and scratch ------------------------------------------------- */

/* Returns the directory in which a target's new directory is made. */
static char *target_parent(const struct campaign *c, const struct target *t)
{
	if (!t->dir)
		return xstrdup(c->dir);
	char *path = t->dir[0] == '/' ? xstrdup(t->dir) : xasprintf("%s/%s", c->parent, t->dir);
	char *real = realpath(path, NULL);
	if (!real)
		return path;
	free(path);
	return real;
}

/* Returns the name of a target's directory. All names contain the campaign's token, which is in the
 * first line of the journal. So a resumed campaign finds them after a kill. */
static char *place_name(const struct campaign *c, size_t target)
{
	return target ? xasprintf("validate-%s-%zu", c->token, target)
		      : xasprintf("validate-%s", c->token);
}

/* Prepares the device or volume of a target below the file system. */
static int below_begin(struct campaign *c, size_t i, struct err *e)
{
	SCOPED_FREE char *name = place_name(c, i);
	return device_begin(&c->places.place[i].below, &c->protocol->target[i], name, e);
}

static json_t *below_facts(const struct place *place, const struct target *t)
{
	struct stat st;
	bool is_device = stat(place->below.path, &st) == 0 && S_ISBLK(st.st_mode);
	SCOPED_FREE char *dir = is_device ? device_queue_parent(st.st_rdev) : NULL;
	json_t *o =
	    json_pack("{s:o, s:s?, s:I, s:o}", "path", text_to_json(place->below.path), "service",
		      place->below.service, "size", (json_int_t)(t->volume ? t->size_bytes : 0),
		      "device", dir ? provenance_device(dir) : json_null());
	return o;
}

static int target_begin(struct campaign *c, size_t i, json_t *facts, struct err *e)
{
	const struct target *t = &c->protocol->target[i];
	struct place *place = &c->places.place[i];
	struct storage storage;
	char *parent = target_parent(c, t), *name = place_name(c, i);
	int ret = place_make(place, parent, name, e);
	FREE_EACH(parent, name);
	if (place->path) {
		json_t *event = json_pack("{s:s, s:I, s:o}", "event", "place", "target",
					  (json_int_t)i, "path", text_to_json(place->path));
		int noted = journal_append_new(&c->journal, event, ret ? NULL : e);
		ret = ret ? ret : noted;
	}
	if (!ret)
		/* of a killed session */
		ret = mounts_end(place->path, e);
	ret = ret ? ret : below_begin(c, i, e);
	ret = ret ? ret : observe_device(c->protocol, i, place, &place->observed, e);
	if (ret)
		return err_context(e, "target %s", t->name);
	ret = storage_look(&storage, place->path, e);
	if (ret)
		return ret;
	json_t *o = storage_to_json(&storage);
	json_object_set_new(o, "name", json_string(t->name));
	json_object_set_new(o, "cache", json_string(cache_state_names[t->cache]));
	json_object_set_new(o, "cache_budget_bytes",
			    json_integer((json_int_t)t->cache_budget_bytes));
	json_object_set_new(o, "memory_limit_bytes",
			    json_integer((json_int_t)t->memory_limit_bytes));
	json_object_set_new(o, "files_bytes", json_integer((json_int_t)place_bytes(place)));
	if (place->below.path)
		json_object_set_new(o, "below", below_facts(place, t));
	json_array_append_new(facts, o);
	if (storage.in_memory && t->cache == CACHE_COLD)
		environment_skip(c->environment, "cold caches",
				 "the target directory is on a file system in memory",
				 "none: every read is served from memory");
	if (place->below.throttled)
		environment_skip(c->environment, "exact service times",
			"a control group slows the target's volume down, in slices of 100 ms",
			"none: average rates are correct, but requests pass in bursts, with stalls "
			"of up to 100 ms between them");
	storage_release(&storage);
	return 0;
}

static void scratch_describe(struct campaign *c)
{
	if (!c->environment)
		return;
	json_t *o = storage_to_json(&c->scratch.storage);
	json_object_set_new(o, "apart", json_boolean(c->scratch.apart));
	json_object_set_new(c->environment, "scratch", o);
}

/* Returns the path in the protocol's scratch directory; NULL: choose a directory by its free space.
 * The caller frees. */
static char *scratch_wanted(const struct campaign *c)
{
	const char *scratch = c->protocol->scratch;
	return scratch && scratch[0] != '/' ? xasprintf("%s/%s", c->parent, scratch)
	       : scratch                    ? xstrdup(scratch)
					    : NULL;
}

static char *scratch_name(const char *token)
{
	return xasprintf("validate-scratch-%s", token);
}

int setup_check_unused(const struct campaign *c, struct err *e)
{
	SCOPED_FREE char *wanted = scratch_wanted(c), *name = scratch_name(c->token);
	return scratch_check_free(wanted, name, c->dir, e);
}

static int scratch_begin(struct campaign *c, uint64_t need_bytes, struct err *e)
{
	const struct protocol *p = c->protocol;
	dev_t *targets = xcalloc(p->n_targets, sizeof *targets);
	for (size_t i = 0; i < p->n_targets; i++)
		targets[i] = c->places.place[i].device;
	char *wanted = scratch_wanted(c), *name = scratch_name(c->token);
	int ret =
	    scratch_make(&c->scratch, wanted, name, targets, p->n_targets, c->dir, need_bytes, e);
	ret = ret ? ret : scratch_link(&c->scratch, c->dir, e);
	FREE_EACH(name, wanted, targets);
	if (ret)
		return ret;
	ret = journal_append_new(&c->journal, json_pack("{s:s, s:o}", "event", "scratch", "path",
		text_to_json(c->scratch.dir)), e);
	scratch_describe(c);
	/* find a directory for compiled programs: /dev/shm may forbid execution */
	struct statvfs st;
	bool executable = statvfs(c->scratch.dir, &st) < 0 || !(st.f_flag & ST_NOEXEC);
	free(c->programs);
	c->programs = xasprintf("%s/programs", executable ? c->scratch.dir : c->dir);
	return ret;
}

static void scratch_warn(struct campaign *c)
{
	if (!c->scratch.apart)
		environment_skip(c->environment,
			"scratch directory on a device other than the target's",
			c->protocol->scratch
			? "the key \"scratch\" of the protocol names a directory on the target's "
			  "device"
			: "none of /dev/shm, $TMPDIR, /tmp and /var/tmp is on another device and "
			  "has space for the traces",
			"traces are written to the target's device, between the measured parts of "
			"the runs");
}

/* Returns the bytes of the programs made from a trace of a scenario: tables, which are hardly
 * larger than the trace, and code. */
static uint64_t programs_bytes(const struct campaign *c, size_t scenario)
{
	uint64_t n = 0;
	for (size_t i = 0; i < c->protocol->n_replayers; i++) {
		const struct step s = {.scenario = scenario, .role = (int32_t)i};
		n += c->protocol->replayer[i].applies[scenario] ? step_n_programs(c, &s) : 0;
	}
	return n * (c->calibration[scenario].trace_bytes * 2 + PROGRAM_CODE_BYTES);
}

/* Returns the bytes of the whole bank with its programs, and of the traces of one group. */
static uint64_t bank_bytes(const struct campaign *c)
{
	const char *replayer;
	/* number of traces that exist at the same time in a group, or for a run and its blank */
	uint64_t per_bank = 0, largest = 0;
	for (size_t i = 0; i < c->protocol->n_scenarios; i++) {
		const uint64_t one = c->calibration[i].trace_bytes;
		uint64_t n = 2;
		per_bank += one + programs_bytes(c, i);
		if (group_is_sliced(c, i, &replayer, NULL))
			n += c->protocol->n_replayers;
		largest = n * one > largest ? n * one : largest;
	}
	uint64_t bytes = per_bank * protocol_n_bank(c->protocol) + largest;
	/* traces of equal length differ in size */
	return bytes + bytes / 8;
}

int setup_check_space(struct campaign *c, struct err *e)
{
	struct storage now;
	int ret = storage_look(&now, c->scratch.dir, e);
	if (ret)
		return ret;
	uint64_t need = bank_bytes(c);
	if (c->scratch.taken_over || now.free_bytes >= need) {
		storage_release(&now);
		scratch_warn(c);
		return 0;
	}
	storage_release(&now);
	scratch_remove(&c->scratch, NULL);
	scratch_release(&c->scratch);
	ret = scratch_begin(c, need, e);
	scratch_warn(c);
	return ret;
}

/* --- device queues ------------------------------------------------------- */

/* Records what could not be restored or removed. The campaign continues. */
static void left_note(struct campaign *c, const struct err *why)
{
	json_t *list = json_object_get(c->environment, "left_behind");
	c->left_behind = true;
	if (!list && c->environment) {
		list = json_array();
		json_object_set_new(c->environment, "left_behind", list);
	}
	if (list)
		json_array_append_new(list, text_to_json(why->msg));
	journal_append_new(&c->journal, json_pack("{s:s, s:o}", "event", "left behind", "why",
		text_to_json(why->msg)), NULL);
}

/* Restores the queues in reverse order, because two targets may be on one device. */
static void queues_put_back(struct campaign *c)
{
	struct err e = ERR_INIT;
	size_t n = json_array_size(c->queues_before);
	if (!n)
		return;
	for (size_t i = n; i-- > 0;)
		if (device_queue_restore(json_array_get(c->queues_before, i), &e) < 0)
			left_note(c, &e);
	json_array_clear(c->queues_before);
	journal_append_new(&c->journal, json_pack("{s:s}", "event", "queues put back"), NULL);
}

static int queues_begin(struct campaign *c, struct err *e)
{
	const struct protocol *p = c->protocol;
	int ret = 0;
	queues_put_back(c); /* of a killed session */
	for (size_t i = 0; !ret && i < p->n_targets; i++) {
		json_t *before;
		const char *queue = p->target[i].queue;
		dev_t device = c->places.place[i].device;
		if (!queue)
			continue;
		ret = device_queue_read(queue, device, &before, e);
		if (ret)
			break;
		json_array_append_new(c->queues_before, before);
		ret = journal_append_new(
		    &c->journal, json_pack("{s:s, s:O}", "event", "queue", "before", before), e);
		ret = ret ? ret : device_queue_apply(queue, device, e);
		if (ret)
			err_context(e, "target %s", p->target[i].name);
	}
	return ret;
}

/* --- start of programs --------------------------------------------------- */

/* Records that a policy is not permitted here and that the protocol names an alternative. */
static void scheduler_skip(json_t *environment, const struct scheduling *policy)
{
	SCOPED_FREE char *what =
	    xasprintf("real-time scheduling (%s:%d)",
		      policy->policy == SCHED_RR ? "rr" : "fifo", policy->priority);
	environment_skip(
	    environment, what, "it needs the capability CAP_SYS_NICE or a limit RLIMIT_RTPRIO",
	    "the next policy in the list of the key \"scheduler\"; other processes then delay the "
	    "program and the replays more");
}

/* Starts this program once in the same way as a run, so that missing privileges are reported before
 * anything is measured. Sets the first permitted scheduling policy of the protocol in `s`, and
 * notes the others in `environment` (NULL: nowhere). Errors: -EINTR after a signal. */
static int launch_check(const struct protocol *p, const char *self, struct launch_spec *s,
			json_t *environment, struct err *e)
{
	char *argv[] = {(char *)self, "version", NULL};
	struct launch_result r;
	SCOPED_FREE struct scheduling *policy = NULL;
	size_t n = 0, i = 0;
	s->argv = argv;
	s->file = LAUNCH_OWN_PROGRAM;
	s->timeout_ns = 10000000000;
	int ret = p->scheduler ? launch_scheduling_parse(p->scheduler, &policy, &n, e) : 0;
	if (ret)
		return ret;
	do {
		if (n)
			s->scheduling = policy[i];
		err_clear(e);
		ret = launch_run(s, &r, e);
		if (ret == -EACCES && i + 1 < n && environment)
			scheduler_skip(environment, &policy[i]);
	} while (ret == -EACCES && ++i < n);
	if (!ret && r.end == LAUNCH_INTERRUPTED)
		return -EINTR;
	if (!ret && r.reason[0])
		ret = err_set(e, EIO, "the test before the first run, \"%s version\", failed: %s",
			      self, r.reason);
	return ret;
}

int privileges_possible(const struct protocol *p, const char *self, struct err *e)
{
	cpu_set_t cpus;
	struct launch_spec s = {.cpus = p->cpus ? &cpus : NULL, .signal_fd = -1};
	int ret = caches_check(p, e);
	if (!ret && p->cpus)
		ret = cpus_parse(p->cpus, &cpus, e);
	return ret ? ret : launch_check(p, self, &s, NULL, e);
}

/* --- start and end ------------------------------------------------------- */

int setup_begin(struct campaign *c, struct err *e)
{
	const struct protocol *p = c->protocol;
	int ret = 0;
	facts_begin(c);
	if (p->cpus)
		ret = cpus_parse(p->cpus, &c->cpus, e);
	/* for scripts that run a workload of this program */
	if (setenv("VALIDATE", c->options->self, 1) < 0)
		ret = err_sys(e, errno, "cannot set the environment variable VALIDATE");
	ret = ret ? ret : places_plan(&c->places, p, e);
	for (size_t i = 0; !ret && i < p->n_targets; i++)
		ret = target_begin(c, i, json_object_get(c->environment, "targets"), e);
	if (!ret) {
		ret = scratch_begin(c, SCRATCH_LEAST_BYTES, e);
		/* calibration determines the space that is needed, and this is checked later */
		if (ret == -ENOSPC)
			ret = scratch_begin(c, 0, e);
		/* remove scratch directories of killed campaigns that cannot be resumed */
		char any[sizeof c->token];
		memset(any, 'X', sizeof any - 1);
		any[sizeof any - 1] = 0;
		SCOPED_FREE char *wanted = scratch_wanted(c), *pattern = scratch_name(any);
		scratch_sweep(wanted, pattern);
	}
	ret = ret ? ret : cgroup_begin(c, e);
	struct launch_spec s = {.cpus = p->cpus ? &c->cpus : NULL, .signal_fd = c->signal_fd};
	ret = ret ? ret : launch_check(p, c->options->self, &s, c->environment, e);
	c->interrupted |= ret == -EINTR;
	c->scheduling = s.scheduling;
	ret = ret ? ret : queues_begin(c, e);
	ret = ret ? ret : caches_check(p, e);
	caches_begin(c);
	for (size_t i = 0; !ret && i < p->n_targets; i++) {
		progress_step(&c->progress, 0, 0, "making the workloads' files");
		ret = place_fill(&c->places, i, p->target[i].precondition_passes, e);
		if (!ret && campaign_interrupted(c))
			ret = -EINTR;
	}
	if (!ret)
		facts_describe(c);
	return ret;
}

int setup_adopt(struct campaign *c, struct err *e)
{
	int ret = places_plan(&c->places, c->protocol, e);
	for (size_t i = 0; !ret && i < c->protocol->n_targets; i++) {
		SCOPED_FREE char *parent = target_parent(c, &c->protocol->target[i]),
				 *name = place_name(c, i);
		SCOPED_FREE char *path = xasprintf("%s/%s", parent, name);
		mounts_end(path, NULL);
		if (c->protocol->target[i].volume)
			ret = device_adopt(name, e);
		if (!ret && path_exists(path))
			ret = place_make(&c->places.place[i], parent, name, e);
	}
	ret = ret ? ret : scratch_begin(c, 0, e);
	if (c->earlier_cgroup)
		earlier_cgroups_remove(c);
	return ret;
}

void setup_end(struct campaign *c)
{
	struct err e = ERR_INIT;
	queues_put_back(c);
	for (size_t i = 0; i < c->places.n_targets; i++)
		if (c->places.place[i].path && mounts_end(c->places.place[i].path, &e) < 0)
			left_note(c, &e);
	for (size_t i = 0; i < c->places.n_targets; i++)
		if (device_end(&c->places.place[i].below, &e) < 0)
			left_note(c, &e);
	for (size_t i = 0; i < c->places.n_targets; i++)
		if (place_remove(&c->places.place[i], &e) < 0)
			left_note(c, &e);
	if (c->programs && path_exists(c->programs) && dir_remove_tree(c->programs, &e) < 0)
		left_note(c, &e);
	if (scratch_remove(&c->scratch, &e) < 0)
		left_note(c, &e);
}
