/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The driver of fault injection: cases, their files, runs and judgements. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "inject.h"

/* --- files below a directory --------------------------------------------- */

struct tree_entry {
	char *path; /* relative */
	uint32_t mode;
	uint64_t digest; /* of a file's bytes, or of a link's target */
	bool varies;	 /* its bytes differ between two runs without faults */
};

struct tree {
	struct tree_entry *entry; /* sorted by path */
	size_t n;
};

void tree_take(struct tree *t, const char *dir);
void tree_release(struct tree *t);
const struct tree_entry *tree_find(const struct tree *t, const char *path);
/* FNV-1a of a file's bytes; 0 if it cannot be read. */
uint64_t file_sum(const char *path);

/* --- cases --------------------------------------------------------------- */

struct fault_point {
	uint8_t family;
	uint16_t fault;
	uint32_t n;
};

/* A line of the file of cases: NAME | OPTIONS | ARGUMENTS. README in inject-cases. */
struct fault_case {
	char *name, *from, *check;
	/* prefix of the names of files that the trace's requests read and write; they are not
	 * compared; NULL: none */
	char *data;
	char *stays;  /* a new file that may remain after an error; NULL: none */
	char *script; /* run in place of the program; NULL none */
	bool vary_output, free_tree, rare, preload_only;
	bool left_out; /* it needs something that this machine does not have */
	uint32_t good; /* bit s: status s is a success */
	char *argv[64];
	struct tree before, after; /* directory before the case, and after a run without faults */
	uint64_t output;	   /* digest of standard output without faults */
	int status;
	double seconds, spent;
	uint64_t count[N_FAMILIES];
	struct fault_point *point; /* in the order of the attempts: first one point of each site */
	size_t n_points, next;
};

/* Reads the file of cases. Ends the program at an invalid line. */
size_t cases_read(struct fault_case **cases, const char *path, const char *program);
/* Orders the points by the seed, rare points last. */
void cases_shuffle(struct fault_case *cases, size_t n, uint64_t seed);
/* Makes the points of a case from the counted calls, in an order from the seed. */
void case_points(struct fault_case *c, const struct inject_state *s, uint64_t *seed);

extern const char *const family_names[N_FAMILIES];
const char *fault_name(int fault);
int fault_by_name(const char *name);
int family_by_name(const char *name);

/* --- runs ---------------------------------------------------------------- */

struct walk {
	const char *program, *library; /* library: NULL if a file system injects */
	char *base, *dir; /* directory with the run's directory and `in`; directory of the logs */
	char *run, *out, *err, *state_path;
	struct inject_state *state;
	uint64_t armed; /* nth of the state while a command with a fault runs */
	uint64_t n_injected, n_unreached, n_failed;
	size_t n_cases; /* that were measured */
};

struct outcome {
	int status;	 /* -1: killed by `signal`, or past its time */
	int signal;
	bool late, orphans;
	double seconds;
	char text[4096]; /* the beginning of stderr */
};

void run_prepare(const struct walk *w, const struct fault_case *c);
/* Runs a command in the run's directory. `faults`: with fault injection. */
void run_command(const struct walk *w, char *const *argv, bool faults, double limit,
		 struct outcome *o);
/* The first error, in a text that is valid until the next call, or NULL. */
const char *run_judge(const struct walk *w, const struct fault_case *c, const struct outcome *o);

_Noreturn void give_up(const char *how, ...) __attribute__((format(printf, 1, 2)));
char *text_make(const char *how, ...) __attribute__((format(printf, 1, 2)));
