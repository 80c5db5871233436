/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The BPF programs of user_memory.c. Registers: R6: the program's context; R7: the items of the
 * call; R8: the CPU's struct um_scratch; R9: the current item. */

#include "capture/kernel/user_memory_assembly.h"

#define ADDRESS_MIN 4096 /* smaller arguments are not pointers */
#define TS_COMPAT 2	 /* arch/x86/include/asm/thread_info.h of Linux */

/* --- reading one item ---------------------------------------------------- */

/* R9 is the item. Stores its pointer and the argument after it on the stack, and leaves them in R3
 * and R2. */
static void take_pointer(struct um_code *c)
{
	emit_mov(c, R1, R9);
	emit_op(c, BPF_AND, R1, 7);
	emit_op(c, BPF_LSH, R1, 3);
	emit_add(c, R1, R8);
	emit_load(c, BPF_DW, R3, R1, AT(arg));
	emit_mov(c, R1, R9);
	emit_op(c, BPF_ADD, R1, 1);
	emit_op(c, BPF_AND, R1, 7);
	emit_op(c, BPF_LSH, R1, 3);
	emit_add(c, R1, R8);
	emit_load(c, BPF_DW, R2, R1, AT(arg));
	emit_store(c, BPF_DW, FP, STACK_POINTER, R3);
	emit_store(c, BPF_DW, FP, STACK_FOLLOWING, R2);
}

/* Reads R2 bytes from R3. */
static void read_bytes(struct um_code *c, struct jumps *fail)
{
	emit_store(c, BPF_DW, FP, STACK_SIZE, R2);
	emit_address(c, R1, R8, AT(data));
	emit_call(c, BPF_FUNC_probe_read_user);
	jump_if(c, fail, BPF_JNE, R0, 0);
	emit_load(c, BPF_DW, R0, FP, STACK_SIZE);
}

/* Sets R1 to the method of reading the item, an enum syscall_pointer. */
static void take_kind(struct um_code *c)
{
	emit_mov(c, R1, R9);
	emit_op(c, BPF_RSH, R1, 8);
	emit_op(c, BPF_AND, R1, 0xff);
}

/* Sets R2 to min(R2, most). */
static void at_most(struct um_code *c, int most)
{
	struct jumps small = {.n = 0};
	jump_if(c, &small, BPF_JLE, R2, most);
	emit_set(c, R2, most);
	jumps_land(c, &small);
}

/* Leaves the data in the scratch memory and the length in R0. `none`: there is nothing to read. */
static void read_item(struct um_code *c, struct jumps *fail, struct jumps *none)
{
	struct jumps text = {.n = 0}, vector = {.n = 0}, got = {.n = 0}, sized = {.n = 0},
		     events = {.n = 0};
	take_kind(c);
	jump_if(c, &text, BPF_JEQ, R1, POINTER_TEXT);
	jump_if(c, &vector, BPF_JEQ, R1, POINTER_VECTOR);
	jump_if(c, &sized, BPF_JEQ, R1, POINTER_SIZED);
	jump_if(c, &events, BPF_JEQ, R1, POINTER_EVENTS);
	emit_mov(c, R2, R9);
	emit_op(c, BPF_RSH, R2, 16);
	emit_op(c, BPF_AND, R2, 0x7f);
	read_bytes(c, fail);
	jump_always(c, &got);
	jumps_land(c, &vector);
	at_most(c, UM_VECTORS_MAX);
	emit_op(c, BPF_LSH, R2, 4);
	read_bytes(c, fail);
	jump_always(c, &got);
	jumps_land(c, &sized);
	at_most(c, 127);
	read_bytes(c, fail);
	jump_always(c, &got);
	jumps_land(c, &events); /* as many struct io_event as the call returns */
	emit_load(c, BPF_DW, R2, R6, 8);
	jump_if(c, none, BPF_JSLE, R2, 0);
	at_most(c, SYSCALL_EVENTS_MAX);
	emit_op(c, BPF_LSH, R2, 5);
	read_bytes(c, fail);
	jump_always(c, &got);
	jumps_land(c, &text);
	emit_address(c, R1, R8, AT(data));
	emit_set(c, R2, UM_TEXT_MAX);
	emit_call(c, BPF_FUNC_probe_read_user_str);
	jump_if(c, fail, BPF_JSLE, R0, 0);
	jump_always(c, &got);
	jumps_land(c, &got);
}

/* Makes the key of a delayed pointer: thread, item. */
static void retry_key(struct um_code *c, int k)
{
	emit_load(c, BPF_W, R1, FP, STACK_TID);
	emit_op(c, BPF_LSH, R1, 2); /* SYSCALL_MEMORIES is at most 4 */
	emit_op(c, BPF_OR, R1, k);
	emit_store(c, BPF_DW, FP, STACK_KEY, R1);
}

