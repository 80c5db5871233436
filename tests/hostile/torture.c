/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Replays random hostile traces with every engine in a closed scene, and keeps traces for which a
 * replay went wrong.
 *
 * usage: torture [--seconds N] [--rounds N] [--seed N] [--kind NAME] [--limit SECONDS] [--show]
 * VALIDATE KEEP
 *
 * VALIDATE: the program. KEEP: a directory for failing traces. Prints a line for each failure, and
 * at the end, for each kind, "count NAME ATTEMPTS". The same seed gives the same traces; an attempt
 * in which names are swapped during the replay may end differently. --show prints the status and
 * the first line of the messages of each attempt. To repeat an attempt: --rounds 1 --kind KIND
 * --only SEED.
 *
 * Status: 0; 1 after a failure; 77 if a scene cannot be made; 3 otherwise. */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "torture_attempt.h"
#include "torture_random.h"

enum { N_KINDS_MAX = 32, N_KEPT_OF_A_REASON = 3, N_REASONS = 64 };

struct torture {
	double seconds;
	uint64_t n_rounds, seed, only;
	const char *kind, *validate, *keep;
	int limit_s;
	bool shows;
	struct scene scene;
	uint64_t n_attempts[N_KINDS_MAX], n_done[N_KINDS_MAX], n_failures;
	char reason[N_REASONS][320];
	uint32_t n_of_reason[N_REASONS];
};

static volatile sig_atomic_t stopped;

static void stop(int signal_number)
{
	(void)signal_number;
	stopped = 1;
}

static double now_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- failures ------------------------------------------------------------ */

/* Whether there are already enough examples of this kind and reason. */
static bool is_known(struct torture *t, const struct attempt *a, const char *why)
{
	char reason[320];
	snprintf(reason, sizeof reason, "%s: %.280s", a->kind->name, why);
	for (int i = 0; i < N_REASONS; i++) {
		if (!t->reason[i][0])
			snprintf(t->reason[i], sizeof t->reason[i], "%s", reason);
		if (!strcmp(t->reason[i], reason))
			return t->n_of_reason[i]++ >= N_KEPT_OF_A_REASON;
	}
	return true;
}

static bool fails_alike(struct torture *t, const struct attempt *a, const char *reason)
{
	char why[300] = "";
	int status;
	return !attempt_make(&t->scene, a, &status, why, sizeof why) && !strcmp(why, reason);
}

/* Leaves out smaller and smaller groups of requests as long as the same failure occurs. Returns the
 * number of remaining requests, or 0 if the failure does not occur again. */
static uint32_t reduce(struct torture *t, struct attempt *a, bool *left_out, const char *reason)
{
	const uint32_t n = attempt_n_requests(a);
	uint32_t n_left = n;
	const double until = now_s() + 30;
	a->left_out = left_out;
	if (!fails_alike(t, a, reason))
		return 0;
	for (uint32_t group = (n + 1) / 2; group && now_s() < until; group /= 2)
		for (uint32_t from = 0; from < n && now_s() < until; from += group) {
			bool before[RANDOM_REQUESTS_MAX];
			uint32_t n_out = 0;
			memcpy(before, left_out, sizeof before);
			for (uint32_t i = from; i < from + group && i < n; i++) {
				n_out += !left_out[i];
				left_out[i] = true;
			}
			if (n_out && fails_alike(t, a, reason))
				n_left -= n_out;
			else
				memcpy(left_out, before, sizeof before);
		}
	return n_left;
}

static void keep(struct torture *t, struct attempt a, const char *reason)
{
	char command[1200], name[100];
	bool left_out[RANDOM_REQUESTS_MAX] = {false};
	int status;
	char why[300];
	snprintf(name, sizeof name, "%s-%llu", a.kind->name, (unsigned long long)a.seed);
	const uint32_t n_left = reduce(t, &a, left_out, reason);
	if (!n_left)
		memset(left_out, 0, sizeof left_out);
	attempt_make(&t->scene, &a, &status, why, sizeof why);
	snprintf(command, sizeof command,
		 "cp " ATTEMPT_TRACE " " SCENE_KEEP
		 "/%s.trace; { echo '%s, by %s of seed %llu, %u requests'; cat " ATTEMPT_COMMAND
		 "; head -c 2000 " ATTEMPT_OUT "; head -c 6000 " ATTEMPT_ERR "; } >" SCENE_KEEP
		 "/%s.txt",
		 name, reason, a.kind->name, (unsigned long long)a.seed,
		 n_left ? n_left : attempt_n_requests(&a), name);
	if (system(command))
		fprintf(stderr, "torture: cannot keep %s\n", name);
	printf("FAILED %s --only %llu: %s; %s/%s.trace%s\n", a.kind->name,
	       (unsigned long long)a.seed, reason, t->keep, name, n_left ? "" : " (not again)");
	fflush(stdout);
}

/* --- the loop ------------------------------------------------------------ */

