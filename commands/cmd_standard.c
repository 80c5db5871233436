/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate standard: certifies volumes as a measurement standard, and checks a certificate. */
#include <sys/resource.h>

#include "commands/commands.h"
#include "common/files.h"
#include "common/units.h"
#include "microbench/volume/log.h"
#include "reports/standard_words.h"
#include "validate/campaign/environment.h"
#include "validate/campaign/others.h"
#include "validate/standard/standard.h"

struct standard_config {
	struct standard_options o;
	const char *output;
	bool points;
};

#define FIELD(name) offsetof(struct standard_config, name)
static const struct option_spec standard_options[] = {
	OPTION(STRING, "output", FIELD(output), .letter = 'o', .arg = "FILE",
	       .flags = OPT_NOT_STDOUT,
	       .help = "certify: write the certificate to FILE"),
	OPTION(FLAG, "quick", FIELD(o.quick), .help = "certify: measure only the models "
	       "constant and exponential, with service times of 200 us and 1 ms, and with 1 and 16 "
	       "requests in flight"),
	OPTION(FLAG, "file", FIELD(o.file), .help = "certify: send the requests to the volume's "
	       "file, without a loop device; the certificate then applies to targets with the key "
	       "\"volume-file\" = yes"),
	OPTION(UINT, "rounds", FIELD(o.rounds), .arg = "N", .max = 10000,
	       .help = "number of visits to each point, at least 3 (default: 6 for certify, 3 "
	       "for check)"),
	OPTION(DURATION, "over", FIELD(o.over_ns), .arg = "TIME", .max = 604800e9,
	       .help = "certify: spread the measurements over TIME; the uncertainty then covers "
	       "changes of the machine during this time (default: no pauses)"),
	OPTION(FLAG, "points", FIELD(points), .help = "certify: print the result at every point; "
	       "check: measure every valid point"),
	OPTION(UINT, "seed", FIELD(o.seed), .arg = "N",
	       .help = "seed of the random order of the volumes in each round (default 1)"),
	OPTION(STRING, "root", FIELD(o.root), .arg = "DIR",
	       .help = "directory of the volumes, as in \"validate volume\""),
	OPTION(FLAG, "quiet", FIELD(o.quiet), .letter = 'q', .help = "print no progress"),
	{.name = NULL},
};
#undef FIELD

static const char synopsis[] = "certify [-o FILE] [--quick] [options]\ncheck FILE [options]";
static const char about[] =
	"Measures how accurately volumes (\"validate volume\") keep their programmed\n"
	"service time, so that they can serve as a measurement standard.\n"
	"\n"
	"A point is a combination of a model, a service time and a number of requests in\n"
	"flight. A visit is one measurement of a point. If the client waited for a CPU\n"
	"for an unusually large share of a visit, the visit is disturbed: the command\n"
	"leaves it out, and repeats it (rules: see the manual page). The excess is the\n"
	"response time minus the programmed time. The lead is the time by which\n"
	"a volume answers earlier than programmed, so that the answer arrives on time.\n"
	"\n"
	"certify: measures a grid of points. Prints the range in which a volume is a\n"
	"valid standard on this machine, and writes a certificate. A point is valid if\n"
	"three conditions hold:\n"
	"  1. |bias| + U of the mean response time is at most 2 %. U is the expanded\n"
	"     uncertainty.\n"
	"  2. The 99th percentile of the excess is at most 50 us or 5 % of the service\n"
	"     time, whichever is larger.\n"
	"  3. In at least half of the visits to the point, the volume's lead was\n"
	"     accurate for the point's number of requests in flight. While the lead is\n"
	"     accurate, \"validate volume list\" prints no warning about it.\n"
	"\n"
	"check: measures some points of a certificate again. E_n is the difference\n"
	"between the new and the certified bias, divided by the expanded uncertainty of\n"
	"this difference. The check agrees with the certificate if, at every measured\n"
	"point, |E_n| is at most 1, and the new bias and excess meet conditions 1 and 2.\n"
	"If it does not agree and visits were disturbed, the check is invalid: the\n"
	"machine was too busy. The command also prints how many undisturbed new visits\n"
	"have a bias within the certified bias +- U. It refuses a certificate of another\n"
	"machine, kernel or version of validate. An interrupted check prints the results\n"
	"of the points with at least 3 visits.\n"
	"\n"
	"Exit status: 0 a point is valid, or the check agrees; 1 no point is valid, or\n"
	"the check does not agree or is invalid; 2 wrong usage; 3 failed; 5 the\n"
	"certificate is refused.";

