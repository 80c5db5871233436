/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/selftest/machine.h"

#include "common/clock.h"
#include "common/files.h"
#include "common/signals.h"
#include "validate/campaign/campaign.h"
#include "validate/campaign/launch.h"
#include "validate/selftest/frauds.h"
#include "validate/selftest/machine_private.h"

#define OUTCOMES "outcomes.jsonl"
#define OUTCOMES_MAX_BYTES (256u << 20)
#define N_KINDS (UNIT_N_KINDS - UNIT_AA) /* except the pilot */
/* time of a run in addition to its requests; used only for the first estimate */
#define SECONDS_OF_SPAWN 0.05
#define RUN_LONGER 1.4	      /* average ratio of a run's duration to the requested minimum */

struct selftest {
	const struct machine_options *o;
	struct pilot pilot;
	json_t *outcomes; /* array */
	uint64_t n_runs_left, n_runs_made;
	int64_t started_ns;
};

/* --- selection of campaigns ---------------------------------------------- */

static bool unit_exists(const struct machine_options *o, const struct unit *u)
{
	uint64_t n = u->kind == UNIT_AA              ? o->n_aa
		     : o->n_largest > o->n_all_sizes ? o->n_largest
						     : o->n_all_sizes;
	return u->index < n;
}

/* Returns the i-th campaign. The kinds alternate, so that an interrupted self-test has some of
 * each. */
static bool unit_choose(const struct machine_options *o, uint64_t i, struct unit *u)
{
	*u = (struct unit){.kind = UNIT_AA + i % N_KINDS, .index = i / N_KINDS,
		.all_sizes = i / N_KINDS < o->n_all_sizes};
	return unit_exists(o, u);
}

static uint64_t units_end(const struct machine_options *o)
{
	uint64_t most = o->n_aa;
	most = o->n_largest > most ? o->n_largest : most;
	most = o->n_all_sizes > most ? o->n_all_sizes : most;
	return N_KINDS * most;
}

static double seconds_of(const struct machine_options *o, uint64_t n_runs)
{
	return (double)n_runs * (RUN_LONGER * (double)o->run_ns * 1e-9 + SECONDS_OF_SPAWN);
}

void machine_expect(const struct machine_options *o, uint64_t *n_runs, double *seconds)
{
	struct unit u = {.kind = UNIT_PILOT};
	*n_runs = machine_runs(&u, o);
	for (uint64_t i = 0; i < units_end(o); i++)
		if (unit_choose(o, i, &u))
			*n_runs += machine_runs(&u, o);
	*seconds = seconds_of(o, *n_runs);
}

/* --- earlier outcomes ---------------------------------------------------- */

static char *outcomes_path(const struct machine_options *o)
{
	return xasprintf("%s/" OUTCOMES, o->dir);
}

static json_t *settings_json(const struct machine_options *o)
{
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:b, s:s?}", "kind", "settings", "replicates",
			 (json_int_t)o->n_replicates, "run_ns", (json_int_t)o->run_ns, "seed",
			 (json_int_t)o->seed, "permutations", (json_int_t)o->n_permutations,
			 "quick", o->quick, "target", o->target);
}

/* Appends and syncs a line. If a crash cut the last line short, ends that line first. */
static int outcome_append(struct selftest *s, json_t *outcome, struct err *e)
{
	SCOPED_FREE char *path = outcomes_path(s->o), *line = json_dumps(outcome, JSON_COMPACT);
	SCOPED_FREE char *text = xasprintf("\n%s\n", line ? line : "");
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	int ret = fd < 0 ? -errno : write_all(fd, text, strlen(text));
	if (!ret && fsync(fd) < 0)
		ret = -errno;
	if (fd >= 0 && close(fd) < 0 && !ret)
		ret = -errno;
	if (ret)
		err_sys(e, -ret, "cannot write %s", path);
	else
		json_array_append(s->outcomes, outcome);
	return ret;
}

static int outcomes_load(struct selftest *s, struct err *e)
{
	char *path = outcomes_path(s->o), *save = NULL;
	SCOPED_STRBUF text = STRBUF_INIT;
	json_auto_t *wanted = settings_json(s->o);
	int ret = path_exists(path) ? file_read(path, &text, OUTCOMES_MAX_BYTES, e) : 0;
	for (char *line = text.len ? strtok_r(text.s, "\n", &save) : NULL; !ret && line;
	     line = strtok_r(NULL, "\n", &save)) {
		json_t *o = json_loads(line, 0, NULL), *kind = json_object_get(o, "kind");
		if (json_is_string(kind) && !strcmp(json_string_value(kind), "settings") &&
		    !json_equal(o, wanted))
			ret = err_set(
			    e, EINVAL,
			    "%s belongs to a self-test with other options: use another directory",
			    path);
		if (json_is_string(kind))
			json_array_append(s->outcomes, o);
		json_decref(o);
	}
	if (!ret && json_array_size(s->outcomes) && !s->o->resume)
		ret = err_set(e, EEXIST,
			      "%s exists: continue with --resume, or use another directory", path);
	if (!ret && !json_array_size(s->outcomes))
		ret = outcome_append(s, wanted, e);
	free(path);
	return ret;
}

static const json_t *outcome_find(const struct selftest *s, const struct unit *u)
{
	size_t i;
	json_t *o;
	json_array_foreach (s->outcomes, i, o)
		if (!strcmp(json_string_value(json_object_get(o, "kind")), unit_names[u->kind]) &&
		    json_integer_value(json_object_get(o, "index")) == (json_int_t)u->index)
			return o;
	return NULL;
}

/* --- one campaign -------------------------------------------------------- */

