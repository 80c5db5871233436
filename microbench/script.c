/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "microbench/script.h"

enum { LISTING_BYTES = 32768 }; /* buffer size of readdir() in the C library */

void script_release(struct script *s)
{
	free(s->step);
	*s = (struct script){.step = NULL};
}

void script_names_release(struct script_names *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->name[i]);
	free(n->name);
	*n = (struct script_names){NULL, 0, 0};
}

uint32_t script_name(struct script *s, char *path)
{
	struct script_names *n = s->names;
	APPEND(n->name, n->n, n->cap, path);
	return (uint32_t)n->n - 1;
}

int script_open_flags(enum script_open how, bool sync, bool direct)
{
	static const int flags[] = {
	    [OPEN_READ] = O_RDONLY,
	    [OPEN_UPDATE] = O_RDWR,
	    [OPEN_CREATE] = O_RDWR | O_CREAT,
	    [OPEN_REPLACE] = O_WRONLY | O_CREAT | O_TRUNC,
	    [OPEN_APPEND] = O_RDWR | O_APPEND,
	    [OPEN_DIRECTORY] = O_RDONLY | O_DIRECTORY,
	};
	return flags[how] | (sync && how != OPEN_READ && how != OPEN_DIRECTORY ? O_SYNC : 0) |
	       (direct && how != OPEN_DIRECTORY ? O_DIRECT : 0);
}

static void step_add(struct script *s, struct bench_step step)
{
	APPEND(s->step, s->n, s->cap, step);
}

void script_open(struct script *s, unsigned int slot, uint32_t name, enum script_open how,
		 uint32_t mode)
{
	step_add(s, (struct bench_step){name, mode, EXPECT_ANY, OP_OPEN, (uint8_t)slot,
					(uint8_t)how, false});
}

void script_close(struct script *s, unsigned int slot)
{
	step_add(s, (struct bench_step){.op = OP_CLOSE, .slot = (uint8_t)slot});
}

static void transfer_note(struct script *s, uint32_t n_bytes)
{
	if (n_bytes > s->max_bytes)
		s->max_bytes = n_bytes;
}

void script_read(struct script *s, unsigned int slot, uint32_t n_bytes, uint32_t expect)
{
	transfer_note(s, n_bytes);
	step_add(
	    s, (struct bench_step){0, n_bytes, (int32_t)expect, OP_READ, (uint8_t)slot, 0, false});
}

void script_write(struct script *s, unsigned int slot, uint32_t n_bytes)
{
	transfer_note(s, n_bytes);
	step_add(s, (struct bench_step){0, n_bytes, (int32_t)n_bytes, OP_WRITE, (uint8_t)slot, 0,
					false});
}

void script_seek(struct script *s, unsigned int slot, uint32_t offset, int whence, uint64_t expect)
{
	int32_t result = expect <= INT32_MAX ? (int32_t)expect : EXPECT_ANY;
	step_add(s, (struct bench_step){0, offset, result, OP_LSEEK, (uint8_t)slot, (uint8_t)whence,
					false});
}

void script_list(struct script *s, unsigned int slot)
{
	transfer_note(s, LISTING_BYTES);
	step_add(s, (struct bench_step){0, LISTING_BYTES, EXPECT_ANY, OP_GETDENTS, (uint8_t)slot, 0,
					false});
}

void script_stat(struct script *s, uint32_t name, bool exists)
{
	step_add(s,
		 (struct bench_step){.name = name, .expect = exists ? 0 : -ENOENT, .op = OP_STAT});
}

void script_remove(struct script *s, uint32_t name, enum trace_op op)
{
	step_add(s, (struct bench_step){.name = name, .op = (uint8_t)op});
}

void script_rename(struct script *s, uint32_t from, uint32_t to)
{
	step_add(s, (struct bench_step){.name = from, .value = to, .op = OP_RENAME});
}

void script_mkdir(struct script *s, uint32_t name, uint32_t mode)
{
	step_add(s, (struct bench_step){.name = name, .value = mode, .op = OP_MKDIR});
}

void script_block(struct script *s, enum trace_op op, unsigned int slot, uint32_t block,
		  uint32_t n_bytes)
{
	transfer_note(s, n_bytes);
	step_add(s, (struct bench_step){block, n_bytes, (int32_t)n_bytes, (uint8_t)op,
					(uint8_t)slot, 0, false});
}

void script_fsync(struct script *s, unsigned int slot)
{
	step_add(s, (struct bench_step){.op = OP_FSYNC, .slot = (uint8_t)slot});
}

void script_between(struct script *s, enum script_between what, uint32_t rank, uint32_t value)
{
	step_add(s, (struct bench_step){.name = rank, .value = value, .op = (uint8_t)what});
}

size_t script_step_of_call(const struct script *s, uint64_t n)
{
	size_t i = 0;
	for (; !step_is_call(&s->step[i]) || n > 0; i++)
		n -= step_is_call(&s->step[i]);
	return i;
}

void script_end_unit(struct script *s)
{
	s->step[s->n - 1].ends_unit = true;
	s->n_units++;
}

void script_write_whole(struct script *s, unsigned int slot, uint64_t n_bytes, uint64_t piece)
{
	for (uint64_t done = 0; done < n_bytes; done += piece)
		script_write(s, slot, (uint32_t)(n_bytes - done < piece ? n_bytes - done : piece));
}

void script_read_whole(struct script *s, unsigned int slot, uint64_t n_bytes, uint64_t piece,
		       bool to_end)
{
	for (uint64_t done = 0; done < n_bytes; done += piece)
		script_read(s, slot, (uint32_t)piece,
			    (uint32_t)(n_bytes - done < piece ? n_bytes - done : piece));
	if (to_end)
		script_read(s, slot, (uint32_t)piece, 0);
}
