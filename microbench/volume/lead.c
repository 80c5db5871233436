/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures the time that the kernel, FUSE and the loop device add to the service time of a request,
 * for each depth. */
#include "common/clock.h"
#include "common/sort.h"
#include "microbench/volume/client.h"
#include "microbench/volume/volume.h"

#define N_MOST 512u
#define N_LEAST 16u
#define N_USABLE 8u
#define PASS_NS 40000000.0 /* intended duration of a pass */
#define PASSES 3
#define TRIES 2
#define WARM_DEPTH 16
/* Models slower than this get the lead of depth 1 at every depth: measuring would take seconds, and
 * the differences are small compared with the service time. */
#define SLOW_NS 5000000.0
/* A pass ends the search if its excess is at most FINE (a share of the service time, or ns). The
 * lead is steady if the excess of the best pass is at most STEADY. */
#define FINE_SHARE 0.003
#define FINE_NS 2000.0
#define STEADY_SHARE 0.015
#define STEADY_NS 4000.0

struct lead_pass {
	double excess_ns;     /* mean of the middle 90 % of (response - programmed) */
	double programmed_ns; /* mean */
	double low_ns, high_ns; /* quartiles of the time outside the server */
	/* largest plausible lead: twice a low quantile of that time; longer times are caused by
	 * other work */
	double most_ns;
	/* requests whose programmed time is longer than the lead, which can therefore shorten
	 * them */
	uint32_t n_usable;
};

/* Computes the results of a pass. The low quantile is 5 % for single requests. It is 25 % if
 * several requests are in flight, because requests that end together wait for each other. */
static struct lead_pass pass_of(const struct volume_request *r, uint32_t n, uint32_t depth)
{
	double *excess = xcalloc(n, sizeof *excess), *way = xcalloc(n, sizeof *way), sum = 0;
	struct lead_pass p = {.n_usable = 0};
	for (uint32_t i = 0; i < n; i++) {
		p.programmed_ns += (double)r[i].programmed_ns / n;
		way[i] = (double)(r[i].response_ns - (r[i].server_ns - r[i].lead_ns));
		if (r[i].programmed_ns >= r[i].lead_ns)
			excess[p.n_usable++] = (double)(r[i].response_ns - r[i].programmed_ns);
	}
	qsort(way, n, sizeof *way, order_double);
	qsort(excess, p.n_usable, sizeof *excess, order_double);
	const uint32_t cut = p.n_usable / 20;
	for (uint32_t i = cut; i < p.n_usable - cut; i++)
		sum += excess[i];
	p.excess_ns = p.n_usable ? sum / (p.n_usable - 2 * cut) : 0;
	p.most_ns = 2 * way[depth > 1 ? n / 4 : n / 20];
	p.low_ns = way[n / 4];
	p.high_ns = way[n - 1 - n / 4];
	FREE_EACH(excess, way);
	return p;
}

/* Makes one pass at the client's depth. Its length depends on `response_ns`, the time of a
 * request. */
static int pass_make(const struct volume_client *c, struct volume_log *log, double response_ns,
		     struct lead_pass *p, struct err *e)
{
	double n = response_ns > 0 ? PASS_NS * c->depth / response_ns : N_LEAST;
	const double most = fmin(N_MOST, volume_client_most(c->n_bytes));
	n = fmin(fmax(n, fmax(N_LEAST, 2 * c->depth)), most);
	SCOPED_FREE struct volume_request *request = xcalloc((size_t)n, sizeof *request);
	if (atomic_load(&log->head->n) + (uint64_t)n > log->head->cap)
		volume_log_reset(log);
	int ret = volume_client_run(c, request, (uint32_t)n, e);
	if (!ret)
		*p = pass_of(request, (uint32_t)n, c->depth);
	return ret;
}

static bool is_close(const struct lead_pass *p, double share, double ns)
{
	return fabs(p->excess_ns) <= fmax(ns, share * p->programmed_ns);
}

struct settling {
	struct volume_client c;
	struct volume_log log;
	struct volume_lead *lead;
	double programmed_ns[VOLUME_DEPTHS]; /* mean; 0: unknown */
	bool steady[VOLUME_DEPTHS];
};

