/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The visits of a certification. */

#include "common/clock.h"
#include "common/progress.h"
#include "common/splitmix.h"
#include "common/wait.h"
#include "microbench/volume/volume.h"
#include "validate/standard/certificate.h"
#include "validate/standard/loops.h"

#define VOLUME_NAME "standard"
#define VOLUME_BYTES (UINT64_C(32) << 20)
/* A visit makes loops until those that are not disturbed have taken VISIT_NS, but at most for about
 * VISIT_MOST_NS. */
#define VISIT_NS 250000000
#define VISIT_MOST_NS 500000000
#define LOOP_NS 60000000.0
#define REQUESTS_LEAST 32.0
#define REQUESTS_MOST 2048.0
#define STEP_NS 1000000 /* the readings of two clocks differ by less than this */

enum { CONSTANT, EXPONENTIAL, LOGNORMAL, SSD, HDD, KINDS };
static const struct kind {
	const char *name;
	uint32_t parallel; /* number of requests that the volume serves at the same time; 0: all */
} kinds[KINDS] = {
    [CONSTANT] = {"constant", 0}, [EXPONENTIAL] = {"exponential", 0},
    [LOGNORMAL] = {"lognormal", 0}, [SSD] = {"ssd", 8}, [HDD] = {"hdd", 1},
};
#define SERVICES 6
static const int64_t services_ns[SERVICES] = {50000, 100000, 200000, 500000, 1000000, 5000000};

struct visit_job {
	struct standard *s;
	const struct standard_options *o;
	int64_t begun_ns;
	struct standard_clocks clocks;
	struct progress progress;
	uint64_t n_done;
};

const char *standard_kind(const char *name)
{
	for (size_t i = 0; i < KINDS; i++)
		if (name && !strcmp(kinds[i].name, name))
			return kinds[i].name;
	return NULL;
}

static size_t kind_of(const struct standard_point *p)
{
	size_t k = 0;
	while (strcmp(kinds[k].name, p->model))
		k++;
	return k;
}

/* Returns the service model whose scale (service_scale_ns) is that of the point. The caller frees
 * it. */
static char *model_of(const struct standard_point *p)
{
	const long long ns = p->service_ns;
	switch (kind_of(p)) {
	case EXPONENTIAL:
		return xasprintf("exponential:mean=%lldns", ns);
	case LOGNORMAL:
		return xasprintf("lognormal:mean=%lldns,sd=%lldns", ns, ns / 2);
	case SSD: /* no transfer time */
		return xasprintf("ssd:channels=8,read=%lldns,write=%lldns,rate=0", ns, ns);
	case HDD: /* a quarter is the mean seek, and the rest is half a rotation */
		return xasprintf("hdd:seek=%lldns,track-seek=%lldns,rpm=%.9g,rate=10GB", ns / 4,
				 ns / 20, 40e9 / (double)ns);
	default:
		return xasprintf("constant:time=%lldns", ns);
	}
}

/* --- clocks -------------------------------------------------------------- */

static int64_t clock_less_monotonic(clockid_t id)
{
	int64_t least_ns = INT64_MAX, value_ns = 0;
	for (int i = 0; i < 5; i++) { /* use the reading with the shortest interruption */
		struct timespec ts;
		const int64_t before_ns = clock_monotonic_ns();
		clock_gettime(id, &ts);
		const int64_t after_ns = clock_monotonic_ns();
		if (after_ns - before_ns >= least_ns)
			continue;
		least_ns = after_ns - before_ns;
		value_ns = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec - before_ns;
	}
	return value_ns;
}

struct standard_clocks standard_clocks_read(void)
{
	return (struct standard_clocks){clock_less_monotonic(CLOCK_REALTIME),
					clock_less_monotonic(CLOCK_BOOTTIME)};
}

int standard_clocks_check(const struct standard_clocks *from, const struct standard_clocks *to,
			  struct err *e)
{
	const int64_t wall_ns = to->wall_ns - from->wall_ns, boot_ns = to->boot_ns - from->boot_ns;
	if (llabs(boot_ns) > STEP_NS)
		return err_set(e, EIO, "the machine was suspended for %.3g s: measure again",
			       (double)boot_ns * 1e-9);
	if (llabs(wall_ns) > STEP_NS)
		return err_set(e, EIO, "the wall clock was stepped by %.3g s: measure again",
			       (double)wall_ns * 1e-9);
	return 0;
}

/* --- a visit ------------------------------------------------------------- */

/* Adds `v` with the means over r[n]. */
static void visit_add(struct standard_point *p, const struct volume_request *r, uint64_t n,
		      struct standard_visit v)
{
	double excess[2] = {0};
	uint64_t n_of[2] = {0};
	for (uint64_t i = 0; i < n; i++) {
		const double excess_ns = (double)(r[i].response_ns - r[i].programmed_ns);
		v.programmed_ns += (double)r[i].programmed_ns / (double)n;
		v.response_ns += (double)r[i].response_ns / (double)n;
		v.server_ns += (double)r[i].server_ns / (double)n;
		excess[r[i].write] += excess_ns;
		n_of[r[i].write]++;
		v.lead_ns = r[i].lead_ns > v.lead_ns ? r[i].lead_ns : v.lead_ns;
		APPEND(p->excess_ns, p->n_excess, p->cap_excess, excess_ns);
	}
	v.n_excess = n;
	v.write_ns = excess[1] / (double)n_of[1] - excess[0] / (double)n_of[0];
	APPEND(p->visit, p->n_visits, p->cap_visits, v);
}