/* Delays an item whose page or content is not present yet. It will be present when the call
 * ends. */
static void retry_keep(struct um_code *c, const struct um_maps *m, int k)
{
	struct jumps full = {.n = 0}, done = {.n = 0};
	retry_key(c, k);
	emit_load(c, BPF_DW, R1, R8, AT(r.ns));
	emit_store(c, BPF_DW, R8, AT(data) + (int)offsetof(struct um_retry, ns), R1);
	emit_store(c, BPF_W, R8, AT(data) + (int)offsetof(struct um_retry, item), R9);
	emit_load(c, BPF_W, R1, FP, STACK_NUMBER);
	emit_store(c, BPF_W, R8, AT(data) + (int)offsetof(struct um_retry, number), R1);
	emit_load(c, BPF_DW, R1, FP, STACK_POINTER);
	emit_store(c, BPF_DW, R8, AT(data) + (int)offsetof(struct um_retry, pointer), R1);
	emit_load(c, BPF_DW, R1, FP, STACK_FOLLOWING);
	emit_store(c, BPF_DW, R8, AT(data) + (int)offsetof(struct um_retry, following), R1);
	emit_map(c, R1, m->retry);
	emit_address(c, R2, FP, STACK_KEY);
	emit_address(c, R3, R8, AT(data));
	emit_set(c, R4, BPF_ANY);
	emit_call(c, BPF_FUNC_map_update_elem);
	jump_if(c, &full, BPF_JNE, R0, 0);
	counter_add(c, m, offsetof(struct um_state, n_retry), 1);
	jump_always(c, &done);
	jumps_land(c, &full);
	counter_add(c, m, offsetof(struct um_state, n_lost), 1);
	jumps_land(c, &done);
}

/* --- the programs -------------------------------------------------------- */

/* Counts a 32-bit call of a watched thread and jumps to `out`, because its number means another
 * call than the same number of a 64-bit call. */
static void count_32_bits(struct um_code *c, const struct um_maps *m, int status, struct jumps *out)
{
	struct jumps other = {.n = 0};
	emit_call(c, BPF_FUNC_get_current_task_btf);
	emit_load(c, BPF_W, R1, R0, status);
	emit_op(c, BPF_AND, R1, TS_COMPAT);
	jump_if(c, &other, BPF_JEQ, R1, 0);
	take_tid(c);
	look_up(c, m->watched, STACK_TID, out);
	counter_add(c, m, offsetof(struct um_state, n_calls32), 1);
	jump_always(c, out);
	jumps_land(c, &other);
}

void um_code_enter(struct um_code *c, const struct um_maps *m, int status)
{
	struct jumps out = {.n = 0};
	c->n = 0;
	emit_mov(c, R6, R1);
	if (status >= 0)
		count_32_bits(c, m, status, &out);
	emit_load(c, BPF_DW, R1, R6, 8);
	jump_if(c, &out, BPF_JGE, R1, UM_NUMBERS);
	emit_store(c, BPF_W, FP, STACK_NUMBER, R1);
	look_up(c, m->calls, STACK_NUMBER, &out);
	emit_mov(c, R7, R0);
	emit_load(c, BPF_W, R1, R7, 0);
	jump_if(c, &out, BPF_JEQ, R1, 0);
	take_tid(c);
	look_up(c, m->watched, STACK_TID, &out);
	take_scratch(c, m, &out);
	emit_load(c, BPF_W, R1, FP, STACK_TID);
	emit_store(c, BPF_W, R8, AT(r.tid), R1);
	emit_load(c, BPF_W, R1, FP, STACK_NUMBER);
	emit_store(c, BPF_W, R8, AT(r.number), R1);
	emit_call(c, BPF_FUNC_ktime_get_ns);
	emit_store(c, BPF_DW, R8, AT(r.ns), R0);
	take_registers(c, &out);
	for (int k = 0; k < SYSCALL_MEMORIES; k++) {
		struct jumps fail = {.n = 0}, next = {.n = 0};
		emit_load(c, BPF_W, R9, R7, k * (int)sizeof(uint32_t));
		jump_if(c, &out, BPF_JEQ, R9, 0);
		take_pointer(c);
		jump_if(c, &next, BPF_JLT, R3, ADDRESS_MIN);
		take_kind(c);
		/* the kernel fills these before the call ends */
		jump_if(c, &fail, BPF_JGE, R1, POINTER_RESULT);
		read_item(c, &fail, &next);
		hand_over(c, m, k, offsetof(struct um_state, n_lost));
		jump_always(c, &next);
		jumps_land(c, &fail);
		retry_keep(c, m, k);
		jumps_land(c, &next);
	}
	program_end(c, &out);
}

