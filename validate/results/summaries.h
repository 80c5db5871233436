/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reports read of all runs, in one file: DIR/summaries, beside runs/, which has the same in
 * full.
 *
 * A line of JSON for each run, with a checksum of its own as in the journal: what runs/NNNNNN.json
 * has but for the histogram and, in large campaigns (protocol_in_detail()), the course over the
 * time of the run; and how many bytes that file has ("bytes"). It is appended to and never waited
 * for: a line that is missing, torn or damaged, or whose file has another size now, or whose
 * SHA-256 is not what the journal says, says nothing, and the run's own file is read. So do results
 * of earlier versions, which have none. */
#ifndef VALIDATE_RESULTS_SUMMARIES_H
#define VALIDATE_RESULTS_SUMMARIES_H

#include "validate/results/results.h"

/* Appends the line of a run whose file has been written with `o` (run_summary_file()), which is
 * changed. digest, where it is not NULL: SHA-256 of the line without its newline, "" after an
 * error. Errors: of the system; nothing is lost then but time. */
int summaries_append(const char *dir, uint32_t run, json_t *o, bool with_course,
		     char digest[FILE_DIGEST_HEX], struct err *e);

/* Reads the summaries of those runs that are RUN_OK and have a line to be believed: has_summary is
 * set. Without their courses, which make most of a summary, where `with_course` does not say so. On
 * several threads where there are many. */
void summaries_read(const char *dir, struct run *run, size_t n_runs, bool with_course);

#endif
