/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of the commands that make a protocol for a trace (rows of a table over struct
 * judge_config), and the common part of these commands. */
#pragma once

#include "validate/judge/judge.h"

#define JUDGE_FIELD(name) offsetof(struct judge_config, name)
/* Options for replayers, reference and target. `with_help`: help of --with. `device_more`: end
 * of the help of --device. */
#define JUDGE_TRACE_ROWS(with_help, device_more)                                                   \
	{.group = "Replayers and reference", .name = "with", .type = OPT_LIST,                     \
	 .offset = JUDGE_FIELD(with), .arg = "REPLAYER", .help = with_help},                       \
	{.name = "rerun", .type = OPT_FLAG, .offset = JUDGE_FIELD(rerun),                          \
	 .help = "use new runs of the captured command as the reference, each in a fresh copy of " \
		 "its files. Each run repeats the effects of the command outside the copy (other " \
		 "files, network) (default: ask at a terminal, else use the recording)"},          \
	{.name = "files", .type = OPT_STRING, .offset = JUDGE_FIELD(files), .arg = "DIR",          \
	 .help = "with --rerun: directory with the initial files of the command (default: files "  \
		 "that the trace describes, see the manual page)"},                                \
	{.group = "Target", .name = "dir", .type = OPT_STRING, .offset = JUDGE_FIELD(dir),         \
	 .arg = "DIR",                                                                             \
	 .help = "for a trace of calls: create its files in a fresh directory below DIR "          \
		 "(default: the results directory)"},                                              \
	{.name = "device", .type = OPT_STRING, .offset = JUDGE_FIELD(device), .arg = "DEV",        \
	 .help = "for a trace of a block device: replay on this block device or file" device_more},\
	{.name = "destructive", .type = OPT_FLAG, .offset = JUDGE_FIELD(destructive),              \
	 .help = "for a trace of a block device: permit overwriting DEV; --device needs this "     \
	 	"option"},                                                                         \
	{.name = "cache", .type = OPT_CHOICE, .offset = JUDGE_FIELD(cache),                        \
	 .choices = judge_caches,                                                                  \
	 .help = "for a trace of calls: state of the page cache before each replay, see "          \
		 "the manual page (default auto)"}
/* Options for output. `name_` is the name of the command. */
#define JUDGE_OUTPUT_ROWS(name_)                                                                   \
	{.name = "output", .letter = 'o', .type = OPT_STRING, .offset = JUDGE_FIELD(output),       \
	 .arg = "RESULTS", .flags = OPT_NOT_STDOUT,                                                \
	 .help = "results directory, new or empty (default results-" name_ "-NAME-DATE-TIME)"},    \
	{.name = "dry-run", .type = OPT_FLAG, .offset = JUDGE_FIELD(dry_run),                      \
	 .help = "print what would run, and change nothing"},                                      \
	{.name = "format", .type = OPT_STRING, .offset = JUDGE_FIELD(format), .arg = "FORM",       \
	 .help = "output format at the end, see \"validate report --list\" (default terminal)"},   \
	{.name = "quiet", .letter = 'q', .type = OPT_FLAG, .offset = JUDGE_FIELD(quiet),           \
	 .help = "print neither protocol nor progress"}

/* Makes a protocol for the trace at `path`, runs it and prints the report. With dry_run, only
 * prints the protocol. Returns an exit status. */
int judge_trace(struct judge_config *c, const char *path, struct err *e);
