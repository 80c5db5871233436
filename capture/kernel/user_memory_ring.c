/* SPDX-License-Identifier: GPL-3.0-or-later */
/* BPF programs that read requests of io_uring and of io_submit(). Requests of io_uring are read at
 * io_uring_submit_req, where the kernel has copied the entry, and at io_uring_complete. Registers
 * are as in user_memory_program.c; R9 is the request. */
#include <sys/syscall.h>

#include "capture/kernel/user_memory_assembly.h"

#define AT_ENTRY(member)                                                                           \
	((short)(offsetof(struct um_scratch, entry) + offsetof(struct um_ring_entry, member)))
#define RING_LOST offsetof(struct um_state, n_ring_lost)

/* Looks up the thread, then its process, because kernel threads submit requests for a process. */
static void take_watched(struct um_code *c, const struct um_maps *m, struct jumps *out)
{
	struct jumps known = {.n = 0};
	take_tid(c);
	op(c, BPF_RSH, R0, 32);
	mov(c, R7, R0);
	map(c, R1, m->watched);
	address(c, R2, FP, STACK_TID);
	call(c, BPF_FUNC_map_lookup_elem);
	jump_if(c, &known, BPF_JNE, R0, 0);
	store(c, BPF_W, FP, STACK_NUMBER, R7);
	look_up(c, m->watched, STACK_NUMBER, out);
	land(c, &known);
}

static void record_begin(struct um_code *c, const struct um_maps *m, int number, struct jumps *out)
{
	take_scratch(c, m, out);
	load(c, BPF_W, R1, FP, STACK_TID);
	store(c, BPF_W, R8, AT(r.tid), R1);
	set(c, R1, number);
	store(c, BPF_W, R8, AT(r.number), R1);
	call(c, BPF_FUNC_ktime_get_ns);
	store(c, BPF_DW, R8, AT(r.ns), R0);
	store(c, BPF_DW, R8, AT_ENTRY(request), R9);
}

static void entry_hand_over(struct um_code *c, const struct um_maps *m)
{
	for (size_t i = 0; i < sizeof(struct um_ring_entry); i += 8) {
		load(c, BPF_DW, R1, R8, AT_ENTRY(request) + (int)i);
		store(c, BPF_DW, R8, AT(data) + (int)i, R1);
	}
	set(c, R0, sizeof(struct um_ring_entry));
	hand_over(c, m, 0, RING_LOST);
}

/* Reads n bytes of kernel memory at R9 + at. */
static void read_kernel(struct um_code *c, short to, int n, int at, struct jumps *fail)
{
	address(c, R1, R8, to);
	set(c, R2, n);
	address(c, R3, R9, at);
	call(c, BPF_FUNC_probe_read_kernel);
	jump_if(c, fail, BPF_JNE, R0, 0);
}

/* R7 contains the items of the operation, from ring_entries_items(). */
static void pointee_read(struct um_code *c, const struct um_maps *m, const struct um_ring_layout *l,
			 int k)
{
	struct jumps fail = {.n = 0}, next = {.n = 0}, vector = {.n = 0}, got = {.n = 0};
	mov(c, R1, R7);
	op(c, BPF_RSH, R1, 8 * k);
	op(c, BPF_AND, R1, 0xff);
	jump_if(c, &next, BPF_JEQ, R1, 0);
	op(c, BPF_AND, R1, 0x38);
	add(c, R1, R8);
	load(c, BPF_DW, R3, R1, AT_ENTRY(command));
	jump_if(c, &next, BPF_JEQ, R3, 0);
	mov(c, R1, R7);
	op(c, BPF_AND, R1, (int)UM_RING_VECTOR);
	jump_if(c, &vector, BPF_JNE, R1, 0);
	/* Reads the name of the struct filename at R3. Sets R0 to its length. */
	op(c, BPF_ADD, R3, l->name);
	address(c, R1, FP, STACK_POINTER);
	set(c, R2, 8);
	call(c, BPF_FUNC_probe_read_kernel);
	jump_if(c, &fail, BPF_JNE, R0, 0);
	load(c, BPF_DW, R3, FP, STACK_POINTER);
	address(c, R1, R8, AT(data));
	set(c, R2, UM_TEXT_MAX);
	call(c, BPF_FUNC_probe_read_kernel_str);
	jump_if(c, &fail, BPF_JSLE, R0, 0);
	jump(c, &got);
	land(c, &vector);
	/* Reads the program's array of struct iovec at R3. Sets R0 to its length. */
	struct jumps small = {.n = 0};
	load(c, BPF_W, R2, R8, AT_ENTRY(command) + l->vector_length);
	jump_if(c, &small, BPF_JLE, R2, UM_VECTORS_MAX);
	set(c, R2, UM_VECTORS_MAX);
	land(c, &small);
	op(c, BPF_LSH, R2, 4);
	store(c, BPF_DW, FP, STACK_SIZE, R2);
	address(c, R1, R8, AT(data));
	call(c, BPF_FUNC_probe_read_user);
	jump_if(c, &fail, BPF_JNE, R0, 0);
	load(c, BPF_DW, R0, FP, STACK_SIZE);
	land(c, &got);
	hand_over(c, m, k + 1, RING_LOST);
	jump(c, &next);
	land(c, &fail);
	count(c, m, RING_LOST, 1);
	land(c, &next);
}