static void attempt_one(struct torture *t, size_t k, uint64_t seed)
{
	const struct attempt a = {
	    .kind = &kinds[k], .seed = seed, .validate = t->validate, .limit_s = t->limit_s};
	char why[300] = "";
	int status;
	t->n_attempts[k]++;
	const double begin = now_s();
	const bool good = attempt_make(&t->scene, &a, &status, why, sizeof why);
	if (t->shows) {
		printf("%s %llu: %.0f ms, %d ", a.kind->name, (unsigned long long)seed,
		       1e3 * (now_s() - begin), status);
		fflush(stdout);
		if (system("head -n 1 " ATTEMPT_ERR "; grep -q . " ATTEMPT_ERR " || echo"))
			abort();
	}
	if (good) {
		t->n_done[k] += attempt_ran(status);
		return;
	}
	t->n_failures++;
	if (!is_known(t, &a, why))
		keep(t, a, why);
}

static void rounds_make(struct torture *t)
{
	const double until = now_s() + t->seconds;
	for (uint64_t round = 0; round < t->n_rounds && !stopped && now_s() < until; round++)
		for (size_t k = 0; kinds[k].name; k++) {
			if (t->kind && strcmp(t->kind, kinds[k].name))
				continue;
			for (uint32_t i = 0; i < kinds[k].per_round && !stopped && now_s() < until;
			     i++) {
				uint64_t state = (t->seed << 32) + round * 1000 + i;
				attempt_one(t, k, t->only ? t->only : random_next(&state) >> 20);
				if (t->only)
					return;
			}
		}
}

static int inside(struct torture *t, const char *cgroup)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	setenv("TMPDIR", SCENE_TMP, 1);
	setenv("XDG_CACHE_HOME", SCENE_WORK, 1);
	setenv("HOME", SCENE_WORK, 1);
	const int ret = scene_enter(&t->scene, t->keep, cgroup);
	if (ret)
		return ret;
	attempts_begin();
	rounds_make(t);
	for (size_t k = 0; kinds[k].name; k++)
		if (t->n_attempts[k])
			printf("count replays-%s %llu\n", kinds[k].name,
			       (unsigned long long)t->n_attempts[k]);
	for (size_t k = 0; kinds[k].name; k++)
		if (t->n_attempts[k])
			printf("note %s: %.0f%% of the traces were replayed to their end\n",
			       kinds[k].name,
			       100.0 * (double)t->n_done[k] / (double)t->n_attempts[k]);
	printf("count replays-failures %llu\n", (unsigned long long)t->n_failures);
	fflush(stdout);
	_exit(t->n_failures > 0); /* mounts and loop devices end with the process */
}

static void usage(void)
{
	fprintf(stderr, "usage: torture [--seconds N] [--rounds N] [--seed N] [--kind NAME] "
			"[--only SEED] [--limit SECONDS] [--show] VALIDATE KEEP\n");
	exit(3);
}

static void arguments_take(struct torture *t, int argc, char **argv)
{
	static const struct option options[] = {{"seconds", 1, NULL, 's'}, {"rounds", 1, NULL, 'r'},
						{"seed", 1, NULL, 'n'},    {"kind", 1, NULL, 'k'},
						{"only", 1, NULL, 'o'},    {"limit", 1, NULL, 'l'},
						{"show", 0, NULL, 'v'},    {NULL, 0, NULL, 0}};
	for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;)
		switch (c) {
		case 's':
			t->seconds = atof(optarg);
			break;
		case 'r':
			t->n_rounds = strtoull(optarg, NULL, 10);
			break;
		case 'n':
			t->seed = strtoull(optarg, NULL, 10);
			break;
		case 'k':
			t->kind = optarg;
			break;
		case 'o':
			t->only = strtoull(optarg, NULL, 10);
			break;
		case 'l':
			t->limit_s = atoi(optarg);
			break;
		case 'v':
			t->shows = true;
			break;
		default:
			usage();
		}
	if (optind != argc - 2)
		usage();
	t->validate = realpath(argv[optind], NULL);
	t->keep = realpath(argv[optind + 1], NULL);
	if (!t->validate || !t->keep || t->limit_s < 1)
		usage();
}

int main(int argc, char **argv)
{
	static struct torture t = {
	    .seconds = 1e9, .n_rounds = UINT64_MAX, .seed = 1, .limit_s = 20};
	char cgroup[80];
	int status;
	arguments_take(&t, argc, argv);
	snprintf(cgroup, sizeof cgroup, "/sys/fs/cgroup/devices/validate-torture-%d",
		 (int)getpid());
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	const pid_t pid = fork();
	if (pid == 0)
		_exit(inside(&t, cgroup));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		kill(pid, SIGTERM);
	rmdir(cgroup);
	if (!WIFEXITED(status))
		fprintf(stderr, "torture: ended by signal %d\n", WTERMSIG(status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}
