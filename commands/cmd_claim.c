/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate claim: tests one claim about replayers, on a trace or with a protocol. The claim sets
 * the limits of components. The campaign ends at the first look that decides the claim. */
#include "commands/commands.h"
#include "commands/judge_options.h"
#include "common/files.h"
#include "common/units.h"
#include "reports/forms.h"
#include "reports/plan/plan.h"
#include "validate/campaign/campaign.h"
#include "validate/campaign/chances.h"

#define BUDGET_NS INT64_C(600000000000)
#define REPLICATES "8..60"

static const struct option_spec claim_options[] = {
	JUDGE_TRACE_ROWS(
	    "replayer to test: the NAME of a section [replayer NAME] of the protocol, or an engine "
	    "with options after a colon, such as event:order=fs. Repeat the option for several "
	    "replayers (default: every replayer of the protocol, or every replayer that can replay "
	    "the trace, see the manual page)",
	    " (needs --destructive). With PROTOCOL.conf: permit overwriting this device, "
	    "which must be a target of the protocol; separate several devices by commas"),
	{.group = "Campaign and output", .name = "budget", .type = OPT_DURATION,
	 .offset = JUDGE_FIELD(claim_budget_ns), .arg = "TIME", .min = 1e6, .max = 30 * 86400e9,
	 .help = "maximum time of the campaign (default 10min)"},
	{.name = "replicates", .type = OPT_STRING, .offset = JUDGE_FIELD(claim_replicates),
	 .arg = "A..B",
	 .help = "smallest and largest number of pairs of each replayer in each scenario (default "
		 REPLICATES ")"},
	JUDGE_OUTPUT_ROWS("claim"),
	{.name = NULL},
};

static const char synopsis[] = "CLAIM [--with REPLAYER]... [--budget TIME] [--rerun] [--dir DIR | "
	"--device DEV --destructive] [options] TRACE\n"
	"CLAIM [--with REPLAYER]... [--budget TIME] [--device DEV] [options] PROTOCOL.conf";
static const char about[] =
	"Tests a claim such as \"mean response time within 5 %, p99 within 10 %\". A claim\n"
	"holds if each quantity that it names differs between replay and program by less\n"
	"than the stated limit.\n"
	"The campaign runs program and replayer in pairs. With --replicates A..B, it\n"
	"first tests the claim after A pairs, and then again after each further pair. It\n"
	"ends when the claim is shown to be true or false for each replayer and\n"
	"scenario, after B pairs, or when the budget is used up.\n"
	"\n"
	"For a TRACE, the command makes a protocol as \"validate judge\" does. Without\n"
	"--rerun, a deviation from the recording does not refute the claim: the claim\n"
	"stays inconclusive. The limits of a PROTOCOL.conf are ignored.\n"
	"\n"
	"Exit status: 0 the claim is shown to be true in every case, 1 it is refuted in\n"
	"a case, 2 wrong usage, 3 failed, 4 inconclusive, 5 not comparable, 6 refused\n"
	"for safety. Status 5: the key \"standard\" of PROTOCOL.conf names a\n"
	"certificate of another machine, kernel or version of validate.";

/* Divides --with into replayers of the protocol and engines. Sections for the engines are appended.
 * `keep` must be all NULL, with room for all names and a NULL. */
static int replayers_choose(struct strbuf *sections, const char **keep, const char *text,
			    const struct judge_config *c, const struct protocol *p, struct err *e)
{
	struct judge_config more = {.rerun = true};
	struct judged j = {.level = LEVEL_SYSCALL, .rerun_wanted = true};
	size_t n = 0, n_more = 0;
	for (size_t i = 0; i < p->n_targets; i++)
		if (p->target[i].device || p->target[i].volume)
			j.level = LEVEL_BLOCK;
	for (size_t i = 0; i < c->with.n; i++)
		if (protocol_text_has(text, "replayer", c->with.text[i]))
			keep[n++] = c->with.text[i];
	more.with.n = n; /* the name of an added engine ends with its index, such as "event-1" */
	for (size_t i = 0; i < c->with.n; i++)
		if (!word_in(c->with.text[i], keep)) {
			more.with.text[more.with.n++] = c->with.text[i];
			n_more++;
		}
	return n_more ? judge_replayers_add(sections, &more, &j, e) : 0;
}

/* Reads the protocol with the claim, the budget and the chosen replayers. */
static int claimed_read(struct protocol *p, const struct judge_config *c, const char *path,
			struct err *e)
{
	SCOPED_STRBUF sections = STRBUF_INIT, text = STRBUF_INIT;
	SCOPED_FREE const char **keep = xcalloc(c->with.n + 1, sizeof *keep);
	SCOPED_FREE char *budget = xasprintf("%.12gs", 1e-9 * (double)c->claim_budget_ns);
	int ret = file_read(path, &text, 0, e);
	ret = ret ? ret : protocol_read(p, path, e);
	if (ret)
		return ret;
	ret = replayers_choose(&sections, keep, text.s, c, p, e);
	protocol_release(p);
	return ret ? ret
		   : protocol_read_with(p, path,
					&(struct protocol_given){
					    .replicates = c->claim_replicates,
					    .budget = budget,
					    .claim = c->claim,
					    .replayers = c->with.n ? keep : NULL,
					    .sections = sections.len ? sections.s : NULL},
					e);
}

static int with_protocol(const struct judge_config *c, const char *path, struct err *e)
{
	const struct report_form *form;
	SCOPED(protocol_release) struct protocol p = {0};
	if (c->rerun || c->files || c->dir || c->cache)
		return command_fail(EXIT_USAGE, e, EINVAL, "--rerun, --files, --dir and --cache "
			"are for traces; a protocol names its programs and targets");
	if (report_form_choose(c->format, &form, e) < 0 || claimed_read(&p, c, path, e) ||
	    replayers_find(&p, e) || chances_check(&p, e))
		return EXIT_USAGE;
	SCOPED_FREE char *name = xasprintf("claim-%s", p.name);
	SCOPED_FREE char *dir = c->output ? xstrdup(c->output) : run_default_dir(name);
	const struct campaign_options o = {.dir = dir, .quiet = c->quiet};
	int status = c->dry_run && plan_print(&p, NULL, stdout, e)
		? EXIT_FAILED : run_consent(&p, c->device, e);
	if (status != EXIT_OK)
		return status;
	if (c->dry_run)
		return run_possible(&p, dir, e);
	return run_campaign(&p, &o, form, e);
}

static int claim_run(int argc, char **argv, struct err *e)
{
	struct judge_config c = {.format = "terminal", .claim_replicates = REPLICATES,
				 .claim_budget_ns = BUDGET_NS};
	int n_positional;
	const int status = command_parse(&cmd_claim, synopsis, about, claim_options, &c, argc, argv,
					 2, 2, &n_positional, e);
	if (status >= 0)
		return status;
	c.claim = argv[1];
	if (strpbrk(c.claim, "\n;#\""))
		return command_fail(EXIT_USAGE, e, EINVAL,
			"a claim is one line without quotes, semicolons and \"#\": "
			"separate its parts by commas");
	const size_t len = strlen(argv[2]);
	return len > 5 && !strcmp(argv[2] + len - 5, ".conf") ? with_protocol(&c, argv[2], e)
							      : judge_trace(&c, argv[2], e);
}

const struct command cmd_claim = {"claim", "test a claim about replayers", claim_run};
