/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/parallel/bundle.h"

#include "common/files.h"
#include "common/unnamed_file.h"
#include "replay/engines/compiled/image.h"

#define ALIGN 4096u

void bundle_boot(char boot[BUNDLE_BOOT])
{
	SCOPED_FREE char *text = file_read_line("/proc/sys/kernel/random/boot_id");
	snprintf(boot, BUNDLE_BOOT, "%s", text ? text : "");
}

/* --- a rank's share of the plan ------------------------------------------ */

struct share {
	/* shares all tables with the whole plan, except for the following */
	struct replay_plan plan;
	struct hot_request *request; /* requests of the rank's lanes */
	struct call *call;	     /* calls of these requests */
};

static uint32_t requests_count(const struct replay_plan *p, const struct layout_rank *r)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->n_lanes; i++)
		n += p->lane[r->lane[i]].n;
	return n;
}

static void share_make(struct share *s, const struct replay_plan *p, const struct layout_rank *r)
{
	const uint32_t n = requests_count(p, r);
	uint32_t n_calls = 0;
	*s = (struct share){.plan = *p};
	s->request = xmalloc(((size_t)n + 1) * sizeof *s->request);
	s->call = xmalloc(((size_t)n + 1) * sizeof *s->call);
	s->plan.lane = xcalloc((size_t)r->n_lanes + 1, sizeof *s->plan.lane);
	s->plan.process_of = xcalloc((size_t)r->n_lanes + 1, sizeof *s->plan.process_of);
	s->plan.n_lanes = s->plan.n_workers = r->n_lanes;
	s->plan.n = n;
	s->plan.n_records = 0;
	struct hot_request *next = s->request;
	for (uint32_t i = 0; i < r->n_lanes; i++) {
		const struct lane *a = &p->lane[r->lane[i]];
		s->plan.lane[i] = *a;
		s->plan.lane[i].request = next;
		s->plan.process_of[i] = p->process_of[r->lane[i]];
		for (uint32_t k = 0; k < a->n; k++, next++) {
			*next = a->request[k];
			if (next->op != HOT_CALL)
				continue;
			s->call[n_calls] = p->calls.call[next->length];
			next->length = n_calls++;
		}
	}
	s->plan.calls.call = s->call;
	s->plan.calls.n = n_calls;
}

/* --- writing ------------------------------------------------------------- */

struct file {
	int fd;
	uint64_t at;
};

static int bytes_put(struct file *f, const void *data, size_t n, struct err *e)
{
	int ret = n ? file_write_at(f->fd, data, n, f->at, e) : 0;
	f->at += n;
	return ret;
}

static int part_write(struct file *f, const struct replay_plan *p, const struct layout_rank *r,
		      struct bundle_part *part, struct err *e)
{
	struct share s;
	struct vm_region image;
	share_make(&s, p, r);
	const uint64_t channels_bytes = r->n_channels * sizeof *r->channel, lists_bytes =
		r->n_lists * sizeof *r->list, listed_bytes = r->n_listed * sizeof *r->listed;
	struct bundle_rank head = {
	    .n_channels = r->n_channels, .n_inside = r->n_inside, .channels_at = sizeof head};
	head.lists_at = head.channels_at + channels_bytes;
	head.listed_at = head.lists_at + lists_bytes;
	head.image_at = round_up(head.listed_at + listed_bytes, ALIGN);
	part->at = f->at = round_up(f->at, ALIGN);
	part->n_outcome_bytes = image_outcome_bytes(&s.plan);
	int ret = image_make(&s.plan, &image, e);
	ret = ret ? ret : bytes_put(f, &head, sizeof head, e);
	ret = ret ? ret : bytes_put(f, r->channel, channels_bytes, e);
	ret = ret ? ret : bytes_put(f, r->list, lists_bytes, e);
	ret = ret ? ret : bytes_put(f, r->listed, listed_bytes, e);
	f->at = part->at + head.image_at;
	ret = ret ? ret : bytes_put(f, image.base, ((const struct image *)image.base)->n_bytes, e);
	part->n_bytes = f->at - part->at;
	vm_free(&image);
	FREE_EACH(s.request, s.call, s.plan.lane, s.plan.process_of);
	return ret;
}

static int terms_make(struct bundle_terms *t, const char *token, const struct replay_plan *p,
		      const struct replay_config *c, struct err *e)
{
	*t = (struct bundle_terms){.magic = BUNDLE_MAGIC,
				   .header_bytes = sizeof *t,
				   .n_ranks = p->layout->n_ranks,
				   .payload = p->payload,
				   .n_open_max = p->layout->n_open_max,
				   .cpu_time = p->layout->cpu_time,
				   .of_mpi = p->layout->of_mpi,
				   .null_fd = p->calls.null_fd >= 0,
				   .causal = c->causes};
	int ret = replay_config_send(&t->sent, c, "parallel", e);
	if (ret)
		return ret;
	t->sent.config.processes = false; /* the processes of a rank are replayed as its threads */
	strcpy(t->token, token);
	return realpath(c->dir, t->dir)
		   ? 0
		   : err_sys(e, errno, "cannot use the target directory %s", c->dir);
}

