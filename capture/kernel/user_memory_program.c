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
	mov(c, R1, R9);
	op(c, BPF_AND, R1, 7);
	op(c, BPF_LSH, R1, 3);
	add(c, R1, R8);
	load(c, BPF_DW, R3, R1, AT(arg));
	mov(c, R1, R9);
	op(c, BPF_ADD, R1, 1);
	op(c, BPF_AND, R1, 7);
	op(c, BPF_LSH, R1, 3);
	add(c, R1, R8);
	load(c, BPF_DW, R2, R1, AT(arg));
	store(c, BPF_DW, FP, STACK_POINTER, R3);
	store(c, BPF_DW, FP, STACK_FOLLOWING, R2);
}

/* Reads R2 bytes from R3. */
static void read_bytes(struct um_code *c, struct jumps *fail)
{
	store(c, BPF_DW, FP, STACK_SIZE, R2);
	address(c, R1, R8, AT(data));
	call(c, BPF_FUNC_probe_read_user);
	jump_if(c, fail, BPF_JNE, R0, 0);
	load(c, BPF_DW, R0, FP, STACK_SIZE);
}

/* Sets R1 to the method of reading the item, an enum syscall_pointer. */
static void take_kind(struct um_code *c)
{
	mov(c, R1, R9);
	op(c, BPF_RSH, R1, 8);
	op(c, BPF_AND, R1, 0xff);
}

/* Sets R2 to min(R2, most). */
static void at_most(struct um_code *c, int most)
{
	struct jumps small = {.n = 0};
	jump_if(c, &small, BPF_JLE, R2, most);
	set(c, R2, most);
	land(c, &small);
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
	mov(c, R2, R9);
	op(c, BPF_RSH, R2, 16);
	op(c, BPF_AND, R2, 0x7f);
	read_bytes(c, fail);
	jump(c, &got);
	land(c, &vector);
	at_most(c, UM_VECTORS_MAX);
	op(c, BPF_LSH, R2, 4);
	read_bytes(c, fail);
	jump(c, &got);
	land(c, &sized);
	at_most(c, 127);
	read_bytes(c, fail);
	jump(c, &got);
	land(c, &events); /* as many struct io_event as the call returns */
	load(c, BPF_DW, R2, R6, 8);
	jump_if(c, none, BPF_JSLE, R2, 0);
	at_most(c, SYSCALL_EVENTS_MAX);
	op(c, BPF_LSH, R2, 5);
	read_bytes(c, fail);
	jump(c, &got);
	land(c, &text);
	address(c, R1, R8, AT(data));
	set(c, R2, UM_TEXT_MAX);
	call(c, BPF_FUNC_probe_read_user_str);
	jump_if(c, fail, BPF_JSLE, R0, 0);
	jump(c, &got);
	land(c, &got);
}

/* Makes the key of a delayed pointer: thread, item. */
static void retry_key(struct um_code *c, int k)
{
	load(c, BPF_W, R1, FP, STACK_TID);
	op(c, BPF_LSH, R1, 2); /* SYSCALL_MEMORIES is at most 4 */
	op(c, BPF_OR, R1, k);
	store(c, BPF_DW, FP, STACK_KEY, R1);
}

/* Delays an item whose page or content is not present yet. It will be present when the call
 * ends. */
static void retry_keep(struct um_code *c, const struct um_maps *m, int k)
{
	struct jumps full = {.n = 0}, done = {.n = 0};
	retry_key(c, k);
	load(c, BPF_DW, R1, R8, AT(r.ns));
	store(c, BPF_DW, R8, AT(data) + (int)offsetof(struct um_retry, ns), R1);
	store(c, BPF_W, R8, AT(data) + (int)offsetof(struct um_retry, item), R9);
	load(c, BPF_W, R1, FP, STACK_NUMBER);
	store(c, BPF_W, R8, AT(data) + (int)offsetof(struct um_retry, number), R1);
	load(c, BPF_DW, R1, FP, STACK_POINTER);
	store(c, BPF_DW, R8, AT(data) + (int)offsetof(struct um_retry, pointer), R1);
	load(c, BPF_DW, R1, FP, STACK_FOLLOWING);
	store(c, BPF_DW, R8, AT(data) + (int)offsetof(struct um_retry, following), R1);
	map(c, R1, m->retry);
	address(c, R2, FP, STACK_KEY);
	address(c, R3, R8, AT(data));
	set(c, R4, BPF_ANY);
	call(c, BPF_FUNC_map_update_elem);
	jump_if(c, &full, BPF_JNE, R0, 0);
	count(c, m, offsetof(struct um_state, n_retry), 1);
	jump(c, &done);
	land(c, &full);
	count(c, m, offsetof(struct um_state, n_lost), 1);
	land(c, &done);
}

/* --- the programs -------------------------------------------------------- */

/* Counts a 32-bit call of a watched thread and jumps to `out`, because its number means another
 * call than the same number of a 64-bit call. */
static void count_32_bits(struct um_code *c, const struct um_maps *m, int status, struct jumps *out)
{
	struct jumps other = {.n = 0};
	call(c, BPF_FUNC_get_current_task_btf);
	load(c, BPF_W, R1, R0, status);
	op(c, BPF_AND, R1, TS_COMPAT);
	jump_if(c, &other, BPF_JEQ, R1, 0);
	take_tid(c);
	look_up(c, m->watched, STACK_TID, out);
	count(c, m, offsetof(struct um_state, n_calls32), 1);
	jump(c, out);
	land(c, &other);
}

