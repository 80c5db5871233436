/* SPDX-License-Identifier: GPL-3.0-or-later */
/* validate-mpi-workload: the program of the ranks that a launcher starts.
 *
 * mpirun -n 8 validate-mpi-workload checkpoint --dir DIR [options of validate microbench] [-o
 * TRACE]
 *
 * The files must exist: validate microbench checkpoint --level 8 --dir DIR --prepare-only. Without
 * -o, nothing is recorded; this is for capture from outside. Exit status: 0 done, 2 usage, 3
 * failed. */

#include "capture/op.h"
#include "common/process_memory.h"
#include "microbench/parallel/mpi/rank.h"
#include "microbench/run/source.h"

#define CALIBRATION_NS 5000000
enum { STATUS_USAGE = 2, STATUS_FAILED = 3 };

static void message_print(int rank, const char *message)
{
	fprintf(stderr, "validate-mpi-workload: rank %d: %s\n", rank, message);
}

void rank_abort(const struct rank *r, const struct err *e)
{
	message_print(r->number, e->msg);
	MPI_Abort(MPI_COMM_WORLD, STATUS_FAILED);
}

int rank_agree(const struct rank *r, int ret, const struct err *e)
{
	struct {
		int code, rank;
	} mine = {ret, r->number}, worst;
	MPI_Allreduce(&mine, &worst, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
	if (worst.code && worst.rank == r->number)
		message_print(r->number, e->msg);
	return worst.code;
}

/* --- options ------------------------------------------------------------- */

static int arguments_parse(struct rank *r, int argc, char **argv, struct microbench_config *c,
			   const struct workload **w, struct err *e)
{
	int n_positional;
	microbench_config_init(c);
	int ret = options_parse(microbench_options, c, argc, argv, &n_positional, e);
	*w = ret == 0 && n_positional == 1 ? workload_find(argv[1]) : NULL;
	if (ret)
		return ret < 0
			   ? ret
			   : err_set(e, EINVAL, "this program prints no help: see \"validate "
						"microbench --help\"");
	if (!*w || !(*w)->script || !(*w)->script->parallel)
		return err_set(e, EINVAL, "the name of the parallel application is missing "
			"(\"validate microbench --list\" lists the workloads)");
	workload_config_init(*w, c);
	c->level = (uint64_t)r->n_ranks;
	ret = options_parse(microbench_options, c, argc, argv, &n_positional, e);
	if (ret)
		return ret;
	if (c->level != (uint64_t)r->n_ranks)
		return err_set(e, EINVAL, "level is %llu, but the launcher started %d ranks: the "
			"two numbers must be equal", (unsigned long long)c->level, r->n_ranks);
	if (!c->dir)
		return err_set(e, EINVAL, "--dir DIR is missing: name the directory of the files");
	if ((*w)->script->inside_mpi && c->output)
		return err_set(e, EINVAL, "-o: workload %s writes no trace; capture it with "
			"\"validate capture causality\"", (*w)->name);
	return microbench_check(*w, c, e);
}

/* --- the rank ------------------------------------------------------------ */

/* Identifies machines by their boot ID, because containers of one machine share its clock. */
static bool is_one_host(int n_ranks)
{
	char mine[64] = "";
	SCOPED_FREE char *all = xcalloc((size_t)n_ranks, sizeof mine);
	bool one = true;
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, mine, sizeof mine - 1) < 0)
		gethostname(mine, sizeof mine - 1);
	fd_close(fd);
	MPI_Allgather(mine, sizeof mine, MPI_CHAR, all, sizeof mine, MPI_CHAR, MPI_COMM_WORLD);
	for (int i = 1; i < n_ranks; i++)
		one = one && !memcmp(all, all + (size_t)i * sizeof mine, sizeof mine);
	return one;
}

static bool is_here(const char *dir)
{
	char at[4096];
	ssize_t n = readlink("/proc/self/cwd", at, sizeof at);
	return n > 0 && (size_t)n < sizeof at && strlen(dir) == (size_t)n &&
	       !memcmp(dir, at, (size_t)n);
}

/* A capture of a rank without -o must contain only the calls of its script, so that its execution
 * time excludes the preparation. So the directory is not opened but entered, and not entered if the
 * rank was started there. */
static int dir_enter(struct bench_run *run, struct err *e)
{
	const char *dir = run->config->dir;
	if (run->config->output)
		run->dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	else
		run->dir_fd = !is_here(dir) && chdir(dir) ? -1 : AT_FDCWD;
	return run->dir_fd == -1 ? err_sys(e, errno, "cannot use directory %s", dir) : 0;
}

