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
	emit_op(c, BPF_RSH, R0, 32);
	emit_mov(c, R7, R0);
	emit_map(c, R1, m->watched);
	emit_address(c, R2, FP, STACK_TID);
	emit_call(c, BPF_FUNC_map_lookup_elem);
	jump_if(c, &known, BPF_JNE, R0, 0);
	emit_store(c, BPF_W, FP, STACK_NUMBER, R7);
	look_up(c, m->watched, STACK_NUMBER, out);
	jumps_land(c, &known);
}

static void record_begin(struct um_code *c, const struct um_maps *m, int number, struct jumps *out)
{
	take_scratch(c, m, out);
	emit_load(c, BPF_W, R1, FP, STACK_TID);
	emit_store(c, BPF_W, R8, AT(r.tid), R1);
	emit_set(c, R1, number);
	emit_store(c, BPF_W, R8, AT(r.number), R1);
	emit_call(c, BPF_FUNC_ktime_get_ns);
	emit_store(c, BPF_DW, R8, AT(r.ns), R0);
	emit_store(c, BPF_DW, R8, AT_ENTRY(request), R9);
}

static void entry_hand_over(struct um_code *c, const struct um_maps *m)
{
	for (size_t i = 0; i < sizeof(struct um_ring_entry); i += 8) {
		emit_load(c, BPF_DW, R1, R8, AT_ENTRY(request) + (int)i);
		emit_store(c, BPF_DW, R8, AT(data) + (int)i, R1);
	}
	emit_set(c, R0, sizeof(struct um_ring_entry));
	hand_over(c, m, 0, RING_LOST);
}

/* Reads n bytes of kernel memory at R9 + at. */
static void read_kernel(struct um_code *c, short to, int n, int at, struct jumps *fail)
{
	emit_address(c, R1, R8, to);
	emit_set(c, R2, n);
	emit_address(c, R3, R9, at);
	emit_call(c, BPF_FUNC_probe_read_kernel);
	jump_if(c, fail, BPF_JNE, R0, 0);
}

/* R7 contains the items of the operation, from ring_entries_items(). */
static void pointee_read(struct um_code *c, const struct um_maps *m, const struct um_ring_layout *l,
			 int k)
{
	struct jumps fail = {.n = 0}, next = {.n = 0}, vector = {.n = 0}, got = {.n = 0};
	emit_mov(c, R1, R7);
	emit_op(c, BPF_RSH, R1, 8 * k);
	emit_op(c, BPF_AND, R1, 0xff);
	jump_if(c, &next, BPF_JEQ, R1, 0);
	emit_op(c, BPF_AND, R1, 0x38);
	emit_add(c, R1, R8);
	emit_load(c, BPF_DW, R3, R1, AT_ENTRY(command));
	jump_if(c, &next, BPF_JEQ, R3, 0);
	emit_mov(c, R1, R7);
	emit_op(c, BPF_AND, R1, (int)UM_RING_VECTOR);
	jump_if(c, &vector, BPF_JNE, R1, 0);
	/* Reads the name of the struct filename at R3. Sets R0 to its length. */
	emit_op(c, BPF_ADD, R3, l->name);
	emit_address(c, R1, FP, STACK_POINTER);
	emit_set(c, R2, 8);
	emit_call(c, BPF_FUNC_probe_read_kernel);
	jump_if(c, &fail, BPF_JNE, R0, 0);
	emit_load(c, BPF_DW, R3, FP, STACK_POINTER);
	emit_address(c, R1, R8, AT(data));
	emit_set(c, R2, UM_TEXT_MAX);
	emit_call(c, BPF_FUNC_probe_read_kernel_str);
	jump_if(c, &fail, BPF_JSLE, R0, 0);
	jump_always(c, &got);
	jumps_land(c, &vector);
	/* Reads the program's array of struct iovec at R3. Sets R0 to its length. */
	struct jumps small = {.n = 0};
	emit_load(c, BPF_W, R2, R8, AT_ENTRY(command) + l->vector_length);
	jump_if(c, &small, BPF_JLE, R2, UM_VECTORS_MAX);
	emit_set(c, R2, UM_VECTORS_MAX);
	jumps_land(c, &small);
	emit_op(c, BPF_LSH, R2, 4);
	emit_store(c, BPF_DW, FP, STACK_SIZE, R2);
	emit_address(c, R1, R8, AT(data));
	emit_call(c, BPF_FUNC_probe_read_user);
	jump_if(c, &fail, BPF_JNE, R0, 0);
	emit_load(c, BPF_DW, R0, FP, STACK_SIZE);
	jumps_land(c, &got);
	hand_over(c, m, k + 1, RING_LOST);
	jump_always(c, &next);
	jumps_land(c, &fail);
	counter_add(c, m, RING_LOST, 1);
	jumps_land(c, &next);
}

