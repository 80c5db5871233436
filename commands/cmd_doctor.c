/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate doctor: checks whether this machine is suitable for measurements, and states what would
 * improve it. */

#include "commands/commands.h"
#include "commands/doctor.h"
#include "reports/json/environment_facts.h"
#include "reports/json/json_value.h"
#include "validate/campaign/environment.h"
#include "validate/campaign/storage.h"
#include "common/text.h"
#include "validate/provenance/provenance.h"

#define CHECKS_MAX 64

static const char *const health_names[] = {"ok", "warn", "fail"};

struct doctor_config {
	bool json, redact;
};

static const struct option_spec doctor_options[] = {
    OPTION(FLAG, "json", offsetof(struct doctor_config, json), .help = "print one JSON object"),
    OPTION(FLAG, "redact", offsetof(struct doctor_config, redact),
           .help = "hide host names, serial numbers, UUIDs, labels of file systems "
           "and partitions, and paths, so that the output can be published"),
    {.name = NULL},
};

static const char synopsis[] = "[--json] [--redact] [DIR]";
static const char about[] =
	"Prints the properties of this machine that a campaign records, and then checks\n"
	"the properties on which a measurement depends. Each check prints OK, WARN or\n"
	"FAIL, and advice after WARN and FAIL. DIR is the target directory of the\n"
	"measurement (default: the working directory).\n"
	"\n"
	"Exit status: 0 nothing essential is missing, 2 wrong usage, 3 something\n"
	"essential is missing.";

/* --- text ---------------------------------------------------------------- */

/* The worst findings come last, where they stay visible on a terminal. */
static void print_findings(const struct doctor_finding *found)
{
	static const char *const marks[] = {"OK  ", "WARN", "FAIL"};
	for (int health = 0; health < 3; health++)
		for (size_t i = 0; doctor_checks[i].name; i++) {
			if ((int)found[i].health != health)
				continue;
			printf("%s  %-22s", marks[health], doctor_checks[i].name);
			shown_print(stdout, found[i].what, sizeof found[i].what);
			putchar('\n');
			if (found[i].advice[0])
				printf("      %-22s%s\n", "", found[i].advice);
		}
}

static void title_print(void *out, const char *title)
{
	fprintf(out, "%s\n", title);
}

static void row_print(void *out, const char *name, const char *value)
{
	fprintf(out, "  %-46s  ", *name ? name : "all");
	shown_print(out, value, SIZE_MAX);
	fputc('\n', out);
}

/* --- JSON ---------------------------------------------------------------- */

static int print_json(const char *dir, const struct doctor_finding *found, json_t *facts,
		      struct err *e)
{
	json_t *list = json_array();
	for (size_t i = 0; doctor_checks[i].name; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "check",
			doctor_checks[i].name, "health", health_names[found[i].health], "found",
			found[i].what, "advice", found[i].advice));
	json_t *root = json_pack("{s:o, s:o, s:O}", "target", text_to_json(dir), "checks", list,
				 "environment", facts);
	if (!root)
		return err_set(e, EINVAL, "cannot write the findings for %s as JSON: omit --json",
			       dir);
	json_print(root);
	return 0;
}

/* The facts that a campaign would record, as far as they are known before a campaign. */
static json_t *facts_make(const char *dir)
{
	SCOPED(storage_release) struct storage s = {0};
	json_t *facts = environment_make("/proc/self/exe");
	json_object_del(facts, "replaced_or_skipped");
	if (storage_look(&s, dir, NULL) == 0)
		json_object_set_new(facts, "target", storage_to_json(&s));
	return facts;
}

static void findings_redact(struct doctor_finding *found, json_t *facts)
{
	SCOPED_FREE char *host = xstrdup(json_string_value(json_object_get(facts, "host")));
	for (size_t i = 0; doctor_checks[i].name; i++) {
		SCOPED_FREE char *what = provenance_redact_text(found[i].what, host);
		snprintf(found[i].what, sizeof found[i].what, "%s", what);
	}
	provenance_redact(facts);
}

static int doctor_run(int argc, char **argv, struct err *e)
{
	struct doctor_config config = {false};
	struct doctor_finding found[CHECKS_MAX] = {{0}};
	int n_positional, n_fail = 0;
	int status = command_parse(&cmd_doctor, synopsis, about, doctor_options, &config, argc,
				   argv, 0, 1, &n_positional, e);
	if (status >= 0)
		return status;
	const char *dir = n_positional ? argv[1] : ".";
	json_auto_t *facts = facts_make(dir);
	for (size_t i = 0; doctor_checks[i].name; i++) {
		if (doctor_checks[i].look)
			doctor_checks[i].look(&found[i]);
		else if (doctor_checks[i].look_at)
			doctor_checks[i].look_at(dir, &found[i]);
		else
			doctor_checks[i].judge(facts, &found[i]);
		n_fail += found[i].health == HEALTH_FAIL;
	}
	if (config.redact)
		findings_redact(found, facts);
	if (!config.json) {
		facts_show(facts, &(struct facts_form){title_print, row_print, stdout});
		putchar('\n');
		print_findings(found);
	} else if (print_json(config.redact ? "redacted" : dir, found, facts, e) < 0) {
		n_fail = -1;
	}
	if (n_fail < 0)
		return EXIT_FAILED;
	if (n_fail)
		err_set(e, ENOSYS, "%d essential requirement%s missing", n_fail,
			n_fail == 1 ? " is" : "s are");
	return n_fail ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_doctor = {"doctor", "check whether this machine can measure well",
				   doctor_run};
