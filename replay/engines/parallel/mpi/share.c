/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The head reads the plan file and sends each rank its part. */

#include "common/files.h"
#include "common/unnamed_file.h"
#include "replay/issue/calls.h"
#include "replay/target/rooted.h"
#include "replay/engines/compiled/image.h"
#include "replay/engines/parallel/mpi/rank.h"

enum { TAG_SHARE = 1 };
#define PIECE_BYTES (UINT64_C(64) << 20)

/* --- the ranks that can read the plan file ------------------------------- */

/* Returns a descriptor of the plan file, or -1 if this rank does not see it. */
static int plan_open(const struct replay_rank *r)
{
	SCOPED_FREE struct bundle_terms *t = xcalloc(1, sizeof *t);
	SCOPED_FREE char *path = xasprintf("%s/" BUNDLE_PLAN, r->scratch);
	int fd = file_open_regular(path, O_RDONLY, NULL);
	bool ours = fd >= 0 && !file_read_at(fd, t, sizeof *t, 0, NULL) &&
		    !memcmp(t->magic, BUNDLE_MAGIC, sizeof BUNDLE_MAGIC) &&
		    t->header_bytes == sizeof *t && !strncmp(t->token, r->token, sizeof t->token);
	if (fd >= 0 && !ours)
		close(fd);
	return ours ? fd : -1;
}