void um_code_enter(struct um_code *c, const struct um_maps *m, int status)
{
	struct jumps out = {.n = 0};
	c->n = 0;
	mov(c, R6, R1);
	if (status >= 0)
		count_32_bits(c, m, status, &out);
	load(c, BPF_DW, R1, R6, 8);
	jump_if(c, &out, BPF_JGE, R1, UM_NUMBERS);
	store(c, BPF_W, FP, STACK_NUMBER, R1);
	look_up(c, m->calls, STACK_NUMBER, &out);
	mov(c, R7, R0);
	load(c, BPF_W, R1, R7, 0);
	jump_if(c, &out, BPF_JEQ, R1, 0);
	take_tid(c);
	look_up(c, m->watched, STACK_TID, &out);
	take_scratch(c, m, &out);
	load(c, BPF_W, R1, FP, STACK_TID);
	store(c, BPF_W, R8, AT(r.tid), R1);
	load(c, BPF_W, R1, FP, STACK_NUMBER);
	store(c, BPF_W, R8, AT(r.number), R1);
	call(c, BPF_FUNC_ktime_get_ns);
	store(c, BPF_DW, R8, AT(r.ns), R0);
	take_registers(c, &out);
	for (int k = 0; k < SYSCALL_MEMORIES; k++) {
		struct jumps fail = {.n = 0}, next = {.n = 0};
		load(c, BPF_W, R9, R7, k * (int)sizeof(uint32_t));
		jump_if(c, &out, BPF_JEQ, R9, 0);
		take_pointer(c);
		jump_if(c, &next, BPF_JLT, R3, ADDRESS_MIN);
		take_kind(c);
		/* the kernel fills these before the call ends */
		jump_if(c, &fail, BPF_JGE, R1, POINTER_RESULT);
		read_item(c, &fail, &next);
		hand_over(c, m, k, offsetof(struct um_state, n_lost));
		jump(c, &next);
		land(c, &fail);
		retry_keep(c, m, k);
		land(c, &next);
	}
	end(c, &out);
}

/* Reads the struct um_retry at R0. */
static void retry_take(struct um_code *c, const struct um_maps *m)
{
	load(c, BPF_DW, R1, R0, offsetof(struct um_retry, ns));
	store(c, BPF_DW, R8, AT(r.ns), R1);
	load(c, BPF_W, R1, R0, offsetof(struct um_retry, number));
	store(c, BPF_W, R8, AT(r.number), R1);
	load(c, BPF_W, R1, FP, STACK_TID);
	store(c, BPF_W, R8, AT(r.tid), R1);
	load(c, BPF_DW, R1, R0, offsetof(struct um_retry, pointer));
	store(c, BPF_DW, FP, STACK_POINTER, R1);
	load(c, BPF_DW, R1, R0, offsetof(struct um_retry, following));
	store(c, BPF_DW, FP, STACK_FOLLOWING, R1);
	load(c, BPF_W, R9, R0, offsetof(struct um_retry, item));
	map(c, R1, m->retry);
	address(c, R2, FP, STACK_KEY);
	call(c, BPF_FUNC_map_delete_elem);
	count(c, m, offsetof(struct um_state, n_retry), -1);
	load(c, BPF_DW, R3, FP, STACK_POINTER);
	load(c, BPF_DW, R2, FP, STACK_FOLLOWING);
}

void um_code_exit(struct um_code *c, const struct um_maps *m)
{
	struct jumps out = {.n = 0};
	c->n = 0;
	mov(c, R6, R1);
	put(c, BPF_ST | BPF_MEM | BPF_W, FP, 0, STACK_ZERO, 0);
	look_up(c, m->state, STACK_ZERO, &out);
	load(c, BPF_DW, R1, R0, offsetof(struct um_state, n_retry));
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
		jump(c, &next);
		land(c, &fail);
		take_kind(c);
		/* the argument was not a pointer */
		jump_if(c, &next, BPF_JEQ, R1, POINTER_OPTIONAL);
		count(c, m, offsetof(struct um_state, n_lost), 1);
		land(c, &next);
	}
	end(c, &out);
}

void um_code_newtask(struct um_code *c, const struct um_maps *m, int pid, unsigned int field)
{
	struct jumps out = {.n = 0};
	c->n = 0;
	if (pid >= 0) {
		load(c, BPF_DW, R3, R1, 0);
		op(c, BPF_ADD, R3, pid);
		address(c, R1, FP, STACK_NUMBER);
		set(c, R2, sizeof(int32_t));
		call(c, BPF_FUNC_probe_read_kernel);
		jump_if(c, &out, BPF_JNE, R0, 0);
		load(c, BPF_W, R6, FP, STACK_NUMBER);
	} else
		load(c, BPF_W, R6, R1, (int)field);
	take_tid(c);
	look_up(c, m->watched, STACK_TID, &out);
	store(c, BPF_W, FP, STACK_TID, R6);
	store(c, BPF_W, FP, STACK_NUMBER, R6); /* any value */
	map(c, R1, m->watched);
	address(c, R2, FP, STACK_TID);
	address(c, R3, FP, STACK_NUMBER);
	set(c, R4, BPF_ANY);
	call(c, BPF_FUNC_map_update_elem);
	end(c, &out);
}

void um_code_ended(struct um_code *c, const struct um_maps *m)
{
	struct jumps out = {.n = 0};
	c->n = 0;
	take_tid(c);
	look_up(c, m->watched, STACK_TID, &out);
	map(c, R1, m->watched);
	address(c, R2, FP, STACK_TID);
	call(c, BPF_FUNC_map_delete_elem);
	end(c, &out);
}