static uint32_t requests_of(const struct standard_point *p)
{
	const uint32_t parallel = kinds[kind_of(p)].parallel;
	const double served = parallel && parallel < p->depth ? parallel : p->depth;
	return (uint32_t)fmin(REQUESTS_MOST, fmax(LOOP_NS * served / (double)p->service_ns,
						  fmax(REQUESTS_LEAST, 2 * p->depth)));
}

static int loop_make(struct loops *l, const struct volume_client *c, struct volume_log *log,
		     struct err *e)
{
	struct volume_request *r = loops_room(l);
	const int64_t begin_ns = clock_monotonic_ns(), before_ns = thread_runqueue_wait_ns();
	volume_log_reset(log);
	int ret = volume_client_run(c, r, l->n_requests, e);
	const int64_t waited_ns = thread_runqueue_wait_ns() - before_ns;
	if (!ret)
		loops_add(l, clock_monotonic_ns() - begin_ns, waited_ns);
	return ret;
}

static int visit_make(struct visit_job *m, const struct volume *v, struct standard_point *p,
		      struct err *e)
{
	const struct volume_client c = {.path = volume_path(v), .log = v->log,
					.n_bytes = v->n_bytes, .server = v->pid, .depth = p->depth,
					.writes = true};
	struct loops l = {.n_requests = requests_of(p)};
	struct volume_log log;
	const int64_t begin_ns = clock_monotonic_ns();
	uint32_t at = 0;
	while (at < VOLUME_DEPTHS - 1 && p->depth > volume_depth[at])
		at++;
	int ret = volume_log_open(&log, v->log, true, e);
	if (ret)
		return ret;
	do {
		ret = loop_make(&l, &c, &log, e);
	} while (!ret && loops_usable_ns(&l) < VISIT_NS &&
		 clock_monotonic_ns() - begin_ns < VISIT_MOST_NS);
	if (!ret) {
		const double waited = loops_leave_out(&l, &p->n_loops_left_out);
		visit_add(p, l.request, l.n * l.n_requests, (struct standard_visit){
			.hours = (double)(begin_ns - m->begun_ns) / 3600e9,
			.steady = v->lead.n_steady > at,
			.waited = waited});
	}
	loops_release(&l);
	volume_log_close(&log);
	return ret;
}

/* Whether a point lacks a visit in round `round`. In further rounds, these are the points with
 * disturbed visits. */
static bool is_missing(const struct visit_job *m, const struct standard_point *p, uint64_t round)
{
	return round < m->o->rounds || standard_undisturbed(p) < m->o->rounds;
}

/* The points first..last have the same model and service time but different depths. They share a
 * volume. After the planned rounds, only points with too many disturbed visits are visited. */
static int volume_visit(struct visit_job *m, struct standard_point *first,
			struct standard_point *last, uint64_t round, struct err *e)
{
	struct volume_config c;
	struct volume v;
	bool refused;
	char *model = model_of(first);
	volume_config_init(&c);
	c.service = model;
	c.n_bytes = VOLUME_BYTES;
	c.log_cap = 1 << 16;
	c.loop = c.loop && !m->o->file;
	int ret = volume_create(m->o->root, VOLUME_NAME, &c, &v, e);
	free(model);
	if (ret)
		return ret;
	m->s->loop = v.device[0];
	m->s->realtime = v.realtime;
	m->s->awake = v.awake;
	m->s->own_cpu = v.own_cpu;
	for (struct standard_point *p = first; p <= last && !ret; p++)
		if (is_missing(m, p, round))
			ret = visit_make(m, &v, p, e);
	struct err second = ERR_INIT;
	int removed = volume_remove(&v, &refused, &second);
	if (removed && !ret) {
		*e = second;
		ret = removed;
	}
	volume_release(&v);
	return ret;
}

/* --- the rounds ---------------------------------------------------------- */

static void pause_until(const struct visit_job *m, int64_t until_ns)
{
	while (!*m->o->stop && clock_monotonic_ns() < until_ns)
		nanosleep(&(struct timespec){0, 50000000}, NULL);
}

/* Returns the first point after `first` that is on another volume. */
static struct standard_point *volume_end(const struct standard *s, struct standard_point *first)
{
	struct standard_point *p = first;
	while (p < s->point + s->n && p->model == first->model &&
	       p->service_ns == first->service_ns)
		p++;
	return p;
}

static bool volume_is_missing(const struct visit_job *m, struct standard_point *first,
			      uint64_t round)
{
	const struct standard_point *end = volume_end(m->s, first);
	bool missing = false;
	for (const struct standard_point *p = first; p < end; p++)
		missing |= is_missing(m, p, round);
	return missing;
}