/* --- signals ------------------------------------------------------------- */

static volatile sig_atomic_t stop;

static void on_stop(int signal_number)
{
	(void)signal_number;
	stop = 1;
}

/* Catches signals, because the volume's server outlives this process, so the volume must be removed
 * first. */
static void signals_catch(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction now = {.sa_handler = on_stop}, was;
	sigemptyset(&now.sa_mask);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (!sigaction(signals[i], NULL, &was) && was.sa_handler != SIG_IGN)
			sigaction(signals[i], &now, NULL);
}

/* CPU time of this process and of servers that have ended, in s. */
static double own_cpu_s(void)
{
	const int who[] = {RUSAGE_SELF, RUSAGE_CHILDREN};
	double sum = 0;
	for (size_t i = 0; i < 2; i++) {
		struct rusage r;
		getrusage(who[i], &r);
		sum += (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
		       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) * 1e-6;
	}
	return sum;
}

/* Calls standard_measure(), and measures the CPU time that other processes used meanwhile. */
static int points_measure(struct standard *s, const struct standard_options *o,
			  const struct standard *only, struct err *e)
{
	struct others_reading from, to;
	struct others_use use = {0};
	const double own_s = own_cpu_s();
	others_read(&from);
	int ret = standard_measure(s, o, only, e);
	others_read(&to);
	others_add(&use, &from, &to);
	if (!ret)
		others_shares(&use, own_cpu_s() - own_s, &s->others_share, &s->stolen_share);
	return ret;
}

/* --- certify ------------------------------------------------------------- */

static void points_print(const struct standard *s)
{
	printf("%-12s%8s%7s%12s%9s%9s%9s%9s%11s%11s  %s\n", "model", "service", "depth",
	       "programmed", "bias", "server", "U", "scatter", "p50", "p99", "valid");
	for (size_t i = 0; i < s->n; i++) {
		const struct standard_point *p = &s->point[i];
		printf("%-12s%8s%7u%12s%8.2f%%%8.2f%%%8.2f%%%8.2f%%%11s%11s  %s\n", p->model,
		       duration_text((double)p->service_ns).s, p->depth,
		       duration_text(p->programmed_ns).s, 100 * p->bias, 100 * p->server_bias,
		       100 * p->expanded, 100 * p->scatter, duration_text(p->excess_p50_ns).s,
		       duration_text(p->excess_p99_ns).s, p->valid ? "yes" : p->reason);
	}
	putchar('\n');
}

static void range_print(const struct standard *s)
{
	printf("valid from this service time on (-: no valid range):\n%-14s", "  in flight");
	for (int d = 0; d < VOLUME_DEPTHS; d++)
		printf("%10u", volume_depth[d]);
	putchar('\n');
	for (size_t i = 0; i < s->n; i++) {
		if (i && !strcmp(s->point[i].model, s->point[i - 1].model))
			continue;
		printf("  %-12s", s->point[i].model);
		for (int d = 0; d < VOLUME_DEPTHS; d++) {
			const int64_t from_ns =
			    standard_range_ns(s, s->point[i].model, volume_depth[d]);
			printf("%10s", from_ns < 0 ? "-" : duration_text((double)from_ns).s);
		}
		putchar('\n');
	}
}

static size_t valid_count(const struct standard *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += s->point[i].valid;
	return n;
}

