/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Volumes as a measurement standard: how well they deliver their programmed service time, over a
 * grid of models, service times and numbers of requests in flight.
 *
 * Each round makes a volume for each model and service time, which measures its lead. A visit
 * measures the response times of requests at one depth. Its value is mean delivered / mean
 * programmed - 1. The volumes are in random order, and the visits to a point are spread over the
 * duration of the certification, so their scatter includes the effects of a new server, of a new
 * lead and of time. The bias is the mean over visits. U is the expanded uncertainty (95 %) of one
 * later visit around it: u^2 = s^2 (1 + 1/n) for the scatter s of n visits. Points with the same
 * service time and depth share their scatter: s^2 is the mean of a point's own variance and of the
 * usual variance of the other points, with 2 (n - 1) degrees of freedom. So six visits that agree
 * by chance do not make U small. Rectangular components are added for half the difference between
 * reads and writes, for the rate of the clock, and for a drift if it is significant. A machine
 * disturbs some visits more than the others, so U from few visits covers too few later visits.
 * Therefore all U are widened by one factor, which is measured on the visits of the whole grid
 * (standard_widen). If the client waited for a CPU for longer than usual, the visit, or the part of
 * it (loop) in which this happened, is disturbed; it does not count, and is made again.
 * Source of the budget: GUM 4.3 and annex G; ISO Guide 35 (stability). Of the shared scatter: the
 * moderated variance of Smyth (2004), with equal weights. Of the widening: conformal prediction
 * with normalised residuals, Lei and others, Distribution-free predictive inference (2018). E_n:
 * ISO 13528, 9.7. */
#pragma once

#include <jansson.h>

#include "common/std.h"

#define STANDARD_LIMIT 0.02	     /* of |bias| + U */
#define STANDARD_EXCESS_NS 50000.0   /* limit of the 99th percentile of the excess, */
#define STANDARD_EXCESS_SHARE 0.05   /* or this share of the service time if it is larger */
#define STANDARD_VISITS 3    /* fewer visits have no U */
/* A visit or loop is disturbed if its waiting share is larger than usual by more than
 * STANDARD_WAITED plus STANDARD_WAITED_SHARE of the usual share. */
#define STANDARD_WAITED 0.005
#define STANDARD_WAITED_SHARE 0.1

struct standard_visit {
	double hours;	      /* since the start */
	double programmed_ns; /* means over its requests */
	double response_ns;   /* at the client */
	double server_ns;     /* at the server: from arrival to answer, with the lead */
	double write_ns;      /* mean excess of writes minus that of reads */
	int64_t lead_ns;
	bool steady; /* the volume's check of its lead succeeded */
	double waited; /* waiting share: run-queue delay of the client, as a share of the time */
	size_t n_excess; /* number of requests */
};

/* The first reason why a point is not valid. */
enum standard_fault {
	STANDARD_NO_FAULT,
	STANDARD_FEW_VISITS,
	STANDARD_BIASED,
	STANDARD_EXCESS,
	STANDARD_UNSTEADY
};

struct standard_point { /* of the grid */
	const char *model;  /* kind of service.h; static */
	int64_t service_ns;
	uint32_t depth;
	struct standard_visit *visit; /* visit[n_visits], owned; NULL if read from a certificate */
	size_t n_visits, cap_visits;
	/* excess[n_excess]: response time - programmed time of each request; owned */
	double *excess_ns;
	size_t n_excess, cap_excess;
	/* usual waiting share; NaN: standard_evaluate sets it to the lower quartile of the
	 * visits */
	double waited;
	uint64_t n_left_out; /* disturbed visits, which are no longer in visit[] and excess_ns[] */
	uint64_t n_loops_left_out; /* disturbed loops within visits */
	/* results (standard_evaluate); relative to the programmed mean unless the name ends in
	 * _ns */
	double programmed_ns, bias, server_bias, scatter, drift_per_hour, expanded, k;
	double write_ns; /* mean excess of writes minus that of reads */
	double excess_p50_ns, excess_p99_ns;
	int64_t lead_ns; /* median of the visits */
	bool drifts; /* the drift is significant at 5 % */
	bool valid; /* no fault */
	enum standard_fault fault;
	size_t n_unsteady; /* visits */
	char reason[256]; /* the fault in words (reports/standard_words.h), or from the file; "" */
};

struct standard {
	json_t *machine; /* facts that must be the same where the certificate is used */
	char *made;	 /* UTC */
	double duration_s;
	/* shares of the CPUs that other processes and kernel threads used, and that the hypervisor
	 * took, if the caller measures them; NaN: unknown */
	double others_share, stolen_share;
	bool loop, realtime, awake, own_cpu; /* as in struct volume */
	bool interrupted; /* not all visits were made */
	/* number of visits of points with at least 4 visits; number of these visits that U of the
	 * point's other visits covers (with the widening of the other points). Their ratio is the
	 * measured coverage of U, for which 95 % is expected. 0: unknown */
	uint64_t n_checked, n_covered;
	double widening; /* factor in every U, at least 1 */
	struct standard_point *point; /* point[n] */
	size_t n;
};

