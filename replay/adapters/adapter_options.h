/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the engines that are other people's replayers: the keys that all of them have, and each one's own. Their rows are part of
 * replay_options, so that each is an option of the command line and a key of a protocol's [replayer NAME]. An adapter's own keys begin
 * with its name: fio-iodepth. */
#ifndef REPLAY_ADAPTER_OPTIONS_H
#define REPLAY_ADAPTER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "replay/adapters/known_options.h"

struct adapter_options {
	const char *times;	/* --times self|self:FORM|preload|block|none, NULL: the adapter's usual one (times.h) */
	const char *export;	/* --export FORMAT[/trace|thread|process|device]: of engine exec */
	const char *command;	/* --command: words with placeholders; NULL: the adapter's own */
	const char *environment; /* --environment NAME=VALUE...: words as of command, NULL none */
	const char *start_in;	/* --start-in: directory it is started in, with placeholders; NULL: the adapter's, mostly {scratch} */
	const char *user;	/* --user: whom the replayer runs as, NULL: who asks */
	const char *accept_status; /* --accept-status: exit statuses that are no failure, beside 0; NULL none */
	int64_t time_limit_ns;	/* --time-limit: then it is killed */
	bool full_speed;	/* --full-speed: engine exec issues requests without regard to their traced times */
	struct known_options known; /* of each adapter's own */
};

/* Designated initialisers for a struct adapter_options. */
#define ADAPTER_OPTIONS_STANDARD .time_limit_ns = INT64_C(600000000000), .known = KNOWN_OPTIONS_STANDARD

/* Rows of an option table; AT(FIELD) is the offset of a field of the struct adapter_options. */
#define ADAPTER_OPTION_ROWS(AT)                                                                                                        \
	{.name = "times", .type = OPT_STRING, .offset = AT(times), .arg = "HOW",                                                       \
	 .help = "foreign replayers: whose times count: its own per request (self), those of the preloaded library (preload), or the " \
		 "device's (block), or nobody's (none); self:csv(begin=3,end=4,unit=us) of engine exec (the replayer's usual)"},       \
	{.name = "export", .type = OPT_STRING, .offset = AT(export), .arg = "FORMAT",                                                  \
	 .help = "engine exec: the format it is given the trace in, with /thread, /process or /device behind it one file for each"},  \
	{.name = "command", .type = OPT_STRING, .offset = AT(command), .arg = "WORDS",                                                 \
	 .help = "foreign replayers: what is started, words with placeholders: [\"replayer\", \"--in\", \"{trace}\"] (the adapter's)"}, \
	{.name = "environment", .type = OPT_STRING, .offset = AT(environment), .arg = "WORDS",                                         \
	 .help = "foreign replayers: variables of their environment, NAME=VALUE each (none beside those there are)"},                  \
	{.name = "start-in", .type = OPT_STRING, .offset = AT(start_in), .arg = "DIR",                                                 \
	 .help = "foreign replayers: the directory they are started in, such as {target} ({scratch}, a directory of the run's own)"},  \
	{.name = "user", .type = OPT_STRING, .offset = AT(user), .arg = "NAME", .help = "foreign replayers: whom they run as (you)"},   \
	{.name = "accept-status", .type = OPT_STRING, .offset = AT(accept_status), .arg = "LIST",                                      \
	 .help = "foreign replayers: exit statuses beside 0 that are no failure (none)"},                                              \
	{.name = "time-limit", .type = OPT_DURATION, .offset = AT(time_limit_ns), .arg = "TIME", .min = 1e6, .max = 1e15,              \
	 .help = "foreign replayers: how long they may take; then they are killed (10min)"},                                            \
	{.name = "full-speed", .type = OPT_FLAG, .offset = AT(full_speed),                                                             \
	 .help = "engine exec: the replayer issues each request as soon as it can, whatever the traced times are (no)"},              \
	KNOWN_OPTION_ROWS(AT)

#endif
