/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parallel engine: a launcher of MPI jobs starts a process for each traced process, on one or
 * more hosts; traced threads become threads of this process. A node repeats its traced computing,
 * and sends and awaits its traced signals as messages. The loops and calls of `event` issue the
 * requests. Source: Mesnier et al., //TRACE: parallel trace replay with approximate causal events
 * (FAST 2007), section 4.2. */
#include <libgen.h>

#include "common/files.h"
#include "common/leftovers.h"
#include "replay/options/engine.h"
#include "replay/engines/parallel/bundle.h"
#include "replay/engines/parallel/job.h"
#include "replay/engines/parallel/layout.h"

/* --- options ------------------------------------------------------------- */

static int parallel_check(const struct replay_config *c, struct err *e)
{
	const char *mutant = c->mutant ? c->mutant : "";
	if (c->block.mode == MODE_LOAD || c->block.mode == MODE_DEP)
		return err_set(e, EINVAL, "mode: %s belongs to engine block; engine parallel has "
			"causal, afap, think-limited and timing-accurate",
			block_mode_names[c->block.mode]);
	if ((c->order != ORDER_TEMPORAL && c->order != ORDER_THREAD) ||
	    c->timing != TIMING_FULLSPEED || c->fs_rules)
		return err_set(e, EINVAL,
			       "engine parallel has modes (--mode) instead of orders and timings: "
			       "omit --order, --timing and --fs-rules");
	if (c->speed != 1 && (c->block.mode == MODE_HF || c->block.mode == MODE_CAUSAL ||
			      c->block.mode == MODE_AFAP))
		return err_set(e, EINVAL,
			       "speed: only modes think-limited and timing-accurate use it");
	if (*mutant)
		return err_set(e, EINVAL,
			"mutant: engine parallel has no mutants: use engine event or block");
	if (c->balloon && strcmp(c->balloon, "off"))
		return err_set(e, EINVAL,
			"balloon: engine parallel does not support this option (engines event, "
			"coordinator and compiled support it)");
	if (c->stop_on_mismatch)
		return err_set(e, EINVAL,
			"stop-on-mismatch: engine parallel does not support this option (engines "
			"event, coordinator and compiled support it)");
	struct words_list words;
	int ret = c->parallel.launcher ? words_parse_value(&words, c->parallel.launcher, e) : 1;
	if (ret < 0)
		return err_context(e, "launcher");
	if (!ret)
		words_list_release(&words);
	return 0;
}

static void parallel_settle(struct replay_config *c)
{
	if (c->block.mode == MODE_HF)
		c->block.mode = MODE_CAUSAL;
	c->order = ORDER_THREAD;
	c->timing = c->block.mode == MODE_THINK_LIMITED ? TIMING_THINK
		    : c->block.mode == MODE_TIMING_ACCURATE ? TIMING_TIMESTAMP : TIMING_FULLSPEED;
	c->causes = c->block.mode == MODE_CAUSAL;
	c->processes = true;
}

static int parallel_lay(struct replay_plan *p, const struct replay_config *c, const struct load *l,
			const struct slots *s, struct trace *t, struct err *e)
{
	int ret = layout_make(&p->layout, p, c->causes, l, s, t, e);
	p->layout->mode = block_mode_names[c->block.mode];
	return ret;
}

/* --- running ------------------------------------------------------------- */

/* Creates a file with a random name in the target directory. */
static int token_leave(const struct replay_plan *p, char token[BUNDLE_TOKEN], struct err *e)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d/.ranks-XXXXXX", p->root.fd);
	SCOPED_FD int fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, errno,
			"cannot create a file in the target directory (the ranks recognise "
			"the directory by this file)");
	strcpy(token, strrchr(path, '/') + 1);
	return 0;
}

/* Creates the directory of the plan. It is beside the output, like other scratch files, so that the
 * caller of the replay can remove it. The caller frees. Errors: NULL with the error. */
static char *scratch_make(const struct replay_config *c, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	SCOPED_FREE char *near = xstrdup(c->output ? c->output : "");
	const char *where = c->scratch    ? c->scratch
			    : c->output   ? dirname(near)
			    : tmp && *tmp ? tmp
					  : "/tmp";
	SCOPED_FREE char *parent = realpath(where, NULL);
	if (!parent) {
		err_sys(e, errno, "cannot use directory %s for the plan of the replay (choose "
			"another with --scratch)", where);
		return NULL;
	}
	char *dir = xasprintf("%s/validate-ranks-XXXXXX", parent);
	if (leftover_directory(dir))
		return dir;
	err_sys(
	    e, errno,
	    "cannot create directory %s for the plan of the replay (choose another with --scratch)",
	    dir);
	free(dir);
	return NULL;
}

static int ranks_run(struct replay_plan *p, const struct replay_config *c, const char *scratch,
		     struct err *e)
{
	char token[BUNDLE_TOKEN];
	struct rank_layout *y = p->layout;
	struct job job = {.command.v = NULL};
	SCOPED_FREE struct bundle_part *part = xcalloc((size_t)y->n_ranks + 1, sizeof *part);
	int ret = token_leave(p, token, e);
	if (ret)
		return ret;
	ret = job_prepare(&job, c->parallel.launcher, y->n_ranks, p->n_lanes, scratch, token,
			  c->watchdog_ns, e);
	if (!ret) {
		snprintf(y->launcher, sizeof y->launcher, "%s", job.shown.s);
		ret = bundle_write(scratch, token, p, c, part, e);
	}
	ret = ret ? ret : job_run(&job, scratch, e);
	unlinkat(p->root.fd, token, 0);
	ret = ret ? ret : bundle_take(scratch, part, p, e);
	job_release(&job);
	return ret;
}

static int parallel_run(struct replay_plan *p, const struct replay_config *c, struct err *e)
{
	SCOPED_FREE char *scratch = scratch_make(c, e);
	if (!scratch)
		return -EIO;
	int ret = ranks_run(p, c, scratch, e);
	int removed = dir_remove_tree(scratch, ret ? NULL : e);
	return ret ? ret : removed;
}

const struct replay_engine engine_parallel = {
	.name = "parallel",
	.level = LEVEL_SYSCALL,
	.help = "one process per traced process, under MPI on one or more hosts; replays the "
			 "traced computation and the traced waits",
	.opens = true,
	.marks_cpu_delay = true,
	.nodes = true,
	.moded = true,
	.options = parallel_option_table,
	.check = parallel_check,
	.settle = parallel_settle,
	.lay = parallel_lay,
	.run = parallel_run,
};
