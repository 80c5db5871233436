/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of foreign replayers: those of all adapters, and those of each adapter. Their rows are
 * part of replay_options, so that each row is an option of the command line and a key of a
 * protocol's [replayer NAME]. Keys of one adapter begin with its name: fio-iodepth. */
#ifndef REPLAY_ADAPTER_OPTIONS_H
#define REPLAY_ADAPTER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/options/known_options.h"

struct adapter_options {
	/* --times self|self:FORM|preload|block|none (times.h); NULL: the adapter's default */
	const char *times;
	const char *export;	/* --export FORMAT[/trace|thread|process|device]: engine exec */
	const char *command;	/* --command: words with placeholders; NULL: the adapter's */
	const char *environment; /* --environment NAME=VALUE...: words; NULL none */
	const char *start_in;	/* --start-in: working directory; NULL: the adapter's */
	const char *user;	/* --user: user of the replayer; NULL: the user of this process */
	const char *accept_status; /* --accept-status: statuses besides 0 that mean success */
	int64_t time_limit_ns;	/* --time-limit: after it the replayer is killed */
	bool full_speed;	/* --full-speed: engine exec ignores the traced times */
	struct known_options known; /* options of single adapters */
};

/* Designated initialisers for a struct adapter_options. */
#define ADAPTER_OPTIONS_STANDARD .time_limit_ns = INT64_C(600000000000), .known = KNOWN_OPTIONS_STANDARD

/* Rows of an option table; AT(FIELD) is the offset of a field of the struct adapter_options. */
#define ADAPTER_OPTION_ROWS(AT)                                                                                                        \
	{.group = "Replayers of other projects", .name = "times", .type = OPT_STRING, .offset = AT(times), .arg = "HOW",                                                       \
	 .help = "foreign replayers: source of the times: the replayer's own per request (self), the preloaded library (preload), " \
		 "the device (block) or none; engine exec: self:csv(begin=3,end=4,unit=us) (default: the usual source of the replayer)"},       \
	{.name = "export", .type = OPT_STRING, .offset = AT(export), .arg = "FORMAT",                                                  \
	 .help = "engine exec: format of the trace for the replayer; with /thread, /process or " \
		 "/device appended, one file for each"},  \
	{.name = "command", .type = OPT_STRING, .offset = AT(command), .arg = "WORDS",                                                 \
	 .help = "foreign replayers: command as a list of words with placeholders: " \
		 "[\"replayer\", \"--in\", \"{trace}\"] (default: the adapter's)"}, \
	{.name = "environment", .type = OPT_STRING, .offset = AT(environment), .arg = "WORDS",                                         \
	 .help = "foreign replayers: additional environment variables, each NAME=VALUE (default " \
		 "none)"},                  \
	{.name = "start-in", .type = OPT_STRING, .offset = AT(start_in), .arg = "DIR",                                                 \
	 .help = "foreign replayers: working directory, such as {target} (default {scratch}, a " \
		 "directory of the run)"},  \
	{.name = "user", .type = OPT_STRING, .offset = AT(user), .arg = "NAME", .help = "foreign " \
			 "replayers: user that runs them (default: the current user)"},   \
	{.name = "accept-status", .type = OPT_STRING, .offset = AT(accept_status), .arg = "LIST",                                      \
	 .help = "foreign replayers: exit statuses besides 0 that mean success (default none)"}, \
	{.name = "time-limit", .type = OPT_DURATION, .offset = AT(time_limit_ns), .arg = "TIME", .min = 1e6, .max = 1e15,              \
	 .help = "foreign replayers: kill them after this time (default 10min)"}, \
	{.name = "full-speed", .type = OPT_FLAG, .offset = AT(full_speed),                                                             \
	 .help = "engine exec: the replayer issues each request as soon as possible and ignores " \
		 "the traced times (default no)"},              \
	KNOWN_OPTION_ROWS(AT)

#endif