static int head_choose(struct replay_rank *r, int fd, struct err *e)
{
	int own = fd < 0 ? INT_MAX : r->number;
	MPI_Allreduce(&own, &r->head, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (r->head == INT_MAX)
		return err_set(e, ENOENT, "%s: no rank sees the plan in this directory. Two "
			"conditions are necessary. First, at least one rank runs on the host of "
			"`validate replay` or sees the directory of --scratch. Second, this rank "
			"has the same version of validate", r->scratch);
	return 0;
}

/* --- distribution -------------------------------------------------------- */

static int share_memory(struct replay_rank *r, struct err *e)
{
	int ret = vm_alloc(&r->memory, r->share_bytes, "the plan", e);
	r->share = r->memory.base;
	return ret;
}

static int share_send(const struct replay_rank *r, int fd, int to, struct err *e)
{
	const struct bundle_part *part = &r->part[to];
	SCOPED_FREE char *piece =
	    xmalloc(PIECE_BYTES < part->n_bytes ? PIECE_BYTES : part->n_bytes);
	int ret = 0;
	for (uint64_t at = 0; at < part->n_bytes && !ret; at += PIECE_BYTES) {
		uint64_t n = part->n_bytes - at < PIECE_BYTES ? part->n_bytes - at : PIECE_BYTES;
		ret = file_read_at(fd, piece, n, part->at + at, e);
		if (!ret)
			MPI_Send(piece, (int)n, MPI_BYTE, to, TAG_SHARE, MPI_COMM_WORLD);
	}
	return ret;
}

static int shares_hand_out(struct replay_rank *r, int fd, struct err *e)
{
	int ret = 0;
	for (int i = 0; i < r->n && !ret; i++)
		ret = i == r->head ? 0 : share_send(r, fd, i, e);
	return ret ? ret : file_read_at(fd, r->share, r->share_bytes, r->part[r->head].at, e);
}

static void share_receive(struct replay_rank *r)
{
	for (uint64_t at = 0; at < r->share_bytes; at += PIECE_BYTES) {
		uint64_t n = r->share_bytes - at < PIECE_BYTES ? r->share_bytes - at : PIECE_BYTES;
		MPI_Recv(r->share + at, (int)n, MPI_BYTE, r->head, TAG_SHARE, MPI_COMM_WORLD,
			 MPI_STATUS_IGNORE);
	}
}

/* Distributes the sizes: the head sends each rank the sizes of its part and of its outcomes. */
static int terms_take(struct replay_rank *r, int fd, struct err *e)
{
	uint64_t own[2];
	SCOPED_FREE uint64_t (*all)[2] = xcalloc((size_t)r->n, sizeof *all);
	int ret = 0;
	r->terms = xcalloc(1, sizeof *r->terms);
	if (r->number == r->head) {
		ret = file_read_at(fd, r->terms, sizeof *r->terms, 0, e);
		if (!ret && r->terms->n_ranks != (uint32_t)r->n)
			ret =
			    err_set(e, EINVAL,
				    "the launcher started %d ranks, but the trace has %u processes",
				    r->n, r->terms->n_ranks);
		r->part = xcalloc((size_t)r->n, sizeof *r->part);
		ret = ret ? ret
			  : file_read_at(fd, r->part, (uint64_t)r->n * sizeof *r->part,
					 sizeof *r->terms, e);
		for (int i = 0; i < r->n && !ret; i++) {
			all[i][0] = r->part[i].n_bytes;
			all[i][1] = r->part[i].n_outcome_bytes;
		}
	}
	if (ret)
		return ret; /* the job is ended */
	MPI_Bcast(r->terms, (int)sizeof *r->terms, MPI_BYTE, r->head, MPI_COMM_WORLD);
	MPI_Scatter(all, 2, MPI_UINT64_T, own, 2, MPI_UINT64_T, r->head, MPI_COMM_WORLD);
	r->share_bytes = own[0];
	r->n_outcome_bytes = own[1];
	return 0;
}

int share_take(struct replay_rank *r, struct err *e)
{
	SCOPED_FD int fd = plan_open(r);
	int ret = head_choose(r, fd, e);
	ret = ret ? ret : terms_take(r, fd, e);
	ret = ret ? ret : share_memory(r, e);
	if (!ret && r->number == r->head)
		ret = shares_hand_out(r, fd, e);
	else if (!ret)
		share_receive(r);
	return ret;
}

/* --- the plan of a rank -------------------------------------------------- */

/* Checks for the file that marks the prepared target directory, so that a wrong directory is
 * detected. */
static int target_open(struct replay_rank *r, struct err *e)
{
	const char *dir = r->terms->dir;
	struct rooted *root = &r->plan.root;
	int ret = rooted_begin(root, dir, e);
	if (ret)
		return ret;
	root->refused = &r->plan.calls.common->counts.refused;
	if (faccessat(root->fd, r->token, F_OK, 0) < 0)
		return err_set(e, ENOENT, "%s is not the directory that was prepared: file %s, "
			"which the engine created there, is missing. The target must be on storage "
			"that every host sees under this name", dir, r->token);
	return 0;
}

static int inheritors_open(struct replay_plan *p, uint32_t slot, struct err *e)
{
	for (uint32_t heir = p->calls.slot[slot].heir; heir; heir = p->calls.slot[heir].next_heir) {
		int fd = fcntl(atomic_load(&p->fds[slot]), F_DUPFD_CLOEXEC, 3);
		if (fd < 0)
			return err_sys(e, errno, "%s: cannot duplicate its descriptor",
				       p->open[slot].path);
		atomic_store(&p->fds[heir], fd);
	}
	return 0;
}

/* The processes of this rank. */
static bool *own_processes(const struct replay_plan *p)
{
	bool *own = xcalloc((size_t)p->calls.n_processes + 1, sizeof *own);
	for (uint32_t i = 0; i < p->n_lanes; i++)
		if (p->process_of[i] <= p->calls.n_processes)
			own[p->process_of[i]] = true;
	return own;
}

static int descriptors_open(struct replay_rank *r, struct err *e)
{
	struct replay_plan *p = &r->plan;
	SCOPED_FREE bool *own = own_processes(p);
	const uint32_t n_stores = p->n_workers + 1;
	const uint64_t room = (uint64_t)n_stores * call_store_size(n_stores) + 256;
	int ret = descriptors_allow(p->n_slots + room, r->terms->n_open_max + room,
				    r->terms->n_open_max, e);
	for (uint32_t i = 1; i < p->n_slots && !ret; i++) {
		const struct slot *b = &p->calls.slot[i];
		int fd = -1, kind = 0;
		if (b->skipped || !p->open[i].path || !own[b->process])
			continue;
		if (b->at_setup)
			ret = descriptor_open(&p->root, p->open[i].path, b, &fd, e);
		else
			kind = rooted_kind(&p->root, p->open[i].path, e);
		ret = ret ? ret : kind < 0 ? kind : 0;
		atomic_store(&p->fds[i], fd);
	}
	for (uint32_t i = 1; i < p->n_slots && !ret; i++)
		if (atomic_load(&p->fds[i]) >= 0 && !p->calls.slot[i].inherited)
			ret = inheritors_open(p, i, e);
	return ret ? err_context(e, "%s", r->terms->dir) : 0;
}

static int outcomes_make(struct replay_rank *r, struct err *e)
{
	int ret = vm_alloc(&r->outcome_memory, r->n_outcome_bytes + 1, "outcomes", e);
	r->outcome = r->outcome_memory.base;
	if (!ret)
		image_outcomes_set(&r->plan, r->outcome);
	return ret;
}

static int plan_take(struct replay_rank *r, struct err *e)
{
	struct replay_plan *p = &r->plan;
	const struct bundle_rank *head = (const struct bundle_rank *)(const void *)r->share;
	*p = (struct replay_plan){.root = {.fd = -1, .tree = -1}, .payload = r->terms->payload};
	r->channel = (const struct channel *)(const void *)(r->share + head->channels_at);
	r->list = (const struct channel_list *)(const void *)(r->share + head->lists_at);
	r->listed = (const uint32_t *)(const void *)(r->share + head->listed_at);
	r->n_channels = head->n_channels;
	r->n_inside = head->n_inside;
	int ret = clock_init(&p->clock, REPLAY_CALIBRATION_NS, e);
	ret = ret ? ret : image_open((struct image *)(void *)(r->share + head->image_at), p, e);
	if (ret)
		return ret;
	p->calls.null_fd = r->terms->null_fd ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
	p->calls.payload = r->terms->sent.config.payload == PAYLOAD_BUFFER ? NULL : &p->payload;
	p->fds = xcalloc((size_t)p->n_slots + 1, sizeof *p->fds);
	for (uint32_t i = 0; i < p->n_slots; i++)
		atomic_init(&p->fds[i], -1);
	return outcomes_make(r, e);
}

int share_open(struct replay_rank *r, struct err *e)
{
	int ret = plan_take(r, e);
	ret = ret ? ret : target_open(r, e);
	if (ret || r->terms->sent.config.blank)
		return ret;
	ret = descriptors_open(r, e);
	if (!ret && r->terms->sent.config.timing != TIMING_FULLSPEED)
		clock_baseline_wait(&r->plan.clock, REPLAY_TIMED_BASELINE_NS);
	return ret;
}