struct standard_options {
	/* visits to each point; at least 3. Disturbed visits are made again, in up to as many
	 * further rounds */
	uint64_t rounds;
	int64_t over_ns; /* spread the rounds over this time; 0: no pauses */
	bool quick;	 /* a small grid */
	bool file; /* requests go to the volume's file, without a loop device */
	uint64_t seed;	 /* of the order */
	const char *root; /* as volume_create */
	const json_t *environment; /* of this machine, from environment_make() */
	bool quiet;
	/* set by a signal handler: the measurement ends with EINTR, or, with `partial`, without an
	 * error and with the visits made so far */
	const volatile sig_atomic_t *stop;
	bool partial;
};

/* Measures the grid, or only the points in `only` (NULL: all points of the grid). The volume in use
 * is named "standard"; it is removed at the end, also after an error. Errors: those of
 * volume_create() and volume_client_run(); EINTR; EIO: the wall clock was stepped, or the machine
 * was suspended. Ownership: standard_release. */
int standard_measure(struct standard *s, const struct standard_options *o,
		     const struct standard *only, struct err *e);
/* Returns the waiting share above which a visit or a loop is disturbed. */
double standard_waited_limit(double usual);
/* Whether the waiting share is larger than usual. p->waited must be set. */
bool standard_is_disturbed(const struct standard_point *p, const struct standard_visit *v);
/* Returns the number of visits that are not disturbed. If p->waited is unknown, the usual waiting
 * share is the lower quartile of the visits. */
size_t standard_undisturbed(const struct standard_point *p);
/* Computes the results of a point from its visits; sorts excess_ns. Removes disturbed visits,
 * unless fewer than STANDARD_VISITS would remain: then all count, with the scatter of a busy
 * machine. */
void standard_evaluate(struct standard_point *p);
/* Sets n_checked, n_covered and the widening from the visits, and computes U of all points again,
 * with the scatter of the other points, and widened. Call it
 * once, after standard_evaluate() of each point. The widening is the smallest factor, from 1 in
 * steps of 1 %, with which U of a point's other visits covers 95 % of all visits, and 95 % of the
 * visits of points that are then valid. It uses points with at least 4 visits. It is 1 if these
 * points have fewer than 20 visits. */
void standard_widen(struct standard *s);
void standard_release(struct standard *s);
/* Returns the limit of the 99th percentile of the excess. */
double standard_excess_limit_ns(const struct standard_point *p);

/* Readings of clocks, which show whether the clocks advanced equally between two readings. Errors:
 * EIO. */
struct standard_clocks {
	/* CLOCK_REALTIME and CLOCK_BOOTTIME, each minus CLOCK_MONOTONIC */
	int64_t wall_ns, boot_ns;
};
struct standard_clocks standard_clocks_read(void);
int standard_clocks_check(const struct standard_clocks *from, const struct standard_clocks *to,
			  struct err *e);

/* certificate.c: New reference. */
json_t *standard_to_json(const struct standard *s);
/* Reads a certificate. Errors: from the system; EILSEQ: not a certificate; EINVAL: a value is
 * missing or out of range. */
int standard_read(struct standard *s, const char *path, struct err *e);
/* Refuses a certificate of another machine, kernel or version of this program. Errors: EXDEV, with
 * the fact that differs. */
int standard_is_here(const struct standard *s, const char *path, const json_t *environment,
		     struct err *e);
/* Whether a volume with this service model is within the certified range at that depth: at the
 * certified depths next to it, and between the start of the range and the longest certified service
 * time. The range of a model at a depth begins at the shortest service time from which on all
 * longer certified times are valid. Sets *worst, borrowed, to the point of the range that applies
 * and has the larger |bias| + U. Errors: ERANGE; EINVAL of the model. */
int standard_covers(const struct standard *s, const char *service, uint64_t n_bytes,
		    uint64_t depth, const struct standard_point **worst, struct err *e);
/* Returns the start of the range of a model at a depth, or -1 if there is no range. */
int64_t standard_range_ns(const struct standard *s, const char *model, uint32_t depth);

/* check.c: compares the certificate with a new, short measurement of some of its points. */
struct standard_comparison {
	const struct standard_point *certified, *now; /* borrowed */
	double u_now; /* expanded uncertainty of the new mean */
	double e_n;   /* (now - certified) / sqrt(U^2 + u_now^2) */
	bool agrees;  /* |e_n| <= 1, and bias and excess are within the limits of validity */
	uint64_t n_undisturbed; /* number of new visits that are not disturbed */
	/* number of these whose value is within the certified U of the certified bias */
	uint64_t n_covered;
};
/* Sets *points to the points that a check measures: for each model the shortest service time that
 * is valid, at the depths at which it is valid; with `all` every valid point. Ownership:
 * standard_release. */
void standard_check_points(const struct standard *certified, bool all, struct standard *points);
/* Compares a new measurement of a point with its certificate. Borrows both. With fewer than two new
 * visits u_now and e_n are infinite. */
struct standard_comparison standard_compare(const struct standard_point *certified,
					    const struct standard_point *now);
