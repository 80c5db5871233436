/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs each case once without faults and counts its calls, then repeatedly with one fault each.
 *
 * usage: inject_walk [options] DIR PROGRAM CASES
 *
 * DIR/in holds the input of the cases; tests/hostile/inject.sh makes it.
 *
 * --library FILE: the injector to preload. Without it, a file system that reads DIR/state injects
 * the faults, and --base is on this file system.
 *
 * --base DIR: directory of the runs, with `in` in it (default DIR)
 *
 * --seconds S: end after S seconds (10). --points N: end after N faults
 *
 * --seed N: seed of the order (1)
 *
 * --part I/N: every N-th case of the order, from the I-th on, for several walks at the same time
 *
 * --only NAME,...: these cases. --family NAME: these calls
 *
 * --at FAMILY:N:FAULT: one fault, in the form of a failure's line
 *
 * --log FILE: append each fault with the resulting message
 *
 * Prints a line for each failure, and at the end the counts. Exit status: 0, 1 with failures, 3
 * where a case fails without faults. */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "inject_walk.h"

struct options {
	double seconds;
	uint64_t points, seed;
	const char *only, *at, *log;
	int family;
	size_t part, n_parts;
};

void give_up(const char *how, ...)
{
	va_list ap;
	va_start(ap, how);
	fprintf(stderr, "inject_walk: ");
	vfprintf(stderr, how, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	exit(3);
}

char *text_make(const char *how, ...)
{
	char *s;
	va_list ap;
	va_start(ap, how);
	if (vasprintf(&s, how, ap) < 0)
		give_up("out of memory");
	va_end(ap);
	return s;
}

static void state_make(struct walk *w)
{
	int fd = open(w->state_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0 || ftruncate(fd, sizeof *w->state) < 0)
		give_up("cannot make %s: %s", w->state_path, strerror(errno));
	w->state = mmap(NULL, sizeof *w->state, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	if (w->state == MAP_FAILED)
		give_up("cannot map %s: %s", w->state_path, strerror(errno));
	/* the program that a script under test starts */
	const char *as = getenv("VALIDATE_INJECT_AS");
	if (!realpath(as ? as : w->program, w->state->program))
		give_up("no program %s", as ? as : w->program);
}

static void state_set(struct walk *w, bool log, struct fault_point p)
{
	struct inject_state *s = w->state;
	s->family = p.family;
	s->fault = p.fault;
	s->nth = 0;
	w->armed = p.n;
	s->log_sites = log;
	s->hit = HIT_NONE;
	for (int f = 0; f < N_FAMILIES; f++)
		s->count[f] = 0;
	*s->call = 0;
	*s->frame = 0;
}

/* Makes two runs without faults, and finds results that are the same in both. */
static void case_measure(struct walk *w, struct fault_case *c, uint64_t *seed)
{
	struct outcome o;
	struct tree second;
	for (int i = 0; i < 2; i++) {
		run_prepare(w, c);
		if (!i)
			tree_take(&c->before, w->run);
		state_set(w, i == 0, (struct fault_point){0});
		run_command(w, c->argv, true, 300, &o);
		if (!c->good)
			c->good = 1; /* status 0 */
		if (o.status < 0 || !(c->good >> o.status & 1) || o.status == 2)
			give_up("case %s: status %d without a fault: %s", c->name, o.status,
				o.text);
		if (!i) {
			c->status = o.status;
			c->seconds = o.seconds;
			c->output = file_sum(w->out);
			for (int f = 0; f < N_FAMILIES; f++)
				c->count[f] = w->state->count[f];
			case_points(c, w->state, seed);
			tree_take(&c->after, w->run);
		}
	}
	c->vary_output |= file_sum(w->out) != c->output;
	tree_take(&second, w->run);
	for (size_t i = 0; i < c->after.n; i++) {
		const struct tree_entry *e = tree_find(&second, c->after.entry[i].path);
		c->after.entry[i].varies = !e || e->digest != c->after.entry[i].digest;
	}
	tree_release(&second);
	const char *why = run_judge(w, c, &o);
	if (why)
		give_up("case %s fails without a fault: %s", c->name, why);
}

static void failure_print(const struct walk *w, const struct fault_case *c, struct fault_point p,
			  const char *why)
{
	printf("FAIL %s --at %s:%u:%s: %s\n", c->name, family_names[p.family], p.n,
	       fault_name(p.fault), why);
	printf("  in %s(), from", *w->state->call ? w->state->call : "the file system");
	for (int i = 0; i < MAX_FRAMES && w->state->frame[i]; i++)
		printf(" 0x%llx", (unsigned long long)w->state->frame[i] - 1);
	printf("\n");
	fflush(stdout);
}

static void point_try(struct walk *w, struct fault_case *c, struct fault_point p, FILE *log)
{
	struct outcome o;
	run_prepare(w, c);
	state_set(w, false, p);
	run_command(w, c->argv, true, 20 + 10 * c->seconds, &o);
	if (w->state->hit != HIT_FAILED) {
		w->n_unreached++;
		state_set(w, false, (struct fault_point){0});
		return;
	}
	w->state->nth = 0; /* the program that checks the result gets no fault */
	w->n_injected++;
	const char *why = run_judge(w, c, &o);
	if (why)
		failure_print(w, c, p, why);
	w->n_failed += why != NULL;
	if (log)
		fprintf(log, "%s %s %u %s %s: %d %.*s\n", c->name, family_names[p.family], p.n,
			fault_name(p.fault), w->state->call, o.status, (int)strcspn(o.text, "\n"),
			o.text);
}

static bool is_named(const char *list, const char *name)
{
	size_t len = strlen(name);
	for (const char *s = list; s && (s = strstr(s, name)); s += len)
		if ((s == list || s[-1] == ',') && (!s[len] || s[len] == ','))
			return true;
	return !list;
}

/* The measured case that has used the least time so far, so that slow cases do not use all the
 * time. */
static struct fault_case *case_next(struct fault_case *cases, size_t n, int family)
{
	struct fault_case *best = NULL;
	for (size_t i = 0; i < n; i++) {
		struct fault_case *c = &cases[i];
		while (c->next < c->n_points && family >= 0 && c->point[c->next].family != family)
			c->next++;
		if (c->next < c->n_points && (!best || c->spent < best->spent))
			best = c;
	}
	return best;
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static struct fault_point point_parse(const char *text)
{
	char family[32], fault[32];
	unsigned int n;
	if (sscanf(text, "%31[^:]:%u:%31s", family, &n, fault) != 3)
		give_up("--at is FAMILY:N:FAULT, not %s", text);
	return (struct fault_point){(uint8_t)family_by_name(family), (uint16_t)fault_by_name(fault),
				    n};
}

/* Cases are measured one after another, as long as measuring has taken no more time than the
 * faults. If a number of points is given, all cases are measured at once, so that equal seeds give
 * equal faults. */
static void walk_all(struct walk *w, struct fault_case *cases, size_t n, const struct options *o,
		     FILE *log)
{
	double end = now() + o->seconds, measuring = 0, injecting = 0, begin;
	size_t n_measured = 0;
	for (;;) {
		begin = now();
		if (n_measured < n && (o->points || measuring <= injecting)) {
			uint64_t seed = o->seed * 1000003 + n_measured;
			case_measure(w, &cases[n_measured++], &seed);
			measuring += now() - begin;
			continue;
		}
		struct fault_case *c = case_next(cases, n_measured, o->family);
		if (o->points ? w->n_injected >= o->points || !c
			      : begin > end || (!c && n_measured == n))
			break;
		if (c)
			point_try(w, c, c->point[c->next++], log);
		injecting += c ? now() - begin : 1e9;
		if (c)
			c->spent += (o->points ? 1 : now() - begin) * (c->rare ? 5 : 1);
	}
	w->n_cases = n_measured;
}

static void arguments_take(struct walk *w, struct options *o, int argc, char **argv)
{
	static const struct option names[] = {{"library", 1, NULL, 'l'}, {"base", 1, NULL, 'b'},
					      {"seconds", 1, NULL, 's'}, {"points", 1, NULL, 'p'},
					      {"seed", 1, NULL, 'e'},    {"only", 1, NULL, 'o'},
					      {"family", 1, NULL, 'f'},  {"at", 1, NULL, 'a'},
					      {"log", 1, NULL, 'g'},     {"part", 1, NULL, 't'},
					      {NULL, 0, NULL, 0}};
	for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;)
		switch (c) {
		case 'l': w->library = optarg; break;
		case 'b': w->base = optarg; break;
		case 's': o->seconds = atof(optarg); break;
		case 'p': o->points = strtoull(optarg, NULL, 10); break;
		case 'e': o->seed = strtoull(optarg, NULL, 10); break;
		case 'o': o->only = optarg; break;
		case 'f': o->family = family_by_name(optarg); break;
		case 'a': o->at = optarg; break;
		case 'g': o->log = optarg; break;
		case 't':
			if (sscanf(optarg, "%zu/%zu", &o->part, &o->n_parts) != 2 || !o->n_parts)
				give_up("--part is I/N, not %s", optarg);
			break;
		default: exit(2);
		}
	if (argc - optind != 3)
		give_up("usage: inject_walk [options] DIR PROGRAM CASES");
	w->dir = argv[optind];
	w->program = argv[optind + 1];
	w->base = w->base ? w->base : w->dir;
}

int main(int argc, char **argv)
{
	struct walk w = {0};
	struct options o = {.seconds = 10, .seed = 1, .family = -1, .n_parts = 1};
	struct fault_case *cases;
	arguments_take(&w, &o, argc, argv);
	w.run = text_make("%s/run", w.base);
	w.out = text_make("%s/out", w.dir);
	w.err = text_make("%s/err", w.dir);
	w.state_path = text_make("%s/state", w.dir);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	state_make(&w);
	FILE *log = o.log ? fopen(o.log, "a") : NULL;
	size_t n = 0, n_all = cases_read(&cases, argv[optind + 2], w.program);
	for (size_t i = 0; i < n_all; i++)
		if (is_named(o.only, cases[i].name) && (w.library || !cases[i].preload_only) &&
		    !cases[i].left_out)
			cases[n++] = cases[i];
	cases_shuffle(cases, n, o.seed);
	for (size_t i = n_all = 0; o.part + i < n; i += o.n_parts)
		cases[n_all++] = cases[o.part + i];
	n = n_all;
	for (size_t i = 0; i < n && o.at; i++) {
		case_measure(&w, &cases[i], &o.seed);
		point_try(&w, &cases[i], point_parse(o.at), log);
	}
	if (!o.at)
		walk_all(&w, cases, n, &o, log);
	printf("inject: %llu faults in %zu cases, %llu not reached, %llu failures\n",
	       (unsigned long long)w.n_injected, o.at ? n : w.n_cases,
	       (unsigned long long)w.n_unreached, (unsigned long long)w.n_failed);
	return w.n_failed ? 1 : 0;
}
