/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main function of compiled programs. */

#include "replay/content/captured_take.h"
#include "replay/engines/compiled/control.h"
#include "replay/engines/compiled/program.h"

static struct control *control_open(int argc, char **argv)
{
	struct stat st;
	char *end;
	long fd = argc == 2 ? strtol(argv[1], &end, 10) : -1;
	if (fd < 0 || *end || fstat((int)fd, &st) < 0 || st.st_size < (off_t)sizeof(struct control))
		return NULL;
	struct control *c = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_POPULATE, (int)fd, 0);
	close((int)fd);
	if (c == MAP_FAILED)
		return NULL;
	bool ours = !memcmp(c->magic, CONTROL_MAGIC, sizeof CONTROL_MAGIC) &&
		    c->header_bytes == sizeof *c && c->n_bytes == (uint64_t)st.st_size;
	return ours ? c : NULL;
}

static void thread_loop(struct runner *w)
{
	const struct program *program = w->crew->shared;
	const uint32_t i = w->crew->plan->pool ? 0 : w->index;
	if (w->crew->config->stop_on_mismatch)
		careful_loop(w); /* checks each result */
	else if (w->crew->config->blank)
		program->blank[i](w);
	else
		program->thread[i](w);
}

static int content_take(struct control *c, struct err *e)
{
	struct captured_reader *r = NULL;
	if (c->content_fd < 0 || c->content_memory_fd < 0)
		return 0;
	int ret = captured_join(&r, c->content_fd, c->content_memory_fd, e);
	c->plan.calls.content = r;
	return ret;
}

static int plan_take(struct control *c, const struct program *program, struct err *e)
{
	struct replay_plan *p = &c->plan;
	const int null_fd = p->calls.null_fd;
	replay_config_receive(&c->sent);
	int ret = image_open(program->image, p, e);
	if (ret)
		return ret;
	if (p->n_slots != c->n_slots || (!p->pool && p->n_lanes != program->n_threads) ||
	    c->outcomes_at + image_outcome_bytes(p) > c->n_bytes)
		return err_set(e, EINVAL, "the compiled program belongs to another replay: "
				       "remove it from the directory of --program-cache");
	p->calls.null_fd = null_fd;
	p->root.refused = &p->calls.common->counts.refused;
	p->calls.payload =
	    c->sent.config.payload == PAYLOAD_BUFFER || c->sent.config.payload == PAYLOAD_CAPTURED
		? NULL
		: &p->payload;
	/* with --processes, each process gets a copy */
	p->fds = xcalloc((size_t)p->n_slots + 1, sizeof *p->fds);
	for (uint32_t i = 0; i < p->n_slots; i++)
		atomic_init(&p->fds[i], atomic_load(&control_fds(c)[i]));
	image_outcomes_set(p, control_outcomes(c));
	c->balloon.step = control_steps(c);
	p->balloon = &c->balloon;
	return content_take(c, e);
}

static int program_replay(struct control *c, const struct program *program, struct err *e)
{
	int ret = plan_take(c, program, e);
	if (ret)
		return ret;
	struct crew *crew = xaligned(_Alignof(struct crew), 1, sizeof *crew);
	ret = crew_init(crew, &c->plan, &c->sent.config, c->plan.n_workers, thread_loop, e);
	crew->shared = (void *)(uintptr_t)program;
	atomic_store(&c->state, CONTROL_RUNNING);
	ret = ret ? ret : crew_run(crew, e);
	c->counts = c->plan.calls.common->counts;
	for (uint32_t i = 0; i < c->n_slots; i++)
		atomic_store(&control_fds(c)[i], atomic_load(&c->plan.fds[i]));
	return ret;
}

int program_main(int argc, char **argv, const struct program *program)
{
	struct control *c = control_open(argc, argv);
	signal(SIGPIPE, SIG_IGN); /* ignore signals: failed calls return errors, as in validate */
	signal(SIGXFSZ, SIG_IGN);
	if (!c) {
		fprintf(stderr, "only `validate replay --engine compiled` of the same version can "
			"start this program\n");
		return 2;
	}
	c->result = program_replay(c, program, &c->err);
	atomic_store(&c->state, CONTROL_ENDED);
	fflush(NULL);
	/* end without cleanup: some thread may never return */
	_exit(0);
}
