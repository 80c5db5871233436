/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulation in three phases, modelled on an earthquake simulation.
 *
 * 1. The ranks build a mesh on disk: each rank refines the octants of its region by reading a page,
 * computing and writing it back. The number of refinements depends on the region. Sometimes a rank
 * reads a page of its neighbour's region. 2. Rank 0 collects the mesh from all ranks and writes it
 * to a file. 3. Iterations: every rank computes and exchanges its border with its neighbours. Every
 * tenth iteration all ranks write their state and wait for each other.
 *
 * Pages have --block-size. --file-size is the region of each rank. --requests is the number of
 * iterations of phase 3. --compute is their mean computing time; each time is drawn between half
 * and one and a half of it. Refining an octant and collecting a piece take a tenth of it.
 *
 * Source: parallel-trace paper (FAST 2007), section 5.1: Quake, 8 ranks, and Figure 7. */
#include "microbench/draw.h"
#include "microbench/loop.h"
#include "microbench/parallel/ranks.h"
#include "microbench/workloads.h"

#define TOP "earthquake"
#define BORDER_BYTES 2048 /* size of a border message */

enum { STATE_PERIOD = 10, PIECE_PAGES = 8, LOOK_UP_SHARE = 16 };

static int config_check(const struct microbench_config *c, struct err *e)
{
	if (c->block_bytes > ((uint64_t)1 << 30) / PIECE_PAGES)
		return err_set(e, EINVAL,
			       "block-size %llu: expected at most %d bytes, because a request has "
			       "%d blocks and must not exceed 1 GiB",
			       (unsigned long long)c->block_bytes, (1 << 30) / PIECE_PAGES,
			       PIECE_PAGES);
	if (c->file_bytes % (PIECE_PAGES * c->block_bytes))
		return err_set(e, EINVAL,
			       "file-size %llu (bytes of each rank): expected a multiple of "
			       "%llu bytes (%d blocks of --block-size)",
			       (unsigned long long)c->file_bytes,
			       (unsigned long long)(PIECE_PAGES * c->block_bytes), PIECE_PAGES);
	return ranks_check(c, e);
}

struct writer {
	const struct microbench_config *c;
	struct script *s;
	gsl_rng *rng;
	unsigned int rank;
	uint32_t page, piece; /* bytes */
};

static void compute_add(struct writer *w, double mean_ns)
{
	const double ns = mean_ns * (0.5 + gsl_rng_uniform(w->rng));
	if (ns >= 1)
		script_between(w->s, STEP_COMPUTE, 0, (uint32_t)ns);
}

/* Visits each page of the region one to three times; the mean depends on the region. */
static void mesh_build(struct writer *w)
{
	const uint32_t n_pages = blocks_of_rank(w->c);
	const uint64_t n_visits = (uint64_t)((double)n_pages * (1 + 2 * gsl_rng_uniform(w->rng)));
	for (uint64_t k = 0; k < n_visits; k++) {
		const uint32_t page =
		    block_in_part(w->c, w->rank, gsl_rng_uniform_int(w->rng, n_pages));
		if (w->c->level > 1 && gsl_rng_uniform_int(w->rng, LOOK_UP_SHARE) == 0)
			script_block(w->s, OP_PREAD, 0, block_in_part(w->c,
				(w->rank + 1) % (unsigned int)w->c->level, k), w->page);
		script_block(w->s, OP_PREAD, 0, page, w->page);
		compute_add(w, (double)w->c->compute_ns / 10);
		script_block(w->s, OP_PWRITE, 0, page, w->page);
	}
}

/* Neighbours form a line. Even ranks first exchange with the next rank, which avoids a deadlock. */
static void exchange_add(struct writer *w)
{
	for (unsigned int turn = 0; turn < 2; turn++) {
		const bool above = (w->rank + turn) % 2 == 0;
		if (above && w->rank + 1 < w->c->level)
			script_between(w->s, STEP_EXCHANGE, w->rank + 1, BORDER_BYTES);
		if (!above && w->rank > 0)
			script_between(w->s, STEP_EXCHANGE, w->rank - 1, BORDER_BYTES);
	}
}

static void iterations_add(struct writer *w, uint64_t n_iterations)
{
	for (uint64_t i = 0; i < n_iterations; i++) {
		compute_add(w, (double)w->c->compute_ns);
		exchange_add(w);
		if (i % STATE_PERIOD == STATE_PERIOD - 1) {
			script_block(w->s, OP_PWRITE, 0,
				     block_interleaved(w->c, w->rank, i / STATE_PERIOD), w->page);
			script_between(w->s, STEP_BARRIER, 0, 0);
		}
		script_end_unit(w->s);
	}
}

static void write_script(const struct microbench_config *c, unsigned int rank, uint64_t n_units,
			 struct script *s)
{
	struct writer w = {c,
			   s,
			   draw_stream(c->seed, rank, DRAW_SCRIPT),
			   rank,
			   (uint32_t)c->block_bytes,
			   (uint32_t)c->block_bytes * PIECE_PAGES};
	script_open(s, 0, script_name(s, xstrdup(TOP "/etree")), OPEN_UPDATE, 0644);
	mesh_build(&w);
	script_between(s, STEP_BARRIER, 0, 0);
	if (rank == 0)
		script_open(s, 1, script_name(s, xstrdup(TOP "/mesh")), OPEN_CREATE, 0640);
	/* in pieces of several pages; rank 0 serves the other ranks in turn */
	const uint32_t n_pieces = blocks_of_rank(w.c) / PIECE_PAGES;
	const unsigned int n_ranks = (unsigned int)w.c->level;
	for (uint32_t k = 0; k < n_pieces; k++) {
		script_block(w.s, OP_PREAD, 0, w.rank * n_pieces + k, w.piece);
		if (w.rank > 0)
			script_between(w.s, STEP_SEND, 0, w.piece);
		else
			script_block(w.s, OP_PWRITE, 1, k, w.piece);
	}
	for (unsigned int from = 1; from < n_ranks && w.rank == 0; from++)
		for (uint32_t k = 0; k < n_pieces; k++) {
			script_between(w.s, STEP_RECEIVE, from, w.piece);
			compute_add(&w, (double)w.c->compute_ns / 10);
			script_block(w.s, OP_PWRITE, 1, from * n_pieces + k, w.piece);
		}
	if (rank == 0)
		script_close(s, 1);
	script_close(s, 0);
	script_between(s, STEP_BARRIER, 0, 0);
	script_open(s, 0, script_name(s, xstrdup(TOP "/state")), OPEN_CREATE, 0644);
	iterations_add(&w, n_units);
	if (c->fsync_end)
		script_fsync(s, 0);
	script_close(s, 0);
	gsl_rng_free(w.rng);
}

static const struct workload_default defaults[] = {
    {"level", "8"}, {"requests", "100"}, {"block-size", "8K"}, {"file-size", "256K"},
    {"compute", "1ms"}, {NULL, NULL},
};

static const char *const rank_files[] = {"etree", "mesh", "state", NULL};

static const struct workload_script scripted = {
    .top = TOP, .unit = "iterations", .n_per_unit = 2, .direct = true, .finite = true,
    .parallel = true, .fsync_end = true, .check = config_check, .rank_files = rank_files,
    .write = write_script,
};

const struct workload workload_earthquake = {
    .name = "earthquake", .alias = "quake",
    .help = "MPI ranks build a mesh on disk and send it to rank 0, which writes it to a "
	    "second file. Then all ranks compute and write their state",
    .writes = true, .defaults = defaults, .own_options = ranks_compute_options, .script = &scripted,
};
