/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what became of the requests to the replay trace and the summary. */
#ifndef REPLAY_BLOCK_OUTPUT_H
#define REPLAY_BLOCK_OUTPUT_H

#include "replay/engines/block/block_crew.h"
#include "replay/result/output.h"

/* As output_write. */
int block_output_write(struct trace *input, const char *input_path, const struct block_load *l,
		       const struct block_crew *c, struct replay_summary *s, struct err *e);

#endif