/* Reads the struct um_retry at R0. */
static void retry_take(struct um_code *c, const struct um_maps *m)
{
	emit_load(c, BPF_DW, R1, R0, offsetof(struct um_retry, ns));
	emit_store(c, BPF_DW, R8, AT(r.ns), R1);
	emit_load(c, BPF_W, R1, R0, offsetof(struct um_retry, number));
	emit_store(c, BPF_W, R8, AT(r.number), R1);
	emit_load(c, BPF_W, R1, FP, STACK_TID);
	emit_store(c, BPF_W, R8, AT(r.tid), R1);
	emit_load(c, BPF_DW, R1, R0, offsetof(struct um_retry, pointer));
	emit_store(c, BPF_DW, FP, STACK_POINTER, R1);
	emit_load(c, BPF_DW, R1, R0, offsetof(struct um_retry, following));
	emit_store(c, BPF_DW, FP, STACK_FOLLOWING, R1);
	emit_load(c, BPF_W, R9, R0, offsetof(struct um_retry, item));
	emit_map(c, R1, m->retry);
	emit_address(c, R2, FP, STACK_KEY);
	emit_call(c, BPF_FUNC_map_delete_elem);
	counter_add(c, m, offsetof(struct um_state, n_retry), -1);
	emit_load(c, BPF_DW, R3, FP, STACK_POINTER);
	emit_load(c, BPF_DW, R2, FP, STACK_FOLLOWING);
}

void um_code_exit(struct um_code *c, const struct um_maps *m)
{
	struct jumps out = {.n = 0};
	c->n = 0;
	emit_mov(c, R6, R1);
	insn_put(c, BPF_ST | BPF_MEM | BPF_W, FP, 0, STACK_ZERO, 0);
	look_up(c, m->state, STACK_ZERO, &out);
	emit_load(c, BPF_DW, R1, R0, offsetof(struct um_state, n_retry));
	jump_if(c, &out, BPF_JEQ, R1, 0);
	take_tid(c);
	take_scratch(c, m, &out);
	for (int k = 0; k < SYSCALL_MEMORIES; k++) {
		struct jumps fail = {.n = 0}, next = {.n = 0};
		retry_key(c, k);
		look_up(c, m->retry, STACK_KEY, &next);
		retry_take(c, m);
		read_item(c, &fail, &next);
		hand_over(c, m, k, offsetof(struct um_state, n_lost));
		jump_always(c, &next);
		jumps_land(c, &fail);
		take_kind(c);
		/* the argument was not a pointer */
		jump_if(c, &next, BPF_JEQ, R1, POINTER_OPTIONAL);
		counter_add(c, m, offsetof(struct um_state, n_lost), 1);
		jumps_land(c, &next);
	}
	program_end(c, &out);
}

void um_code_newtask(struct um_code *c, const struct um_maps *m, int pid, unsigned int field)
{
	struct jumps out = {.n = 0};
	c->n = 0;
	if (pid >= 0) {
		emit_load(c, BPF_DW, R3, R1, 0);
		emit_op(c, BPF_ADD, R3, pid);
		emit_address(c, R1, FP, STACK_NUMBER);
		emit_set(c, R2, sizeof(int32_t));
		emit_call(c, BPF_FUNC_probe_read_kernel);
		jump_if(c, &out, BPF_JNE, R0, 0);
		emit_load(c, BPF_W, R6, FP, STACK_NUMBER);
	} else
		emit_load(c, BPF_W, R6, R1, (int)field);
	take_tid(c);
	look_up(c, m->watched, STACK_TID, &out);
	emit_store(c, BPF_W, FP, STACK_TID, R6);
	emit_store(c, BPF_W, FP, STACK_NUMBER, R6); /* any value */
	emit_map(c, R1, m->watched);
	emit_address(c, R2, FP, STACK_TID);
	emit_address(c, R3, FP, STACK_NUMBER);
	emit_set(c, R4, BPF_ANY);
	emit_call(c, BPF_FUNC_map_update_elem);
	program_end(c, &out);
}

void um_code_ended(struct um_code *c, const struct um_maps *m)
{
	struct jumps out = {.n = 0};
	c->n = 0;
	take_tid(c);
	look_up(c, m->watched, STACK_TID, &out);
	emit_map(c, R1, m->watched);
	emit_address(c, R2, FP, STACK_TID);
	emit_call(c, BPF_FUNC_map_delete_elem);
	program_end(c, &out);
}
