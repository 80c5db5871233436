/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of all runs that reports need, in one file: DIR/summaries, in addition to runs/ with the
 * full data.
 *
 * It has a line of JSON for each run, with a checksum as in the journal: the content of
 * runs/NNNNNN.json without the histogram and, in large campaigns (protocol_in_detail()), without
 * the course over time; and the size of that file ("bytes"). Lines are appended without sync. A
 * line is ignored, and the file of the run is read, if the line is missing, incomplete or damaged,
 * if its file has another size, or if its SHA-256 differs from the journal. Results of earlier
 * versions have no file DIR/summaries. */
#pragma once

#include "validate/results/results.h"

/* Appends the line of a run whose file was written from `o` (run_summary_file()); changes `o`.
 * digest, unless NULL: SHA-256 of the line without its newline, "" after an error. Errors: from the
 * system; without the line, reading only takes more time. */
int summaries_append(const char *dir, uint32_t run, json_t *o, bool with_course,
		     char digest[FILE_DIGEST_HEX], struct err *e);

/* Reads the summaries of RUN_OK runs that have a valid line, and sets has_summary. `with_course`:
 * with their courses, which are the largest part. Uses several threads for many runs. */
void summaries_read(const char *dir, struct run *run, size_t n_runs, bool with_course);