void um_code_ring_submit(struct um_code *c, const struct um_maps *m, const struct um_ring_layout *l)
{
	struct jumps out = {.n = 0}, fail = {.n = 0};
	c->n = 0;
	emit_mov(c, R6, R1);
	take_watched(c, m, &out);
	emit_load(c, BPF_DW, R9, R6, 0);
	record_begin(c, m, UM_RING_SUBMIT, &out);
	emit_set(c, R1, 0);
	emit_store(c, BPF_DW, R8, AT_ENTRY(opcode), R1);
	emit_store(c, BPF_DW, R8, AT_ENTRY(flags), R1);
	read_kernel(c, AT_ENTRY(opcode), 1, l->opcode, &fail);
	read_kernel(c, AT_ENTRY(flags), l->flags_bytes, l->flags, &fail);
	read_kernel(c, AT_ENTRY(ring), 8, l->ring, &fail);
	emit_load(c, BPF_DW, R1, R8, AT_ENTRY(opcode));
	emit_store(c, BPF_W, FP, STACK_NUMBER, R1);
	look_up(c, m->ring_ops, STACK_NUMBER, &out);
	emit_load(c, BPF_DW, R7, R0, 0);
	jump_if(c, &out, BPF_JEQ, R7, 0); /* the operation does not concern files */
	read_kernel(c, AT_ENTRY(command), sizeof((struct um_ring_entry *)0)->command, l->command,
		    &fail);
	emit_set(c, R1, 0);
	emit_store(c, BPF_DW, R8, AT_ENTRY(fd), R1);
	read_kernel(c, AT_ENTRY(fd), sizeof(int32_t), l->fd, &fail);
	emit_store(c, BPF_DW, FP, STACK_KEY, R9);
	emit_map(c, R1, m->inflight);
	emit_address(c, R2, FP, STACK_KEY);
	emit_address(c, R3, FP, STACK_KEY);
	emit_set(c, R4, BPF_ANY);
	emit_call(c, BPF_FUNC_map_update_elem);
	jump_if(c, &fail, BPF_JNE, R0, 0);
	entry_hand_over(c, m);
	for (int k = 0; k < UM_RING_POINTERS; k++)
		pointee_read(c, m, l, k);
	jump_always(c, &out);
	jumps_land(c, &fail);
	counter_add(c, m, RING_LOST, 1);
	program_end(c, &out);
}

void um_code_ring_done(struct um_code *c, const struct um_maps *m, const struct um_ring_layout *l)
{
	struct jumps out = {.n = 0}, fail = {.n = 0};
	c->n = 0;
	emit_mov(c, R6, R1);
	emit_load(c, BPF_DW, R9, R6, 8);
	emit_store(c, BPF_DW, FP, STACK_KEY, R9);
	look_up(c, m->inflight, STACK_KEY, &out);
	emit_map(c, R1, m->inflight);
	emit_address(c, R2, FP, STACK_KEY);
	emit_call(c, BPF_FUNC_map_delete_elem);
	take_tid(c);
	record_begin(c, m, UM_RING_DONE, &out);
	if (l->result >= 0) {
		emit_load(c, BPF_DW, R9, R6, 16);
		read_kernel(c, AT_ENTRY(result), sizeof(int32_t), l->result, &fail);
		emit_load(c, BPF_W, R1, R8, AT_ENTRY(result));
	} else
		emit_load(c, BPF_DW, R1, R6, 24);
	emit_op(c, BPF_LSH, R1, 32);
	emit_op(c, BPF_ARSH, R1, 32);
	emit_store(c, BPF_DW, R8, AT_ENTRY(result), R1);
	entry_hand_over(c, m);
	jump_always(c, &out);
	jumps_land(c, &fail);
	counter_add(c, m, RING_LOST, 1);
	program_end(c, &out);
}

/* Reads n bytes of the program's memory at R3. */
static void read_user(struct um_code *c, unsigned int base, int to, int n, struct jumps *fail)
{
	emit_address(c, R1, base, to);
	emit_set(c, R2, n);
	emit_call(c, BPF_FUNC_probe_read_user);
	jump_if(c, fail, BPF_JNE, R0, 0);
}

void um_code_aio(struct um_code *c, const struct um_maps *m)
{
	struct jumps out = {.n = 0}, fail = {.n = 0};
	c->n = 0;
	emit_mov(c, R6, R1);
	emit_load(c, BPF_DW, R1, R6, 8);
	jump_if(c, &out, BPF_JNE, R1, SYS_io_submit);
	take_tid(c);
	look_up(c, m->watched, STACK_TID, &out);
	take_scratch(c, m, &out);
	take_registers(c, &out);
	emit_set(c, R7, 0);
	const unsigned int loop = c->n;
	emit_load(c, BPF_DW, R1, R8, AT(arg) + 8);
	emit_op(c, BPF_ADD, R1, -1);
	if (out.n < OUT_JUMPS_MAX) /* loop until all entries are read */
		out.at[out.n++] = c->n;
	insn_put(c, BPF_JMP | BPF_JSGT | BPF_X, R7, R1, 0, 0);
	jump_if(c, &fail, BPF_JGE, R7, UM_AIO_MAX);
	/* Reads entry R7 of the list of io_submit(). */
	emit_mov(c, R3, R7);
	emit_op(c, BPF_LSH, R3, 3);
	emit_load(c, BPF_DW, R1, R8, AT(arg) + 16);
	emit_add(c, R3, R1);
	read_user(c, FP, STACK_POINTER, 8, &fail);
	emit_load(c, BPF_DW, R9, FP, STACK_POINTER);
	record_begin(c, m, UM_AIO_SUBMIT, &fail);
	emit_store(c, BPF_DW, R8, AT_ENTRY(result), R7);
	emit_mov(c, R3, R9);
	read_user(c, R8, AT_ENTRY(command), sizeof((struct um_ring_entry *)0)->command, &fail);
	entry_hand_over(c, m);
	emit_op(c, BPF_ADD, R7, 1);
	insn_put(c, BPF_JMP | BPF_JA, 0, 0, (short)((int)loop - (int)c->n - 1), 0);
	jumps_land(c, &fail);
	counter_add(c, m, RING_LOST, 1);
	program_end(c, &out);
}
