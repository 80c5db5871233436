/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Capture of an application on several hosts. On each host an agent, started by a launcher
 * (common/hosts.h), watches the threads of its host and records their requests. The collector
 * starts the application, decides when all threads of all hosts wait, relates the clocks of the
 * hosts, and joins the recordings of the agents. All hosts share the directory of the runs.
 *
 * Messages are lines on standard input and output of the agent:
 *
 * agent                             | collector
 * ready                             |
 * held        a thread is held back | look HOLD       all others begin to look for waits
 * quiet HOLD  all threads wait      | confirm ROUND SETTLE   if all hosts are quiet
 * active HOLD this has changed      |
 * confirmed ROUND STARTS            | release AT      if all hosts have confirmed
 * clock NS                          | clock
 * done                              | end             the application has ended
 *
 * An agent confirms if its threads waited from its message "quiet" until SETTLE ns after "confirm".
 * So all threads of all hosts waited for at least SETTLE at the same time, and no message between
 * hosts was in transit. AT is an instant within this time, by the collector's
 * clock. AT 0: a rank was being initialised, and no wait counts.
 *
 * An agent ends an application that makes no request for too long. It counts from the last "clock",
 * because the application had not begun before. */
#pragma once

#include "capture/app/app.h"
#include "capture/causality/collect_private.h"
#include "capture/preload/causes.h"
#include "common/words.h"

#define AGENT_READY "ready"
#define AGENT_HELD "held"
#define AGENT_QUIET "quiet"
#define AGENT_ACTIVE "active"
#define AGENT_CONFIRMED "confirmed"
#define AGENT_DONE "done"
#define AGENT_LOOK "look"
#define AGENT_CONFIRM "confirm"
#define AGENT_RELEASE "release"
#define AGENT_CLOCK "clock"
#define AGENT_END "end"
/* minimum of SETTLE */
#define AGENT_SETTLE_NS INT64_C(5000000)

/* In these bits, process and thread numbers of host i contain i. Linux numbers are at most 2^22. */
#define AGENT_PID_SHIFT 22

struct agent_given { /* data that all agents of a run get, followed by known[] */
	char version[32];
	/* size of this struct and of struct watch_thread, to detect a different version */
	uint64_t size;
	char root[CAUSE_ROOT_MAX], scratch[CAUSE_ROOT_MAX], link[CAUSE_ROOT_MAX];
	bool has_scratch, snapshot;
	uint64_t throttled, period;
	double factor;
	int64_t compute_floor_ns, quiet_ns;
	uint32_t n_known;
};

struct agent_seen { /* data that an agent found, followed by its threads and waits */
	uint32_t n_threads;
	uint64_t n_waits, n_lost;
	struct watch_outcome outcome;
};

/* Makes PATH.HOST.raw and similar. The caller frees. */
char *agent_path(const char *path, const char *host, const char *ending);

/* Runs an agent. `path`: path of the files of the run, without suffix. Errors: of the capture. */
int agent_run(const char *path, const char *host, struct err *e);

/* In the child process: standard output and error become the file `log`, input becomes empty. */
int run_output_redirect(const char *log);

/* Part of run_once() for c->hosts: runs `file`, and fills in r->watch (opened), r->clock_bound_ns,
 * o->status and o->n_lost. Errors: ECHILD: an agent failed; of the system. */
int hosts_run_once(const struct run_config *c, struct run_result *r, struct app_outcome *o,
		   const char *file, struct err *e);

struct host_clock { /* a host's clock minus the collector's clock, ns */
	/* two measurements, at these instants of the host's clock */
	int64_t at_ns[2], ahead_ns[2], bound_ns[2];
};
/* Converts an instant of the host's clock to the collector's clock. The difference changes
 * linearly. */
int64_t host_clock_common(const struct host_clock *c, int64_t ns);

/* Joins the raw traces of the hosts to `to`, on the collector's clock. Keeps only files that
 * existed before the run: name[n_names], ascending; NULL: keeps all. Errors: of reading and
 * writing. */
int hosts_join(const char *path, const struct words_list *host, const struct host_clock *clock,
	       char *const *name, size_t n_names, const char *to, struct err *e);
