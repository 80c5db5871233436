/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "common/scheduling.h"

#include <jansson.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "common/proc_text.h"
#include "common/processors.h"
#include "common/units.h"

#define AUTO_PERIOD_NS 1000000
/* The kernel admits deadline threads up to sched_rt_runtime_us, usually 95 % of the CPUs, of which
 * its own server for other threads takes 5 %. */
#define AUTO_SHARE 0.8
#define N_TRIES 20
#define TRY_NS 1000000
#define LEAST_RUNTIME_NS 1024 /* the limit of the kernel */

/* struct sched_attr of linux/sched/types.h, whose header clashes with sched.h */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime_ns, deadline_ns, period_ns;
};

static const struct policy {
	const char *name;
	int policy;
	bool has_priority;
} policies[] = {
    {"other", SCHED_OTHER, false}, {"batch", SCHED_BATCH, false}, {"idle", SCHED_IDLE, false},
    {"fifo", SCHED_FIFO, true},    {"rr", SCHED_RR, true},
    {"deadline", SCHED_DEADLINE, false},
};
enum { N_POLICIES = sizeof policies / sizeof *policies };

/* --- as text ------------------------------------------------------------- */

/* "400us/1ms" */
static int figures_parse(const char *text, struct scheduling *s, struct err *e)
{
	const char *slash = strchr(text, '/');
	char runtime[32];
	if (!slash || (size_t)(slash - text) >= sizeof runtime)
		return err_set(e, EINVAL,
			"\"deadline:%s\": give runtime and period, as in deadline:400us/1ms", text);
	memcpy(runtime, text, (size_t)(slash - text));
	runtime[slash - text] = 0;
	int ret = parse_duration(runtime, &s->runtime_ns, e);
	ret = ret ? ret : parse_duration(slash + 1, &s->period_ns, e);
	if (ret)
		return err_context(e, "deadline:%s", text);
	if (s->runtime_ns < LEAST_RUNTIME_NS || s->runtime_ns > s->period_ns)
		return err_set(
		    e, EINVAL,
		    "\"deadline:%s\": the runtime must be at least 1024ns and at most the period",
		    text);
	return 0;
}

int scheduling_parse(const char *text, struct scheduling *s, struct err *e)
{
	static const char expected[] = "other, batch, idle, fifo:1 to fifo:99, rr:1 to rr:99, "
				       "deadline or deadline:RUNTIME/PERIOD";
	size_t len = strcspn(text, ":");
	*s = (struct scheduling){.set = true};
	for (const struct policy *p = policies; p < policies + N_POLICIES; p++) {
		if (strlen(p->name) != len || strncmp(p->name, text, len))
			continue;
		s->policy = p->policy;
		if (p->policy == SCHED_DEADLINE)
			return text[len] ? figures_parse(text + len + 1, s, e) : 0;
		if (!p->has_priority)
			return text[len] ? err_set(e, EINVAL, "\"%s\": policy %s takes no priority",
						   text, p->name)
					 : 0;
		uint64_t priority = 0;
		if (!text[len] || parse_uint(text + len + 1, &priority, NULL) < 0 || priority < 1 ||
		    priority > 99)
			break;
		s->priority = (int)priority;
		return 0;
	}
	return err_set(e, EINVAL, "\"%s\" is not one of %s", text, expected);
}

static const char *policy_name(const struct scheduling *s)
{
	for (const struct policy *p = policies; p < policies + N_POLICIES; p++)
		if (p->policy == s->policy)
			return p->name;
	return "unknown";
}

json_t *scheduling_to_json(const struct scheduling *s)
{
	if (!s->set)
		return json_null();
	if (s->policy == SCHED_DEADLINE)
		return json_pack("{s:s, s:I, s:I}", "policy", policy_name(s), "runtime_ns",
				 (json_int_t)s->runtime_ns, "period_ns", (json_int_t)s->period_ns);
	return json_pack("{s:s, s:i}", "policy", policy_name(s), "priority", s->priority);
}

/* --- setting the policy ------------------------------------------------- */

bool scheduling_is_realtime(const struct scheduling *s)
{
	return s->set &&
	       (s->policy == SCHED_FIFO || s->policy == SCHED_RR || s->policy == SCHED_DEADLINE);
}

struct scheduling scheduling_of(const struct scheduling *s, uint32_t n_threads)
{
	struct scheduling full = *s;
	if (!s->set || s->policy != SCHED_DEADLINE || s->runtime_ns)
		return full;
	uint32_t n = (uint32_t)processors_allowed();
	double share = n_threads > n ? AUTO_SHARE * n / n_threads : AUTO_SHARE;
	full.period_ns = AUTO_PERIOD_NS;
	full.runtime_ns = (int64_t)(share * AUTO_PERIOD_NS);
	if (full.runtime_ns < LEAST_RUNTIME_NS)
		full.runtime_ns = LEAST_RUNTIME_NS;
	return full;
}

