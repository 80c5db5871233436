/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a program writes to its standard output and errors, taken as fast as it comes and kept within bounds. */
#ifndef REPLAY_ADAPTER_CHILD_OUTPUT_H
#define REPLAY_ADAPTER_CHILD_OUTPUT_H

#include <stddef.h>
#include <stdint.h>

struct child_output {
	int out, out_end, printed, printed_end; /* ends of pipes to read and to write; -1 none */
	int file, printed_file;
	uint64_t limit_bytes;
	uint64_t n_taken, n_printed; /* bytes, of the output and of what is printed */
	int error; /* errno where the output could not be read or written, and is not whole */
	char *tail;		     /* ring of the last CHILD_PRINTED_BYTES */
};

/* `output` NULL: standard output is printed as well. -1 with errno. */
int child_output_open(struct child_output *o, const char *output, const char *printed, uint64_t limit_bytes);
/* The program has its ends. */
void child_output_started(struct child_output *o);
/* Takes what there is, waiting so long for something to come, or for a signal. */
void child_output_wait(struct child_output *o, int signal_fd, int timeout_ms);
/* Takes what is left, and completes the files. */
void child_output_close(struct child_output *o);

#endif