static int rank_setup(struct rank *r, struct err *e)
{
	struct bench_run *run = &r->run;
	const struct microbench_config *c = run->config;
	pause_init(&run->pause);
	int ret = dir_enter(run, e);
	if (ret)
		return ret;
	ret = microbench_files(run->workload, c, &run->files, e);
	run->n_workers = (unsigned int)r->n_ranks;
	run->worker = xcalloc(run->n_workers, sizeof *run->worker);
	for (unsigned int i = 0; i < run->n_workers; i++)
		run->worker[i].bench.fd = -1;
	struct worker *own = &run->worker[r->number];
	ret = ret ? ret : bench_worker_setup(run, own, e);
	if (!ret)
		ret = placement_init(&run->placement, (enum placement_kind)c->placement,
				     own->script.max_bytes, c->direct, 1, e);
	if (ret)
		return ret;
	bench_content_fill(run->placement.region.base, run->placement.region.n_bytes,
			   c->seed + (uint64_t)r->number);
	if (c->anon_bytes)
		ret =
		    vm_alloc(&run->anonymous, c->anon_bytes, "anonymous memory (--anon-memory)", e);
	own->bench.names = (const char *const *)run->names.name;
	own->tid = gettid();
	return ret ? ret : clock_init(&run->clock, CALIBRATION_NS, e);
}

/* Ends the job, because the other ranks cannot continue. */
static void rank_failed(const struct rank *r)
{
	const struct bench_run *run = &r->run;
	const struct bench_thread *t = &run->worker[r->number].bench;
	const size_t at = script_step_of_call(t->script, t->n_samples - 1);
	const struct bench_step *s = &t->script->step[at];
	const int32_t got = t->sample[t->n_samples - 1].result;
	struct err e = ERR_INIT;
	if (got < 0)
		err_sys(&e, -got, "%s/%s: request %zu (%s) failed", run->config->dir,
			source_step_path(t, at), (size_t)t->n_samples, op_name(s->op));
	else
		err_set(&e, EIO, "%s/%s: request %zu (%s) returned %d instead of %d",
			run->config->dir, source_step_path(t, at), (size_t)t->n_samples,
			op_name(s->op), got, s->expect);
	rank_abort(r, &e);
}

static int rank_measure(struct rank *r, struct err *e)
{
	struct bench_run *run = &r->run;
	struct worker *own = &run->worker[r->number];
	struct run_facts_snapshot before, after;
	struct timespec wall;
	if (run->config->pause_by == WAIT_HYBRID)
		waiter_thread_setup();
	waiter_init(&own->bench.waiter, &run->clock, (enum wait_method)run->config->pause_by, 0);
	if (run->config->output)
		script_warm(&own->bench);
	run->anonymous_bytes = process_anonymous_bytes(getpid());
	MPI_Barrier(MPI_COMM_WORLD);
	run_facts_take(&before);
	const int64_t waited_ns = thread_runqueue_wait_ns();
	clock_gettime(CLOCK_REALTIME, &wall);
	run->start = clock_begin(&run->clock);
	run->wall_epoch_ns = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec;
	/* no rank starts before the trace's epoch, which rank 0 determines */
	MPI_Barrier(MPI_COMM_WORLD);
	rank_loop(&own->bench, &r->messages);
	if (own->bench.failed)
		rank_failed(r);
	run_facts_take(&after);
	const int64_t waits_ns = thread_runqueue_wait_ns();
	own->wait_ns = waited_ns >= 0 && waits_ns >= waited_ns ? waits_ns - waited_ns : -1;
	run_facts_between(&before, &after, &run->facts);
	run->anonymous_after_bytes = process_anonymous_bytes(getpid());
	return clock_reanchor(&run->clock, e);
}

static int rank_run(struct rank *r, struct err *e)
{
	if (r->run.workload->script->inside_mpi)
		return rank_agree(r, rank_mpi_io(r, e), e);
	int ret = rank_agree(r, rank_setup(r, e), e);
	ret = ret ? ret : rank_agree(r, rank_messages_init(r, e), e);
	ret = ret ? ret : rank_agree(r, rank_measure(r, e), e);
	if (!ret && r->run.config->output)
		ret = rank_agree(r, rank_gather(r, e), e);
	rank_messages_release(r);
	bench_teardown(&r->run);
	microbench_files_release(&r->run.files);
	fd_close(r->run.dir_fd);
	return ret;
}

int main(int argc, char **argv)
{
	struct rank r = {.run = {.dir_fd = -1, .tree = -1, .finished_fd = -1, .device = {.fd = -1}},
			 .window = MPI_WIN_NULL};
	struct microbench_config c;
	struct err e = ERR_INIT;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &r.number);
	MPI_Comm_size(MPI_COMM_WORLD, &r.n_ranks);
	r.one_host = is_one_host(r.n_ranks);
	r.run.config = &c;
	int status = rank_agree(&r, arguments_parse(&r, argc, argv, &c, &r.run.workload, &e), &e)
			 ? STATUS_USAGE
			 : 0;
	if (!status && rank_run(&r, &e))
		status = STATUS_FAILED;
	MPI_Finalize();
	return status;
}