static int pass_at(struct settling *s, int depth, struct lead_pass *p, struct err *e)
{
	s->c.depth = volume_depth[depth];
	atomic_store(&s->log.head->lead_ns[depth], s->lead->ns[depth]);
	int ret = pass_make(&s->c, &s->log, s->programmed_ns[depth], p, e);
	if (!ret)
		s->programmed_ns[depth] = p->programmed_ns;
	return ret;
}

/* Corrects the lead of one depth by the excess of each pass, and keeps the lead of the best pass.
 * The first passes also warm up the server. */
static int depth_settle(struct settling *s, int depth, struct err *e)
{
	struct lead_pass p, best = {.excess_ns = INFINITY};
	int64_t *lead_ns = &s->lead->ns[depth], best_ns = *lead_ns;
	bool usable = true;
	/* if the lead of one depth is not steady, the leads of greater depths are not steady
	 * either */
	const int most = !depth || s->steady[depth - 1] ? PASSES * TRIES : PASSES;
	for (int i = 0; i < most && usable; i++) {
		int ret = pass_at(s, depth, &p, e);
		if (ret)
			return ret;
		if (i == 0 && depth == 0) {
			s->lead->low_ns = (int64_t)p.low_ns;
			s->lead->high_ns = (int64_t)p.high_ns;
		}
		usable = p.n_usable >= N_USABLE;
		if (i >= PASSES - 1 && fabs(p.excess_ns) < fabs(best.excess_ns)) {
			best = p;
			best_ns = *lead_ns;
		}
		if (i >= PASSES - 1 && is_close(&p, FINE_SHARE, FINE_NS))
			break;
		*lead_ns = llround(fmin(p.most_ns, fmax(0, (double)*lead_ns + p.excess_ns)));
	}
	*lead_ns = best_ns;
	atomic_store(&s->log.head->lead_ns[depth], best_ns);
	s->steady[depth] = !usable || is_close(&best, STEADY_SHARE, STEADY_NS);
	return 0;
}

/* Makes one more pass at a depth. If it differs from the passes before, something disturbed them
 * (such as programs that the system starts for a new device), and the lead is settled again. */
static int depth_verify(struct settling *s, int depth, struct err *e)
{
	struct lead_pass p;
	int ret = pass_at(s, depth, &p, e);
	return ret || p.n_usable < N_USABLE || is_close(&p, FINE_SHARE, FINE_NS)
		   ? ret
		   : depth_settle(s, depth, e);
}

static int leads_settle(struct settling *s, struct err *e)
{
	struct volume_lead *lead = s->lead;
	struct lead_pass warm;
	int n = 1; /* depths that are measured */
	*lead = (struct volume_lead){.n_steady = 0};
	/* warms up: a server is faster after it has served requests in parallel, with all its
	 * threads */
	s->c.depth = WARM_DEPTH;
	int ret = pass_make(&s->c, &s->log, 0, &warm, e);
	ret = ret ? ret : depth_settle(s, 0, e);
	for (; n < VOLUME_DEPTHS && !ret && s->programmed_ns[n - 1] <= SLOW_NS; n++) {
		lead->ns[n] = lead->ns[n - 1];
		s->programmed_ns[n] = s->programmed_ns[n - 1];
		ret = depth_settle(s, n, e);
	}
	for (int d = 0; d < n && !ret; d++)
		ret = depth_verify(s, d, e);
	for (int d = n; d < VOLUME_DEPTHS && !ret; d++) {
		lead->ns[d] = lead->ns[0];
		s->steady[d] = true;
		atomic_store(&s->log.head->lead_ns[d], lead->ns[d]);
	}
	while (lead->n_steady < VOLUME_DEPTHS && s->steady[lead->n_steady])
		lead->n_steady++;
	return ret;
}

int volume_lead_measure(const struct volume *v, struct volume_lead *lead, struct err *e)
{
	struct settling s = {.c = {.path = volume_path(v), .log = v->log, .n_bytes = v->n_bytes,
				   .server = v->pid},
			     .lead = lead};
	int ret = volume_log_open(&s.log, v->log, true, e);
	if (ret)
		return ret;
	ret = leads_settle(&s, e);
	if (ret) {
		err_context(e, "cannot measure the volume's lead");
	} else {
		volume_log_reset(&s.log);
		/* the random service times of later requests must not depend on the number of these
		 * reads */
		atomic_fetch_add(&s.log.head->n_restarts, 1);
	}
	volume_log_close(&s.log);
	return ret;
}
