/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <libgen.h>
#include <sys/signalfd.h>

#include "capture/fileset/fileset.h"
#include "common/confine.h"
#include "common/signals.h"
#include "microbench/parallel/launch.h"
#include "microbench/run/run.h"

/* Checks that the trace is not in the script's directory, which is cleared before the next run. */
static int output_is_outside(const struct bench_run *r, struct err *e)
{
	char *copy = xstrdup(r->config->output),
	     *top = xasprintf("%s/%s", r->config->dir, r->workload->script->top);
	char *of_output = realpath(dirname(copy), NULL), *of_top = realpath(top, NULL);
	size_t len = of_top ? strlen(of_top) : 0;
	bool inside = of_output && of_top && !strncmp(of_output, of_top, len) &&
		      (of_output[len] == '/' || !of_output[len]);
	int ret = inside ? err_set(e, EINVAL, "%s: the workload replaces all files in %s: write "
		"the trace to another directory", r->config->output, top)
			 : 0;
	FREE_EACH(copy, top, of_output, of_top);
	return ret;
}

static int output_is_no_device(const struct bench_run *r, struct err *e)
{
	struct stat output, device;
	if (!stat(r->config->output, &output) && !fstat(r->device.fd, &device) &&
	    output.st_dev == device.st_dev && output.st_ino == device.st_ino)
		return err_set(e, EINVAL,
			       "%s: the trace would overwrite the device: name another file",
			       r->config->output);
	return 0;
}

static int output_is_apart(const struct bench_run *r, struct err *e)
{
	struct stat output, file;
	if (r->workload->script)
		return output_is_outside(r, e);
	if (r->workload->block)
		return output_is_no_device(r, e);
	if (stat(r->config->output, &output) < 0)
		return 0;
	for (unsigned int i = 0; i < r->n_workers; i++)
		if (fstat(r->worker[i].bench.fd, &file) == 0 && file.st_dev == output.st_dev &&
		    file.st_ino == output.st_ino)
			return err_set(e, EINVAL,
				       "%s: the trace would overwrite a file of the workload: "
				       "name another file",
				       r->config->output);
	return 0;
}

static int run_prepared(struct bench_run *r, struct microbench_outcome *o, struct err *e)
{
	sigset_t old;
	int ret = r->workload->block ? 0 : pause_join(&r->pause, e);
	ret = ret ? ret : bench_setup(r, e);
	ret = ret ? ret : output_is_apart(r, e);
	if (ret)
		return ret;
	/* until the trace is written; the threads start later and inherit the mask */
	signals_hold(&r->held, false, &old);
	int signal_fd = signalfd(-1, &r->held, SFD_CLOEXEC | SFD_NONBLOCK);
	ret = signal_fd < 0 ? err_sys(e, errno, "cannot create a signalfd")
			    : bench_measure(r, signal_fd, e);
	ret = ret ? ret : bench_record(r, signal_fd, o, e);
	ret = ret ? ret : bench_failure(r, e);
	if (signal_fd >= 0)
		close(signal_fd);
	signals_release(&old, ret == -EINTR);
	return ret;
}

static int run_parallel(struct bench_run *r, struct microbench_outcome *o, struct err *e)
{
	int ret = bench_files_check(r, e);
	ret = ret ? ret : output_is_apart(r, e);
	return ret ? ret : parallel_launch(r->workload, r->config, o, e);
}

static int files_prepare(struct bench_run *r, struct err *e)
{
	int ret = microbench_clear(r->workload, &r->files, r->dir_fd, e);
	const uint64_t seed = r->config->seed;
	ret = ret ? ret : fileset_restore(&r->files, r->dir_fd, seed, false, NULL, NULL, e);
	if (!ret && r->workload->warm)
		ret = fileset_warm(&r->files, r->dir_fd, e);
	return ret;
}

int microbench_run(const struct workload *w, const struct microbench_config *c,
		   struct microbench_outcome *o, struct err *e)
{
	struct microbench_outcome unwanted;
	struct bench_run r = {.workload = w,
			      .config = c, .dir_fd = -1, .tree = -1, .finished_fd = -1,
			      .device = {.fd = -1}};
	pause_init(&r.pause);
	o = o ? o : &unwanted;
	*o = (struct microbench_outcome){.mean_response_ns = NAN};
	int ret = microbench_files(w, c, &r.files, e);
	if (ret)
		return ret;
	if (!w->block && (r.dir_fd = no_devices_open(c->dir, &r.tree, e)) < 0) {
		ret = r.dir_fd;
		goto out;
	}
	if (!c->prepare_only)
		ret = trace_output_check(c->output, e);
	if (!ret && !w->block && (c->prepare || c->prepare_only))
		ret = files_prepare(&r, e);
	if (!ret && !c->prepare_only)
		ret = w->script && w->script->parallel ? run_parallel(&r, o, e)
						       : run_prepared(&r, o, e);
	bench_teardown(&r);
	pause_release(&r.pause);
	if (c->remove && !w->block) {
		struct err unremoved = ERR_INIT;
		int removed = microbench_clear(w, &r.files, r.dir_fd, &unremoved);
		if (!removed)
			removed = fileset_remove(&r.files, r.dir_fd, &unremoved);
		if (!ret && removed)
			ret = err_set(e, -removed, "%s", unremoved.msg);
	}
out:
	fd_close(r.dir_fd);
	fd_close(r.tree);
	microbench_files_release(&r.files);
	return ret;
}
