/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted journals: they are read without a crash; an incomplete end is removed and complete
 * lines stay. */
#include <assert.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files.h"
#include "common/xalloc.h"
#include "validate/results/journal.h"
#include "validate/results/results_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define N_RUNS 4

static int on_event(const json_t *event, void *context, struct err *e)
{
	(void)e;
	run_from_event(context, N_RUNS, event, NULL);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *tmp = getenv("TMPDIR");
	char *path = xasprintf("%s/journal-%d", tmp ? tmp : "/tmp", (int)getpid());
	struct design_run planned[N_RUNS] = {{0}};
	struct design design = {.run = planned, .n_runs = N_RUNS};
	struct run *runs = results_runs_make(&design);
	struct journal_reading before, after;
	struct journal j;
	struct err e = ERR_INIT;
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert(fd >= 0 && write_all(fd, data, size) == 0);
	close(fd);
	assert(journal_read(path, on_event, runs, &before, &e) == 0);
	assert(journal_open(&j, path, 0, &e) == 0);
	json_t *o = json_pack("{s:s}", "event", "end");
	assert(journal_append(&j, o, &e) == 0);
	json_decref(o);
	journal_close(&j);
	assert(journal_read(path, on_event, runs, &after, &e) == 0);
	assert(after.n_lines == before.n_lines + 1 && after.n_damaged == before.n_damaged &&
	       !after.torn);
	results_runs_free(runs, N_RUNS);
	unlink(path);
	free(path);
	return 0;
}
