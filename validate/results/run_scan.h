/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What results_file.c writes of a run, read back from its text without making objects of it: the lines of a large campaign. A line of another shape,
 * or with something in it that would be refused, is not read here; nobody says why, and run_from_event() and run_summary_take() read it. */
#ifndef VALIDATE_RUN_SCAN_H
#define VALIDATE_RUN_SCAN_H

#include "validate/results/results.h"

/* A line of DIR/summaries. */
struct run_line {
	struct run run; /* id, blank, own, device, summary (brief) */
	int64_t file_bytes;
};
/* false where the line is not believed, or of another shape. Ownership: summary_release() of run.summary, or run_line_take(). */
bool run_line_scan(struct run_line *l, const char *line, size_t len);
void run_line_take(struct run *r, struct run_line *l);

/* A line of the journal that tells of a run that is in the plan and went well. false, and nothing is changed, where it does not, or is not
 * believed. */
bool run_event_scan(struct run *runs, size_t n_runs, const char *line, size_t len, uint64_t *run);

#endif