int bundle_write(const char *dir, const char *token, const struct replay_plan *p,
		 const struct replay_config *c, struct bundle_part *part, struct err *e)
{
	const struct rank_layout *y = p->layout;
	SCOPED_FREE char *path = xasprintf("%s/" BUNDLE_PLAN, dir);
	SCOPED_FREE struct bundle_terms *terms = xcalloc(1, sizeof *terms);
	struct file f = {.fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)};
	int ret = f.fd < 0 ? err_sys(e, errno, "cannot create %s", path)
			   : terms_make(terms, token, p, c, e);
	uint64_t outcome_at = round_up(sizeof(struct bundle_result) +
					   y->n_ranks * sizeof(struct bundle_rank_result), ALIGN);
	f.at = sizeof *terms + y->n_ranks * sizeof *part;
	for (uint32_t i = 0; i < y->n_ranks && !ret; i++) {
		ret = part_write(&f, p, &y->rank[i], &part[i], e);
		part[i].outcome_at = outcome_at;
		outcome_at += round_up(part[i].n_outcome_bytes, ALIGN);
	}
	f.at = 0;
	ret = ret ? ret : bytes_put(&f, terms, sizeof *terms, e);
	ret = ret ? ret : bytes_put(&f, part, y->n_ranks * sizeof *part, e);
	fd_close(f.fd);
	return ret;
}

/* --- results ------------------------------------------------------------- */

static void counts_add(struct call_counts *to, const struct call_counts *c)
{
	atomic_fetch_add(&to->n_pages_read, atomic_load(&c->n_pages_read));
	atomic_fetch_add(&to->n_pages_stayed, atomic_load(&c->n_pages_stayed));
	atomic_fetch_add(&to->n_pages_touched, atomic_load(&c->n_pages_touched));
	atomic_fetch_add(&to->n_pages_left, atomic_load(&c->n_pages_left));
	atomic_fetch_add(&to->n_clones_copied, atomic_load(&c->n_clones_copied));
	if (atomic_load(&c->refused.n) && !atomic_load(&to->refused.n)) {
		atomic_store(&to->refused.mode, atomic_load(&c->refused.mode));
		memcpy(to->refused.path, c->refused.path, sizeof to->refused.path);
		to->refused.path[sizeof to->refused.path - 1] = '\0';
	}
	atomic_fetch_add(&to->refused.n, atomic_load(&c->refused.n));
}

static int rank_take(int fd, uint32_t i, const struct bundle_part *part, struct replay_plan *p,
		     struct err *e)
{
	struct bundle_rank_result r;
	const struct layout_rank *y = &p->layout->rank[i];
	int ret = file_read_at(fd, &r, sizeof r, sizeof(struct bundle_result) + i * sizeof r, e);
	if (ret)
		return ret;
	r.report.host[sizeof r.report.host - 1] = 0;
	p->layout->report[i] = r.report;
	p->facts.wall_ns = r.facts.wall_ns > p->facts.wall_ns ? r.facts.wall_ns : p->facts.wall_ns;
	p->facts.steal_ns =
	    r.facts.steal_ns > p->facts.steal_ns ? r.facts.steal_ns : p->facts.steal_ns;
	run_facts_add(&p->facts, &r.facts);
	counts_add(&p->calls.common->counts, &r.counts);
	p->n_futex_sleeps += r.n_futex_sleeps;
	p->n_timed_sleeps += r.n_timed_sleeps;
	p->n_late_wakes += r.n_late_wakes;
	p->n_relays += r.n_relays;
	uint64_t at = part->outcome_at;
	for (uint32_t k = 0; k < y->n_lanes && !ret; k++) {
		struct lane *a = &p->lane[y->lane[k]];
		ret = a->n ? file_read_at(fd, a->outcome, a->n * sizeof *a->outcome, at, e) : 0;
		at += round_up(a->n, IMAGE_LANE_ALIGN) * sizeof *a->outcome;
	}
	return ret;
}

/* Converts times of another host's clock to this host's clock. Assumes that the result was read at
 * the moment at which it was written. */
static void clock_take(struct replay_plan *p, const struct bundle_result *r)
{
	char boot[BUNDLE_BOOT];
	bundle_boot(boot);
	int64_t shift_ns =
	    *boot && !strncmp(boot, r->boot, sizeof boot) ? 0 : clock_monotonic_ns() - r->now_ns;
	for (uint32_t i = 0; i < p->n_lanes && shift_ns; i++)
		for (uint32_t k = 0; k < p->lane[i].n; k++) {
			struct outcome *o = &p->lane[i].outcome[k];
			if (!o->begin_ticks)
				continue;
			o->begin_ticks += (uint64_t)shift_ns;
			o->end_ticks += (uint64_t)shift_ns;
		}
	p->due_ticks_per_ns = 1;
	p->start_ticks = (uint64_t)(r->start_ns + shift_ns);
	p->clock.source = CLOCK_SOURCE_MONOTONIC;
	p->clock.ns_per_tick = 1;
}

int bundle_take(const char *dir, const struct bundle_part *part, struct replay_plan *p,
		struct err *e)
{
	struct rank_layout *y = p->layout;
	struct bundle_result r;
	SCOPED_FREE char *path = xasprintf("%s/" BUNDLE_RESULT, dir);
	SCOPED_FD int fd = file_open_regular(path, O_RDONLY, e);
	int ret = fd < 0 ? fd : file_read_at(fd, &r, sizeof r, 0, e);
	if (!ret && memcmp(r.magic, BUNDLE_MAGIC, sizeof BUNDLE_MAGIC))
		ret = err_set(e, EIO, "%s was not written by ranks of this version of validate: "
				      "install the same version on all hosts",
			      path);
	y->report = xcalloc((size_t)y->n_ranks + 1, sizeof *y->report);
	p->facts = (struct run_facts){.steal_ns = -1};
	for (uint32_t i = 0; i < y->n_ranks && !ret; i++)
		ret = rank_take(fd, i, &part[i], p, e);
	if (!ret) {
		y->head = r.head;
		p->scheduling = r.scheduling;
		clock_take(p, &r);
	}
	return ret;
}
