/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate version: prints the versions of the program and its libraries, for bug reports and
 * records of measurements. */
#include <csv.h>
#include <gnu/libc-version.h>
#include <gsl/gsl_version.h>
#include <zstd.h>

#include "commands/commands.h"
#include "reports/json/json_value.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#if defined(__clang__)
#define COMPILER __VERSION__
#else
#define COMPILER "gcc " __VERSION__
#endif

struct version_config {
	bool json;
};

static const struct option_spec version_options[] = {
	OPTION(FLAG, "json", offsetof(struct version_config, json),
	       .help = "print one JSON object"),
	{.name = NULL},
};

struct version_part {
	/* run-time version of the library if the library reports it, otherwise the version of its
	 * header */
	const char *name, *version;
};

static void print_json(const struct version_part *parts)
{
	json_t *libraries = json_object();
	for (; parts->name; parts++)
		json_object_set_new(libraries, parts->name, json_string(parts->version));
	json_print(json_pack("{s:s, s:o, s:s, s:s}", "validate", VALIDATE_VERSION, "libraries",
			     libraries, "compiler", COMPILER, "licence", "GPL-3.0-or-later"));
}

static int version_run(int argc, char **argv, struct err *e)
{
	struct version_config config = {false};
	int n_positional;
	int status = command_parse(&cmd_version, "[--json]",
				   "Prints the versions of validate and its main libraries, and "
				   "the compiler.\n\nExit status: 0 done, 2 wrong usage, 3 failed.",
				   version_options, &config, argc, argv, 0, 0,
				   &n_positional, e);
	if (status >= 0)
		return status;
	const struct version_part parts[] = {
		{"glibc", gnu_get_libc_version()}, {"gsl", gsl_version},
		{"jansson", jansson_version_str()},
		{"libcsv", TEXT(CSV_MAJOR) "." TEXT(CSV_MINOR) "." TEXT(CSV_RELEASE)},
		{"zstd", ZSTD_versionString()},	    {NULL, NULL},
	};
	if (config.json) {
		print_json(parts);
		return EXIT_OK;
	}
	printf("validate %s\n", VALIDATE_VERSION);
	for (const struct version_part *p = parts; p->name; p++)
		printf("%-9s%s\n", p->name, p->version);
	printf("%-9s%s\n", "compiler", COMPILER);
	return EXIT_OK;
}

const struct command cmd_version = {
    "version", "print the versions of validate and its main libraries",
    version_run};
