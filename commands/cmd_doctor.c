/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate doctor: is this a machine to measure on, and what would make it better? */
#include <errno.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "commands/commands.h"
#include "commands/doctor.h"
#include "validate/campaign/environment.h"

#define CHECKS_MAX 64

static const char *const health_names[] = {"ok", "warn", "fail"};

struct doctor_config {
	bool json;
};

static const struct option_spec doctor_options[] = {
    {.name = "json", .type = OPT_FLAG, .offset = offsetof(struct doctor_config, json), .help = "print one JSON object"},
    {.name = NULL},
};

static const char synopsis[] = "[--json] [DIR]";
static const char about[] =
    "Looks at what measuring depends on: clock, processors, load, caches, memory cgroup, and the file system of the\n"
    "target directory DIR (the present one). Each finding that is not good comes with what to do about it.\n"
    "\n"
    "Exit status: 0, or 3 when something essential is missing.";

static void print_text(const struct finding *found)
{
	static const char *const marks[] = {"OK  ", "WARN", "FAIL"};
	for (size_t i = 0; doctor_checks[i].name; i++) {
		printf("%s  %-22s%s\n", marks[found[i].health], doctor_checks[i].name, found[i].what);
		if (found[i].advice[0])
			printf("      %-22s%s\n", "", found[i].advice);
	}
}

static int print_json(const char *dir, const struct finding *found, struct err *e)
{
	json_t *list = json_array(), *self = environment_make("/proc/self/exe");
	for (size_t i = 0; doctor_checks[i].name; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s}", "check", doctor_checks[i].name, "health",
						      health_names[found[i].health], "found", found[i].what, "advice",
						      found[i].advice));
	json_object_del(self, "replaced_or_skipped");
	json_t *root = json_pack("{s:s, s:o, s:o}", "target", dir, "checks", list, "environment", self);
	if (!root)
		return err_set(e, EINVAL, "%s cannot be written as JSON", dir);
	json_dumpf(root, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(root);
	return 0;
}

static int doctor_run(int argc, char **argv, struct err *e)
{
	struct doctor_config config = {false};
	struct finding found[CHECKS_MAX] = {{0}};
	int n_positional, n_fail = 0;
	int status =
	    command_parse(&cmd_doctor, synopsis, about, doctor_options, &config, argc, argv, 0, 1, &n_positional, e);
	if (status >= 0)
		return status;
	const char *dir = n_positional ? argv[1] : ".";
	for (size_t i = 0; doctor_checks[i].name; i++) {
		doctor_checks[i].look(dir, &found[i]);
		n_fail += found[i].health == HEALTH_FAIL;
	}
	if (config.json && print_json(dir, found, e) < 0)
		return EXIT_FAILED;
	if (!config.json)
		print_text(found);
	if (n_fail)
		err_set(e, ENOSYS, "%d essential thing%s missing", n_fail, n_fail == 1 ? " is" : "s are");
	return n_fail ? EXIT_FAILED : EXIT_OK;
}

const struct command cmd_doctor = {"doctor", "check whether this machine can measure well, and say what would help",
				   doctor_run};
