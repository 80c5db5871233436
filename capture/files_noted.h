/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The result of a snapshot of files (--snapshot). */
#pragma once

#include <stdint.h>

struct files_noted {
	uint64_t n_files;
	/* number of files that were left out; all files, if they were too many for a trace */
	uint64_t n_left_out;
	uint64_t n_holes_cut; /* number of files with more holes than are recorded */
	uint64_t n_undigested; /* number of files with holes that are too long for a digest */
};