/* After the planned rounds, the volumes of this round are further steps. */
static void progress_extend(struct visit_job *m, uint64_t round)
{
	struct standard *s = m->s;
	uint64_t n = m->n_done;
	for (struct standard_point *p = s->point; p < s->point + s->n; p = volume_end(s, p))
		n += volume_is_missing(m, p, round);
	m->progress.n_total = n;
	m->progress.work_total = (double)n;
}

static int round_make(struct visit_job *m, uint64_t round, uint64_t *random, struct err *e)
{
	struct standard *s = m->s;
	const bool again = round >= m->o->rounds;
	char text[80];
	size_t *begin = xcalloc(s->n + 1, sizeof *begin), n = 0;
	int ret = 0;
	for (size_t i = 0; i < s->n; i++)
		if (!i || s->point[i].model != s->point[i - 1].model ||
		    s->point[i].service_ns != s->point[i - 1].service_ns)
			begin[n++] = i;
	for (size_t i = n; i > 1; i--) {
		const size_t k = splitmix_next(random) % i, last = begin[i - 1];
		begin[i - 1] = begin[k];
		begin[k] = last;
	}
	if (again)
		progress_extend(m, round);
	for (size_t i = 0; i < n && !ret; i++) {
		struct standard_point *first = &s->point[begin[i]];
		if (!volume_is_missing(m, first, round))
			continue;
		snprintf(text, sizeof text, again ? "%s, visited again" : "%s",
			 first->model);
		progress_step(&m->progress, m->n_done, (double)m->n_done, text);
		ret = *m->o->stop ? err_set(e, EINTR, "interrupted")
				  : volume_visit(m, first, volume_end(s, first) - 1, round, e);
		const struct standard_clocks now = standard_clocks_read();
		ret = ret ? ret : standard_clocks_check(&m->clocks, &now, e);
		m->n_done++;
	}
	free(begin);
	return ret;
}

static void grid_make(struct standard *s, bool quick)
{
	size_t cap = 0;
	for (size_t k = 0; k < KINDS; k++)
		for (size_t i = 0; i < SERVICES; i++)
			for (size_t d = 0; d < VOLUME_DEPTHS; d++) {
				if (quick && (k > EXPONENTIAL || d % 2 ||
					      (services_ns[i] != 200000 &&
					       services_ns[i] != 1000000)))
					continue;
				GROW(s->point, s->n, cap);
				s->point[s->n++] = (struct standard_point){
				    .model = kinds[k].name, .service_ns = services_ns[i],
				    .depth = volume_depth[d], .waited = NAN};
			}
}

static void points_copy(struct standard *s, const struct standard *only)
{
	s->n = only->n;
	s->point = xcalloc(s->n + 1, sizeof *s->point);
	for (size_t i = 0; i < s->n; i++)
		s->point[i] = (struct standard_point){.model = only->point[i].model,
						      .service_ns = only->point[i].service_ns,
						      .depth = only->point[i].depth,
						      .waited = only->point[i].waited};
}

static size_t volumes_count(const struct standard *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += !i || s->point[i].model != s->point[i - 1].model ||
		     s->point[i].service_ns != s->point[i - 1].service_ns;
	return n;
}

/* Removes the volume of an earlier session that was killed. */
static int leftover_remove(const char *root, struct err *e)
{
	struct volume v;
	bool refused;
	int ret = 0;
	if (!volume_find(root, VOLUME_NAME, &v, NULL))
		ret = volume_remove(&v, &refused, e);
	volume_release(&v);
	return ret;
}

static void date_make(struct standard *s)
{
	char text[40];
	struct tm tm;
	const time_t now = time(NULL);
	gmtime_r(&now, &tm);
	strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm);
	s->made = xstrdup(text);
}

int standard_measure(struct standard *s, const struct standard_options *o,
		     const struct standard *only, struct err *e)
{
	struct visit_job m = {.s = s, .o = o, .begun_ns = clock_monotonic_ns(),
			      .clocks = standard_clocks_read()};
	uint64_t random = o->seed;
	*s = (struct standard){.others_share = NAN, .stolen_share = NAN};
	int ret = leftover_remove(o->root, e);
	if (ret)
		return ret;
	if (only)
		points_copy(s, only);
	else
		grid_make(s, o->quick);
	s->machine = standard_machine(o->environment);
	date_make(s);
	progress_start(&m.progress, o->rounds * volumes_count(s),
		       (double)(o->rounds * volumes_count(s)), !o->quiet);
	for (uint64_t i = 0; i < 2 * o->rounds && !ret; i++) {
		if (i && i < o->rounds && o->over_ns)
			pause_until(&m, m.begun_ns + o->over_ns / (int64_t)(o->rounds - 1) *
							  (int64_t)i);
		ret = round_make(&m, i, &random, e);
	}
	progress_end(&m.progress);
	s->duration_s = (double)(clock_monotonic_ns() - m.begun_ns) * 1e-9;
	s->interrupted = ret == -EINTR && o->partial;
	ret = s->interrupted ? 0 : ret;
	for (size_t i = 0; i < s->n && !ret; i++)
		standard_evaluate(&s->point[i]);
	standard_widen(s);
	if (ret)
		standard_release(s);
	return ret;
}