static int campaign_make(const struct selftest *s, const struct unit *u, const char *dir,
			 struct err *e)
{
	SCOPED_STRBUF text = STRBUF_INIT;
	struct protocol p;
	SCOPED_FREE char *conf = xasprintf("%s.conf", dir), *plan = xasprintf("%s/plan.json", dir);
	bool begun = s->o->resume && path_exists(plan);
	machine_protocol(&text, u, s->o, &s->pilot);
	int ret = 0;
	if (!s->o->resume && path_exists(dir)) /* not created here, so not removed */
		ret = err_set(e, EEXIST, "%s already exists: use another directory", dir);
	else if (!begun)
		ret = dir_remove_tree(dir, e);
	ret = ret ? ret : file_write_atomic(conf, text.s, text.len, e);
	if (!ret && protocol_read(&p, conf, e) == 0) {
		struct campaign_options o = {.dir = dir, .resume = begun, .quiet = s->o->quiet,
		    .self = s->o->self};
		ret = campaign_run(&p, &o, e);
		protocol_release(&p);
	} else if (!ret) {
		ret = -e->code;
	}
	return ret;
}

static int campaign_discard(const struct selftest *s, const char *dir, struct err *e)
{
	if (s->o->keep)
		return 0;
	SCOPED_FREE char *conf = xasprintf("%s.conf", dir);
	unlink(conf);
	return dir_remove_tree(dir, e);
}

static int unit_make(struct selftest *s, const struct unit *u, struct err *e)
{
	SCOPED_FREE char *dir =
	    xasprintf("%s/%s-%03" PRIu64, s->o->dir, unit_names[u->kind], u->index);
	json_auto_t *outcome = NULL;
	int ret = campaign_make(s, u, dir, e);
	if (!ret) {
		outcome = machine_outcome(u, dir, s->o, e);
		ret = outcome ? 0 : -e->code;
	}
	if (!ret && u->kind == UNIT_PILOT)
		json_object_set_new(outcome, "direct", json_boolean(s->pilot.direct));
	ret = ret ? ret : outcome_append(s, outcome, e);
	ret = ret ? ret : campaign_discard(s, dir, e);
	return ret;
}

/* --- all campaigns ------------------------------------------------------- */

static void pilot_take(struct selftest *s)
{
	const json_t *o = outcome_find(s, &(struct unit){.kind = UNIT_PILOT});
	if (!o)
		return;
	s->pilot.known = true;
	s->pilot.response_ns = json_real_value(json_object_get(o, "response_ns"));
	s->pilot.direct = json_is_true(json_object_get(o, "direct"));
}

/* Measures the program's response times on this machine, and whether O_DIRECT works. */
static int pilot_make(struct selftest *s, struct err *e)
{
	struct unit u = {.kind = UNIT_PILOT};
	pilot_take(s);
	if (s->pilot.known)
		return 0;
	struct err first = ERR_INIT;
	s->pilot.direct = true;
	int ret = unit_make(s, &u, &first);
	/* a directory that existed already was not created here, so it is not removed */
	if (ret && ret != -EINTR && ret != -EEXIST) {
		s->pilot.direct = false;
		SCOPED_FREE char *dir =
		    xasprintf("%s/%s-%03d", s->o->dir, unit_names[UNIT_PILOT], 0);
		ret = dir_remove_tree(dir, e);
		ret = ret ? ret : unit_make(s, &u, e);
	} else if (ret) {
		err_set(e, -ret, "%s", first.msg);
	}
	if (!ret)
		pilot_take(s);
	return ret;
}

static void unit_announce(const struct selftest *s, const struct unit *u)
{
	if (s->o->quiet)
		return;
	double elapsed = (double)(clock_monotonic_ns() - s->started_ns) * 1e-9;
	double left = s->n_runs_made ? elapsed / (double)s->n_runs_made * (double)s->n_runs_left
				     : seconds_of(s->o, s->n_runs_left);
	fprintf(stderr,
		"campaign %s %" PRIu64 ": %" PRIu64 " runs; left: %" PRIu64
		" runs, about %.0f %s\n",
		unit_names[u->kind], u->index, machine_runs(u, s->o), s->n_runs_left,
		left < 100 ? left : left / 60, left < 100 ? "s" : "min");
}

static int units_make(struct selftest *s, struct err *e)
{
	int ret = 0;
	struct unit u;
	for (uint64_t i = 0; i < units_end(s->o); i++)
		if (unit_choose(s->o, i, &u) && !outcome_find(s, &u))
			s->n_runs_left += machine_runs(&u, s->o);
	for (uint64_t i = 0; !ret && i < units_end(s->o); i++) {
		if (!unit_choose(s->o, i, &u) || outcome_find(s, &u))
			continue;
		unit_announce(s, &u);
		ret = unit_make(s, &u, e);
		s->n_runs_left -= machine_runs(&u, s->o);
		s->n_runs_made += machine_runs(&u, s->o);
	}
	return ret;
}

int machine_selftest(const struct machine_options *o, struct rates *rates, struct err *e)
{
	struct selftest s = {.o = o, .outcomes = json_array(), .started_ns = clock_monotonic_ns()};
	sigset_t signals, before;
	/* until a campaign handles them; it then stops at once and can be resumed */
	signals_hold(&signals, true, &before);
	SCOPED_FREE char *script = machine_script_path(o);
	int ret = dir_create(o->dir, e);
	ret = ret ? ret : outcomes_load(&s, e);
	ret = ret ? ret : fraud_script_write(script, e);
	ret = ret ? ret : pilot_make(&s, e);
	s.started_ns = clock_monotonic_ns();
	ret = ret ? ret : units_make(&s, e);
	machine_rates(rates, s.outcomes);
	json_decref(s.outcomes);
	signals_release(&before, ret == -EINTR);
	if (ret == -EINTR)
		err_set(e, EINTR, "interrupted; continue with the same command and --resume");
	return ret;
}
