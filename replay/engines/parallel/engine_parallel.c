/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parallel engine: a launcher of MPI jobs starts a process for each traced process, on one or
 * more hosts; traced threads become threads of this process. A node repeats its traced computing,
 * and sends and awaits its traced signals as messages. The loops and calls of `event` issue the
 * requests. Source: Mesnier et al., //TRACE: parallel trace replay with approximate causal events
 * (FAST 2007), section 4.2. */
#include <libgen.h>
#include <sys/random.h>

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
			       "omit --order and --timing");
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

static int token_make(char token[BUNDLE_TOKEN], struct err *e)
{
	unsigned char bytes[12];
	ssize_t got;
	while ((got = getrandom(bytes, sizeof bytes, 0)) < 0 && errno == EINTR)
		;
	if (got != sizeof bytes)
		return err_sys(e, got < 0 ? errno : EIO,
			       "cannot get random numbers for the name of the ranks' file");
	size_t n = (size_t)snprintf(token, BUNDLE_TOKEN, ".ranks-");
	for (size_t i = 0; i < sizeof bytes; i++)
		n += (size_t)snprintf(token + n, BUNDLE_TOKEN - n, "%02x", bytes[i]);
	return 0;
}

static int token_leave(const struct replay_plan *p, const char *token, struct err *e)
{
	int fd = openat(p->root.fd, token, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return err_sys(e, errno,
			"cannot create the file by which ranks recognise the target directory");
	close(fd);
	return 0;
}

/* Creates the directory of the plan. It is beside the output, like other scratch files, so that the
 * caller of the replay can remove it. The caller frees. Errors: NULL with the error. */
static char *scratch_make(const struct replay_config *c, struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char *near = xstrdup(c->output ? c->output : "");
	const char *where = c->scratch    ? c->scratch
			    : c->output   ? dirname(near)
			    : tmp && *tmp ? tmp
					  : "/tmp";
	char *parent = realpath(where, NULL);
	if (!parent)
		err_sys(
		    e, errno,
		    "cannot use directory %s for the plan of the replay (choose another with "
		    "--scratch)",
		    where);
	free(near);
	if (!parent)
		return NULL;
	char *dir = xasprintf("%s/validate-ranks-XXXXXX", parent);
	free(parent);
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
		     const char *token, struct err *e)
{
	struct rank_layout *y = p->layout;
	struct job job = {.command.v = NULL};
	SCOPED_FREE struct bundle_part *part = xcalloc((size_t)y->n_ranks + 1, sizeof *part);
	int ret = job_prepare(&job, c->parallel.launcher, y->n_ranks, p->n_lanes, scratch, token,
			      c->watchdog_ns, e);
	if (!ret) {
		snprintf(y->launcher, sizeof y->launcher, "%s", job.shown.s);
		ret = bundle_write(scratch, token, p, c, part, e);
	}
	ret = ret ? ret : token_leave(p, token, e);
	if (!ret) {
		ret = job_run(&job, scratch, e);
		/* the ranks may have ended before they removed the file */
		unlinkat(p->root.fd, token, 0);
	}
	ret = ret ? ret : bundle_take(scratch, part, p, e);
	job_release(&job);
	return ret;
}

static int parallel_run(struct replay_plan *p, const struct replay_config *c, struct err *e)
{
	char token[BUNDLE_TOKEN];
	char *scratch = scratch_make(c, e);
	if (!scratch)
		return -EIO;
	int ret = token_make(token, e);
	ret = ret ? ret : ranks_run(p, c, scratch, token, e);
	int removed = dir_remove_tree(scratch, ret ? NULL : e);
	free(scratch);
	return ret ? ret : removed;
}

const struct replay_engine engine_parallel = {
	.name = "parallel",
	.level = LEVEL_SYSCALL,
	.help = "one process per traced process, under MPI on one or more hosts, with the "
			 "traced computing and waiting",
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