int scheduling_apply(const struct scheduling *s)
{
	if (!s->set)
		return 0;
	struct attributes a = {
	    .size = sizeof a,
	    .policy = (uint32_t)s->policy,
	    .priority = (uint32_t)s->priority,
	    .runtime_ns = (uint64_t)s->runtime_ns,
	    .deadline_ns = (uint64_t)s->period_ns,
	    .period_ns = (uint64_t)s->period_ns,
	};
	/* the kernel releases the bandwidth of an ended deadline thread one period later */
	for (int i = 0; i < N_TRIES; i++) {
		if (syscall(SYS_sched_setattr, 0, &a, 0) == 0)
			return 0;
		if (errno != EBUSY)
			return errno;
		nanosleep(&(struct timespec){.tv_nsec = TRY_NS}, NULL);
	}
	return EBUSY;
}

bool scheduling_slice(int64_t ns)
{
	struct attributes a = {.size = sizeof a};
	if (syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) ||
	    (a.policy != SCHED_OTHER && a.policy != SCHED_BATCH))
		return false;
	a.runtime_ns = (uint64_t)ns; /* an earlier kernel ignores it, and reports 0 */
	return !syscall(SYS_sched_setattr, 0, &a, 0) &&
	       !syscall(SYS_sched_getattr, 0, &a, sizeof a, 0) && a.runtime_ns == (uint64_t)ns;
}

void scheduling_leave(const struct scheduling *s)
{
	if (s->set && s->policy == SCHED_DEADLINE)
		(void)scheduling_apply(&(struct scheduling){.set = true, .policy = SCHED_OTHER});
}

/* --- messages ------------------------------------------------------------ */

static bool number_read(const char *path, int64_t *value)
{
	char text[32];
	if (!proc_text_read(path, text, sizeof text))
		return false;
	*value = strtoll(text, NULL, 10);
	return true;
}

/* The part of each period that real-time threads may use, both in microseconds. False: unknown. */
static bool throttling_read(int64_t *runtime_us, int64_t *period_us)
{
	return number_read("/proc/sys/kernel/sched_rt_runtime_us", runtime_us) &&
	       number_read("/proc/sys/kernel/sched_rt_period_us", period_us) && *runtime_us >= 0 &&
	       *runtime_us < *period_us;
}

static int refused_permission(const struct scheduling *s, struct err *e)
{
	struct rlimit limit = {.rlim_cur = 0};
	if (s->policy == SCHED_DEADLINE)
		return err_set(e, EACCES, "scheduling policy deadline is not permitted: it needs "
			"the capability CAP_SYS_NICE, and the process must have no affinity mask");
	getrlimit(RLIMIT_RTPRIO, &limit);
	return err_set(e, EACCES, "scheduling policy %s:%d is not permitted: it needs the "
		"capability CAP_SYS_NICE or a limit RLIMIT_RTPRIO (ulimit -r) of at least %d "
		"(now %" PRIu64 ")", policy_name(s), s->priority, s->priority,
		(uint64_t)limit.rlim_cur);
}

int scheduling_refused(const struct scheduling *s, int code, uint32_t n_threads, struct err *e)
{
	struct scheduling full = scheduling_of(s, n_threads);
	if (code == EPERM)
		return refused_permission(s, e);
	if (code != EBUSY)
		return err_sys(e, code, "cannot set the scheduling policy %s", policy_name(s));
	return err_set(e, EBUSY, "scheduling policy deadline: the kernel does not admit %u threads "
		"with %s of CPU time in every %s on %u CPUs: use fewer threads or a shorter "
		"runtime, or raise kernel.sched_rt_runtime_us", n_threads,
		duration_text((double)full.runtime_ns).s, duration_text((double)full.period_ns).s,
		(uint32_t)processors_allowed());
}

int scheduling_check(const struct scheduling *s, bool pin, struct err *e)
{
	if (!s->set || s->policy != SCHED_DEADLINE)
		return 0;
	if (pin)
		return err_set(e, EINVAL, "scheduling policy deadline cannot be used together "
			"with --pin or --cpus: the kernel accepts no deadline thread with an "
			"affinity mask");
	long n = sysconf(_SC_NPROCESSORS_ONLN);
	if (n > 0 && (uint32_t)processors_allowed() < (uint32_t)n)
		return err_set(e, EINVAL, "scheduling policy deadline: this process may use only "
			"%u of %ld CPUs, and the kernel accepts no deadline thread with an "
			"affinity mask",
			(uint32_t)processors_allowed(), n);
	return 0;
}

void scheduling_warning(const struct scheduling *s, uint32_t n_threads, bool spin, char *to,
			size_t size)
{
	int64_t runtime_us = 0, period_us = 1;
	*to = 0;
	if (!scheduling_is_realtime(s) || !size)
		return;
	int n = 0;
	if (spin && n_threads > (uint32_t)processors_allowed())
		n = snprintf(to, size, "%u spinning real-time threads share %u CPUs: each "
			"blocks the others on its CPU; ", n_threads,
			(uint32_t)processors_allowed());
	if (n < 0 || (size_t)n >= size)
		return;
	if (throttling_read(&runtime_us, &period_us))
		snprintf(to + n, size - (size_t)n, "real-time throttling: spinning threads lose "
			"up to %" PRId64 " ms of every %" PRId64 " ms on each CPU to other work "
			"(kernel.sched_rt_runtime_us)", (period_us - runtime_us) / 1000,
			period_us / 1000);
	else
		snprintf(to + n, size - (size_t)n, "no real-time throttling: a spinning thread "
			"blocks all other work on its CPU");
}