/* `reasons`: the reasons of the invalid points have been printed. */
static void summary_print(const struct standard *s, bool reasons)
{
	double bias = 0, expanded = 0;
	uint64_t n_left_out = 0;
	for (size_t i = 0; i < s->n; i++) {
		n_left_out += s->point[i].n_left_out;
		if (!s->point[i].valid)
			continue;
		bias = fmax(bias, fabs(s->point[i].bias));
		expanded = fmax(expanded, s->point[i].expanded);
	}
	const size_t n = valid_count(s);
	range_print(s);
	printf("%zu of %zu points are valid", n, s->n);
	if (n)
		printf("; of these, largest bias %.2g %%, largest U %.2g %% (95 %%)", 100 * bias,
		       100 * expanded);
	if (s->n_checked)
		printf("\nevery U is widened by the factor %.2f\n%llu of %llu visits (%.1f %%) "
		       "deviate by at most U from the mean of the\nother visits to the same point",
		       s->widening,
		       (unsigned long long)s->n_covered, (unsigned long long)s->n_checked,
		       100 * (double)s->n_covered / (double)s->n_checked);
	if (n_left_out)
		printf("\n%llu disturbed visit%s left out, because the client waited for a CPU",
		       (unsigned long long)n_left_out, n_left_out == 1 ? " is" : "s are");
	printf("\nvolumes: %s; server threads %s real-time priority%s;\n         idle CPUs %s "
	       "awake\nduration: %.0f s", s->loop ? "loop device" : "file",
	       s->realtime ? "with" : "without",
	       s->own_cpu ? ",\n         answering thread on a separate CPU" : "",
	       s->awake ? "kept" : "not kept", s->duration_s);
	if (isfinite(s->others_share))
		printf("; other processes used %.1f %% of the CPUs", 100 * s->others_share);
	if (!n)
		printf("\n%sA busy machine has fewer valid points: repeat the command when the "
		       "machine\nis otherwise idle.",
		       reasons ? "" : "Option --points prints the reason at each point.\n");
	putchar('\n');
}

static int certificate_make(struct standard_config *c, const char *path, struct err *e)
{
	struct standard s;
	(void)path;
	if (!c->o.rounds)
		c->o.rounds = 6;
	if (points_measure(&s, &c->o, NULL, e))
		return EXIT_FAILED;
	standard_word(&s);
	json_auto_t *o = standard_to_json(&s);
	SCOPED_FREE char *text = o ? json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : NULL;
	int ret = text ? 0 : err_set(e, ENOMEM, "not enough memory for the certificate");
	if (!ret && c->output)
		ret = file_write_atomic(c->output, text, strlen(text), e);
	if (!ret && c->points)
		points_print(&s);
	if (!ret)
		summary_print(&s, c->points);
	const int status = ret ? EXIT_FAILED : valid_count(&s) ? EXIT_OK : EXIT_NOT_TRUSTED;
	standard_release(&s);
	return status;
}

/* --- check --------------------------------------------------------------- */

static const struct standard_point *certified_of(const struct standard *s,
						 const struct standard_point *p)
{
	size_t i = 0;
	while (s->point[i].model != p->model || s->point[i].service_ns != p->service_ns ||
	       s->point[i].depth != p->depth)
		i++;
	return &s->point[i];
}

