/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/plan/plan_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/strbuf.h"
#include "common/units.h"
#include "common/unnamed_file.h"
#include "common/xalloc.h"
#include "replay/options/engine.h"

#define PART_ALIGN UINT64_C(4096)

static const char *const part_names[PLAN_PARTS] = {"the requests",
						   "the order",
						   "the times of the requests",
						   "the outcomes",
						   "the repeated outcomes",
						   "the expected results",
						   "the records"};

static uint64_t rounded(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* Returns *base and advances it by the size of a lane's part; NULL stays NULL. */
static void *lane_part(char **base, uint64_t n, size_t size)
{
	char *part = *base;
	if (part)
		*base += rounded(n, LANE_ALIGN) * size;
	return part;
}

static void lanes_point(struct replay_plan *p, const uint32_t *n_waits)
{
	char *base[PLAN_PARTS];
	for (int i = 0; i < PLAN_PARTS; i++)
		base[i] = p->memory[i].base;
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		struct lane *a = &p->lane[i];
		a->request = lane_part(&base[PLAN_REQUESTS], a->n, sizeof *a->request);
		a->wait = lane_part(&base[PLAN_WAITS], n_waits[i], sizeof *a->wait);
		a->due = lane_part(&base[PLAN_DUE], a->n, sizeof *a->due);
		a->outcome = lane_part(&base[PLAN_OUTCOMES], a->n, sizeof *a->outcome);
		a->repeated = lane_part(&base[PLAN_REPEATED], a->n, sizeof *a->repeated);
		a->expected = lane_part(&base[PLAN_EXPECTED], a->n, sizeof *a->expected);
	}
	p->place = p->memory[PLAN_PLACES].base;
	if (p->place)
		memset(p->place, 0xff, (p->n_records + 1) * sizeof *p->place);
}

/* --- in a file ----------------------------------------------------------- */

/* Why a plan must be in memory; NULL if it may be in a file. */
static const char *whole_reason(const struct replay_plan *p, const struct replay_config *c)
{
	if (!c->row || !c->row->bounded)
		return "this engine needs the whole plan in memory";
	if (p->pool)
		return "order none needs the whole plan in memory";
	if (c->processes)
		return "--processes needs the whole plan in memory";
	return p->mutant.kind != FAULT_NONE ? "a mutant needs the whole plan in memory" : NULL;
}

/* Opens the file beside the replay trace, where space for as much data is needed anyway. */
static int file_open(struct replay_plan *p, const struct replay_config *c, uint64_t n_bytes,
		     struct err *e)
{
	const char *tmp = getenv("TMPDIR");
	char *near = xstrdup(c->output ? c->output : "");
	const char *dir = c->scratch    ? c->scratch
			  : c->output   ? dirname(near)
			  : tmp && *tmp ? tmp
					: "/var/tmp";
	int ret = 0, fd = unnamed_file_open(dir, e);
	if (fd < 0)
		ret = fd;
	else
		p->file.fd = fd;
	const int code = ret ? 0 : -file_reserve(fd, n_bytes);
	if (code) {
		struct strbuf size = STRBUF_INIT;
		format_size(&size, n_bytes);
		ret = err_sys(e, code,
			      "%s: no space for the plan of the replay, %s (--scratch, --memory)",
			      dir, size.s);
		strbuf_release(&size);
	}
	p->file.in_memory = !ret && file_in_memory(fd);
	free(near);
	return ret;
}

static int parts_map(struct replay_plan *p, const struct replay_config *c, const uint64_t *n_bytes,
		     struct err *e)
{
	uint64_t at = 0;
	for (int i = 0; i < PLAN_PARTS; i++) {
		p->file.at[i] = at;
		at += rounded(n_bytes[i], PART_ALIGN);
	}
	int ret = file_open(p, c, at, e);
	for (int i = 0; i < PLAN_PARTS && !ret; i++)
		ret = vm_map_file(&p->memory[i], p->file.fd, p->file.at[i], n_bytes[i],
				  part_names[i], e);
	return ret;
}

static int parts_reserve(struct replay_plan *p, const struct replay_config *c,
			 const uint64_t *n_bytes, struct err *e)
{
	int ret = 0;
	for (int i = 0; i < PLAN_PARTS && !ret; i++) {
		bool across = c->processes && (i == PLAN_OUTCOMES || i == PLAN_REPEATED);
		ret = (across ? vm_alloc_shared : vm_reserve)(&p->memory[i], n_bytes[i],
							      part_names[i], e);
	}
	return ret;
}

/* --- file or memory ------------------------------------------------------ */

int plan_memory_get(struct replay_plan *p, const struct replay_config *c, const uint32_t *n_waits,
		    struct err *e)
{
	uint64_t n = 0, n_all_waits = 0;
	for (uint32_t i = 0; i < p->n_lanes; i++) {
		n += rounded(p->lane[i].n, LANE_ALIGN);
		n_all_waits += rounded(n_waits[i], LANE_ALIGN);
		p->file.n_waits += n_waits[i];
	}
	const uint64_t n_bytes[PLAN_PARTS] = {
		[PLAN_REQUESTS] = n * sizeof(struct hot_request),
		[PLAN_WAITS] = n_all_waits * sizeof(struct hot_wait),
		[PLAN_DUE] = c->timing == TIMING_FULLSPEED ? 0 : n * sizeof(int64_t),
		[PLAN_OUTCOMES] = n * sizeof(struct outcome),
		[PLAN_REPEATED] = p->mutant.kind == FAULT_REPEAT ? n * sizeof(struct outcome) : 0,
		[PLAN_EXPECTED] = n * sizeof(int64_t),
		[PLAN_PLACES] = (p->n_records + 1) * sizeof(struct lane_place),
	};
	p->file.limit_bytes = c->memory_bytes;
	for (int i = 0; i < PLAN_PARTS; i++)
		p->file.n_bytes += n_bytes[i];
	const bool large = p->file.n_bytes > c->memory_bytes;
	p->file.whole = large ? whole_reason(p, c) : NULL;
	int ret = (large && !p->file.whole ? parts_map : parts_reserve)(p, c, n_bytes, e);
	if (!ret)
		lanes_point(p, n_waits);
	return ret;
}

int plan_memory_settle(struct replay_plan *p, struct err *e)
{
	if (p->file.fd && !p->file.in_memory && fdatasync(p->file.fd))
		return err_sys(e, errno, "cannot write the plan of the replay to its scratch file");
	for (int i = 0; i < PLAN_PARTS; i++) {
		const struct vm_region *r = &p->memory[i];
		if (!p->file.fd)
			vm_own(r->base, r->n_bytes);
		else if (r->n_bytes)
			(void)madvise(r->base, r->n_bytes, MADV_DONTNEED);
	}
	if (p->file.fd)
		(void)posix_fadvise(p->file.fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

void plan_memory_release(struct replay_plan *p)
{
	for (int i = 0; i < PLAN_PARTS; i++)
		vm_free(&p->memory[i]);
	if (p->file.fd > 0)
		close(p->file.fd);
	p->file = (struct plan_file){.fd = 0};
}
