/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plays a script. The next call, its arguments and its buffer are determined before the first stamp
 * of a request. Only the call is between its stamps. The result is checked after the second
 * stamp. */

#include "microbench/loop.h"
#include "microbench/script.h"

#define STAMPED(call) \
	do { \
		begin = clock_begin(clock); \
		got = (call); \
		end = clock_end(clock); \
	} while (0)

_Static_assert(sizeof((struct bench_thread){0}.slot_fd) == SCRIPT_SLOTS * sizeof(int),
	       "a descriptor for each slot");

struct bench_sample script_play(struct bench_thread *t, const struct bench_step *s, void *buffer)
{
	const struct clock *clock = t->clock;
	const bool by_name = s->op != OP_PREAD && s->op != OP_PWRITE;
	const char *path = by_name ? t->names[s->name] : NULL;
	const off_t at = (off_t)s->name * s->value;
	const char *to = s->op == OP_RENAME ? t->names[s->value] : NULL;
	const int dir = t->dir_fd, fd = t->slot_fd[s->slot], flags = t->open_flags[s->how],
		  whence = s->how;
	const uint32_t value = s->value;
	uint64_t begin = 0, end = 0;
	struct stat st;
	ssize_t got = 0;
	switch ((enum trace_op)s->op) {
	case OP_OPEN:
		STAMPED(openat(dir, path, flags, (mode_t)value));
		t->slot_fd[s->slot] = (int)got;
		break;
	case OP_CLOSE:
		STAMPED(close(fd));
		t->slot_fd[s->slot] = -1;
		break;
	case OP_READ:
		STAMPED(read(fd, buffer, value));
		break;
	case OP_WRITE:
		STAMPED(write(fd, buffer, value));
		break;
	case OP_LSEEK:
		STAMPED(lseek(fd, (off_t)value, whence));
		break;
	case OP_PREAD:
		STAMPED(pread(fd, buffer, value, at));
		break;
	case OP_PWRITE:
		STAMPED(pwrite(fd, buffer, value, at));
		break;
	case OP_FSYNC:
		STAMPED(fsync(fd));
		break;
	case OP_GETDENTS:
		STAMPED(getdents64(fd, buffer, value));
		break;
	case OP_STAT:
		STAMPED(fstatat(dir, path, &st, 0));
		break;
	case OP_UNLINK:
		STAMPED(unlinkat(dir, path, 0));
		break;
	case OP_RMDIR:
		STAMPED(unlinkat(dir, path, AT_REMOVEDIR));
		break;
	case OP_RENAME:
		STAMPED(renameat(dir, path, dir, to));
		break;
	case OP_MKDIR:
		STAMPED(mkdirat(dir, path, (mode_t)value));
		break;
	default:
		errno = ENOSYS;
		got = -1;
	}
	return (struct bench_sample){begin, end, got < 0 ? -errno : (int32_t)got, s->op};
}

void script_loop(struct bench_thread *t)
{
	const struct script *script = t->script;
	struct bench_sample *out = t->sample;
	uint64_t n_units = 0;
	for (size_t i = 0; i < script->n && !t->failed; i++) {
		const struct bench_step *s = &script->step[i];
		*out = script_play(t, s, placement_buffer(t->placement, t->index, i));
		uint64_t end = out->end;
		t->failed = s->expect == EXPECT_ANY ? out->result < 0 : out->result != s->expect;
		out++;
		if (bench_must_end(t))
			break;
		if (!s->ends_unit)
			continue;
		if (++n_units >= t->n_requests && n_units < t->capacity && end >= t->deadline)
			break;
		t->capacity_reached = n_units == t->capacity && end < t->deadline;
		if (t->pauses && n_units < t->capacity)
			bench_pause(t, n_units - 1, end);
	}
	t->n_requests_done = n_units;
	t->n_samples = (uint64_t)(out - t->sample);
}

void script_warm(const struct bench_thread *t)
{
	static const enum trace_op calls[] = {OP_OPEN,     OP_CLOSE, OP_READ,   OP_WRITE, OP_LSEEK,
					      OP_GETDENTS, OP_STAT,  OP_UNLINK, OP_RMDIR, OP_RENAME,
					      OP_MKDIR,    OP_PREAD, OP_PWRITE, OP_FSYNC};
	static const char *const nowhere[] = {"."};
	struct bench_thread none = *t;
	none.names = nowhere;
	none.dir_fd = none.slot_fd[0] = -1;
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		const struct bench_step s = {.op = (uint8_t)calls[i]};
		none.slot_fd[0] = -1;
		script_play(&none, &s, placement_buffer(t->placement, t->index, 0));
	}
}
