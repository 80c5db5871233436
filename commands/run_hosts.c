/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate run --hosts: runs one protocol on each of several hosts, and makes one report from the
 * results. */
#include "commands/commands.h"
#include "common/files.h"
#include "common/hosts.h"
#include "reports/pool/pool_report.h"
#include "validate/campaign/campaign.h"
#include "validate/pool/hosts.h"

struct ends {
	bool quiet;
	size_t n, n_hosts;
};

static void end_print(void *ctx, const char *host, const char *failure)
{
	struct ends *ends = ctx;
	ends->n++;
	if (failure)
		fprintf(stderr, "host %s failed: %s\n", host, failure);
	else if (!ends->quiet)
		fprintf(stderr, "host %s is done (%zu of %zu)\n", host, ends->n, ends->n_hosts);
}

/* Adds the options of `validate run` for a host. */
static void options_add(struct words_list *w, const struct run_hosts *r, bool resume)
{
	if (r->budget_ns)
		words_list_addf(w, "--budget=%" PRId64 "ns", r->budget_ns);
	if (r->device)
		words_list_addf(w, "--device=%s", r->device);
	if (r->replicates && !resume)
		words_list_addf(w, "--replicates=%s", r->replicates);
	words_list_add(w, "--quiet");
}

/* Creates the directory, which must be new or empty unless `resume` is set. Returns its absolute
 * path, which the caller frees. */
static char *dir_make(const char *dir, bool resume, struct err *e)
{
	if (!resume && results_dir_check_empty(dir, e))
		return NULL;
	char *path = dir_create(dir, e) ? NULL : realpath(dir, NULL);
	if (!path && !e->code)
		err_sys(e, errno, "cannot use directory %s", dir);
	return path;
}

/* Pools the results of the hosts that have not failed. Returns an exit status. */
static int results_pool(const struct run_hosts *r, const char *dir, const struct words_list *names,
			const bool *failed, struct err *e)
{
	SCOPED(words_list_release) struct words_list good = {0}, bad = {0};
	for (size_t i = 0; i < names->n; i++)
		if (failed[i])
			words_list_add(&bad, names->v[i]);
		else
			words_list_take(&good, hosts_results(dir, names->v[i]));
	SCOPED_STRBUF failures = STRBUF_INIT;
	if (bad.n)
		strbuf_addwords(&failures, bad.v);
	int status = EXIT_FAILED;
	if (good.n >= 2) {
		SCOPED_FREE char *report = xasprintf("%s/report", dir);
		status = pool_results(good.v, good.n, report, r->format, e);
		fprintf(stderr, "report: %s/index.html\n", report);
	}
	if (bad.n && status != EXIT_NOT_COMPARABLE && !e->code)
		status = command_fail(EXIT_FAILED, e, EIO, "%zu of %zu hosts failed: %s (messages: "
				      "%s/hosts/HOST.log)", bad.n, names->n, failures.s, dir);
	return status;
}

/* Runs the campaigns. Returns an exit status. */
static int campaigns_run(const struct run_hosts *r, const struct words_list *names, struct err *e)
{
	SCOPED(words_list_release) struct words_list options = {0}, resume = {0};
	struct ends ends = {.quiet = r->quiet, .n_hosts = names->n};
	SCOPED_FREE bool *failed = xcalloc(names->n, sizeof *failed);
	SCOPED_FREE char *protocol = realpath(r->protocol, NULL);
	if (!protocol)
		return err_sys(e, errno, "cannot find the protocol %s", r->protocol), EXIT_USAGE;
	SCOPED_FREE char *dir = dir_make(r->dir, r->resume, e);
	SCOPED_FREE char *self = dir ? program_path(e) : NULL;
	if (!self)
		return EXIT_FAILED;
	options_add(&options, r, false);
	options_add(&resume, r, true);
	const struct hosts_spec spec = {.launcher = r->launcher ? r->launcher : HOSTS_LAUNCHER,
					.dir = dir,
					.program = self,
					.protocol = protocol,
					.options = options.v,
					.resume_options = r->resume ? resume.v : NULL,
					.ended = end_print,
					.ctx = &ends};
	const int ret = hosts_run(&spec, names, failed, e);
	if (ret)
		return ret == -EINVAL ? EXIT_USAGE : EXIT_FAILED;
	return results_pool(r, dir, names, failed, e);
}

int run_hosts(const struct run_hosts *r, struct err *e)
{
	SCOPED(words_list_release) struct words_list names;
	if (hosts_parse(r->hosts, &names, e))
		return err_context(e, "--hosts"), EXIT_USAGE;
	if (names.n < 2)
		return command_fail(EXIT_USAGE, e, EINVAL, "--hosts needs at least two hosts");
	if (study_form_check(r->format, e))
		return EXIT_USAGE;
	return campaigns_run(r, &names, e);
}