/* `n_planned`: number of visits without an interruption. */
static int comparison_print(const struct standard *certified, const struct standard *now,
			    uint64_t n_planned, struct err *e)
{
	bool agrees = true;
	uint64_t n_made = 0, n_undisturbed = 0, n_covered = 0;
	printf("%-12s%8s%7s%20s%20s%8s%11s\n", "model", "service", "depth", "certified bias",
	       "bias now", "E_n", "p99");
	for (size_t i = 0; i < now->n; i++) {
		const struct standard_point *p = &now->point[i];
		const struct standard_comparison c =
		    standard_compare(certified_of(certified, p), p);
		n_made += p->n_visits + p->n_left_out;
		n_undisturbed += c.n_undisturbed;
		n_covered += c.n_covered;
		if (p->n_visits < STANDARD_VISITS) /* after an interruption */
			continue;
		char then_text[40], now_text[40];
		snprintf(then_text, sizeof then_text, "%.2f +- %.2f %%", 100 * c.certified->bias,
			 100 * c.certified->expanded);
		snprintf(now_text, sizeof now_text, "%.2f +- %.2f %%", 100 * p->bias,
			 100 * c.u_now);
		printf("%-12s%8s%7u%20s%20s%8.2f%11s%s\n", p->model,
		       duration_text((double)p->service_ns).s, p->depth, then_text, now_text, c.e_n,
		       duration_text(p->excess_p99_ns).s, c.agrees ? "" : "  does not agree");
		agrees &= c.agrees;
	}
	const uint64_t n_disturbed = n_made - n_undisturbed;
	if (n_undisturbed)
		printf("%llu of %llu undisturbed new visits (%.1f %%) are within the certified U\n",
		       (unsigned long long)n_covered, (unsigned long long)n_undisturbed,
		       100 * (double)n_covered / (double)n_undisturbed);
	if (n_disturbed)
		printf("disturbed new visits: %llu (the client waited for a CPU)\n",
		       (unsigned long long)n_disturbed);
	if (now->interrupted) {
		err_set(e, EINTR, "interrupted after %llu of %llu visits",
			(unsigned long long)n_made, (unsigned long long)n_planned);
		return EXIT_FAILED;
	}
	puts(agrees	? "the standard agrees with its certificate"
	     : n_disturbed ? "the check is invalid: the machine is busy; repeat the check later"
			   : "the standard does not agree with its certificate: the machine has "
			     "changed;\ncertify again");
	return agrees ? EXIT_OK : EXIT_NOT_TRUSTED;
}

static int certificate_check(struct standard_config *c, const char *path, struct err *e)
{
	struct standard certified, points, now;
	if (!c->o.rounds)
		c->o.rounds = 3;
	if (standard_read(&certified, path, e))
		return EXIT_FAILED;
	int status = standard_is_here(&certified, path, c->o.environment, e)
			 ? EXIT_NOT_COMPARABLE
			 : -1;
	standard_check_points(&certified, c->points, &points);
	c->o.file = !certified.loop;
	c->o.partial = true;
	if (status < 0 && !points.n) {
		err_set(e, EINVAL, "%s has no valid point, so nothing can be "
			"checked: certify again when the machine is less busy", path);
		status = EXIT_NOT_TRUSTED;
	}
	if (status < 0 && points_measure(&now, &c->o, &points, e))
		status = EXIT_FAILED;
	if (status < 0) {
		status = comparison_print(&certified, &now, c->o.rounds * points.n, e);
		standard_release(&now);
	}
	standard_release(&points);
	standard_release(&certified);
	return status;
}

/* --- the command --------------------------------------------------------- */

static int usage_check(const struct standard_config *c, const char *action, int n, bool certifies,
		       struct err *e)
{
	if (!certifies && strcmp(action, "check"))
		return err_set(e, EINVAL, "unknown action \"%s\": the actions are certify and "
			       "check", action);
	if (n != (certifies ? 1 : 2))
		return err_set(e, EINVAL, certifies ? "certify: unexpected argument (-o FILE names "
						      "the certificate)"
						    : "check: name one certificate");
	if (!certifies && (c->output || c->o.quick || c->o.over_ns))
		return err_set(e, EINVAL, "--output, --quick and --over are options of certify");
	if (c->o.rounds && c->o.rounds < 3)
		return err_set(e, EINVAL, "--rounds must be at least 3");
	return 0;
}

static int standard_main(int argc, char **argv, struct err *e)
{
	struct standard_config c = {.o = {.seed = 1, .stop = &stop}};
	int n;
	int status = command_parse(&cmd_standard, synopsis, about, standard_options, &c, argc, argv,
				   1, 2, &n, e);
	if (status >= 0)
		return status;
	const bool certifies = !strcmp(argv[1], "certify");
	if (usage_check(&c, argv[1], n, certifies, e))
		return EXIT_USAGE;
	SCOPED_FREE char *self = program_path(e);
	if (!self)
		return EXIT_FAILED;
	json_auto_t *environment = environment_make(self);
	c.o.environment = environment;
	signals_catch();
	return (certifies ? certificate_make : certificate_check)(&c, argv[2], e);
}

const struct command cmd_standard = {"standard", "certify volumes as a measurement standard",
				     standard_main};