void um_code_ring_submit(struct um_code *c, const struct um_maps *m, const struct um_ring_layout *l)
{
	struct jumps out = {.n = 0}, fail = {.n = 0};
	c->n = 0;
	mov(c, R6, R1);
	take_watched(c, m, &out);
	load(c, BPF_DW, R9, R6, 0);
	record_begin(c, m, UM_RING_SUBMIT, &out);
	set(c, R1, 0);
	store(c, BPF_DW, R8, AT_ENTRY(opcode), R1);
	store(c, BPF_DW, R8, AT_ENTRY(flags), R1);
	read_kernel(c, AT_ENTRY(opcode), 1, l->opcode, &fail);
	read_kernel(c, AT_ENTRY(flags), l->flags_bytes, l->flags, &fail);
	read_kernel(c, AT_ENTRY(ring), 8, l->ring, &fail);
	load(c, BPF_DW, R1, R8, AT_ENTRY(opcode));
	store(c, BPF_W, FP, STACK_NUMBER, R1);
	look_up(c, m->ring_ops, STACK_NUMBER, &out);
	load(c, BPF_DW, R7, R0, 0);
	jump_if(c, &out, BPF_JEQ, R7, 0); /* the operation does not concern files */
	read_kernel(c, AT_ENTRY(command), sizeof((struct um_ring_entry *)0)->command, l->command,
		    &fail);
	set(c, R1, 0);
	store(c, BPF_DW, R8, AT_ENTRY(fd), R1);
	read_kernel(c, AT_ENTRY(fd), sizeof(int32_t), l->fd, &fail);
	store(c, BPF_DW, FP, STACK_KEY, R9);
	map(c, R1, m->inflight);
	address(c, R2, FP, STACK_KEY);
	address(c, R3, FP, STACK_KEY);
	set(c, R4, BPF_ANY);
	call(c, BPF_FUNC_map_update_elem);
	jump_if(c, &fail, BPF_JNE, R0, 0);
	entry_hand_over(c, m);
	for (int k = 0; k < UM_RING_POINTERS; k++)
		pointee_read(c, m, l, k);
	jump(c, &out);
	land(c, &fail);
	count(c, m, RING_LOST, 1);
	end(c, &out);
}

void um_code_ring_done(struct um_code *c, const struct um_maps *m, const struct um_ring_layout *l)
{
	struct jumps out = {.n = 0}, fail = {.n = 0};
	c->n = 0;
	mov(c, R6, R1);
	load(c, BPF_DW, R9, R6, 8);
	store(c, BPF_DW, FP, STACK_KEY, R9);
	look_up(c, m->inflight, STACK_KEY, &out);
	map(c, R1, m->inflight);
	address(c, R2, FP, STACK_KEY);
	call(c, BPF_FUNC_map_delete_elem);
	take_tid(c);
	record_begin(c, m, UM_RING_DONE, &out);
	if (l->result >= 0) {
		load(c, BPF_DW, R9, R6, 16);
		read_kernel(c, AT_ENTRY(result), sizeof(int32_t), l->result, &fail);
		load(c, BPF_W, R1, R8, AT_ENTRY(result));
	} else
		load(c, BPF_DW, R1, R6, 24);
	op(c, BPF_LSH, R1, 32);
	op(c, BPF_ARSH, R1, 32);
	store(c, BPF_DW, R8, AT_ENTRY(result), R1);
	entry_hand_over(c, m);
	jump(c, &out);
	land(c, &fail);
	count(c, m, RING_LOST, 1);
	end(c, &out);
}

/* Reads n bytes of the program's memory at R3. */
static void read_user(struct um_code *c, unsigned int base, int to, int n, struct jumps *fail)
{
	address(c, R1, base, to);
	set(c, R2, n);
	call(c, BPF_FUNC_probe_read_user);
	jump_if(c, fail, BPF_JNE, R0, 0);
}

void um_code_aio(struct um_code *c, const struct um_maps *m)
{
	struct jumps out = {.n = 0}, fail = {.n = 0};
	c->n = 0;
	mov(c, R6, R1);
	load(c, BPF_DW, R1, R6, 8);
	jump_if(c, &out, BPF_JNE, R1, SYS_io_submit);
	take_tid(c);
	look_up(c, m->watched, STACK_TID, &out);
	take_scratch(c, m, &out);
	take_registers(c, &out);
	set(c, R7, 0);
	const unsigned int loop = c->n;
	load(c, BPF_DW, R1, R8, AT(arg) + 8);
	op(c, BPF_ADD, R1, -1);
	if (out.n < OUT_JUMPS_MAX) /* loop until all entries are read */
		out.at[out.n++] = c->n;
	put(c, BPF_JMP | BPF_JSGT | BPF_X, R7, R1, 0, 0);
	jump_if(c, &fail, BPF_JGE, R7, UM_AIO_MAX);
	/* Reads entry R7 of the list of io_submit(). */
	mov(c, R3, R7);
	op(c, BPF_LSH, R3, 3);
	load(c, BPF_DW, R1, R8, AT(arg) + 16);
	add(c, R3, R1);
	read_user(c, FP, STACK_POINTER, 8, &fail);
	load(c, BPF_DW, R9, FP, STACK_POINTER);
	record_begin(c, m, UM_AIO_SUBMIT, &fail);
	store(c, BPF_DW, R8, AT_ENTRY(result), R7);
	mov(c, R3, R9);
	read_user(c, R8, AT_ENTRY(command), sizeof((struct um_ring_entry *)0)->command, &fail);
	entry_hand_over(c, m);
	op(c, BPF_ADD, R7, 1);
	put(c, BPF_JMP | BPF_JA, 0, 0, (short)((int)loop - (int)c->n - 1), 0);
	land(c, &fail);
	count(c, m, RING_LOST, 1);
	end(c, &out);
}
