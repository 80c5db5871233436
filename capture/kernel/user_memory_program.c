/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The BPF programs of user_memory.h. Registers: R6 the program's context, R7 what is to be read of the call (two items), R8 the
 * processor's struct um_scratch, R9 the item under work. */
#include <string.h>

#include "capture/kernel/syscalls.h"
#include "capture/kernel/user_memory_private.h"

/* Where the arguments of a system call lie in the registers that the kernel saved at its beginning: 64 bytes from REGS_AT on. */
#if defined(__x86_64__)
#define REGS_AT 56 /* r10 r9 r8 ax cx dx si di */
static const short arg_at[SYSCALL_ARGS] = {56, 48, 40, 0, 16, 8};
#else /* x0 to x7 of aarch64; user_memory_open() refuses others */
#define REGS_AT 0
static const short arg_at[SYSCALL_ARGS] = {0, 8, 16, 24, 32, 40};
#endif

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FP };

/* The stack, below FP. */
#define STACK_NUMBER (-4)
#define STACK_TID (-8)
#define STACK_ZERO (-12)
#define STACK_REGS (-80) /* 64 bytes */
#define STACK_KEY (-88)
#define STACK_POINTER (-96)
#define STACK_FOLLOWING (-104)
#define STACK_SIZE (-112)

#define AT(member) ((short)offsetof(struct um_scratch, member))
#define OUT_JUMPS_MAX 32

struct jumps { /* forward, to one place */
	unsigned int at[OUT_JUMPS_MAX], n;
};

/* --- instructions ------------------------------------------------------------------------------------------------- */

static void put(struct um_code *c, unsigned int code, unsigned int dst, unsigned int src, short off, int imm)
{
	if (c->n < UM_INSNS_MAX)
		c->insn[c->n++] = (struct bpf_insn){.code = (uint8_t)code, .dst_reg = dst & 15, .src_reg = src & 15, .off = off, .imm = imm};
}

static void mov(struct um_code *c, unsigned int dst, unsigned int src)
{
	put(c, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void set(struct um_code *c, unsigned int dst, int value)
{
	put(c, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value);
}

static void op(struct um_code *c, unsigned int what, unsigned int dst, int value)
{
	put(c, BPF_ALU64 | what | BPF_K, dst, 0, 0, value);
}

static void add(struct um_code *c, unsigned int dst, unsigned int src)
{
	put(c, BPF_ALU64 | BPF_ADD | BPF_X, dst, src, 0, 0);
}

static void load(struct um_code *c, unsigned int size, unsigned int dst, unsigned int from, int off)
{
	put(c, BPF_LDX | BPF_MEM | size, dst, from, (short)off, 0);
}

static void store(struct um_code *c, unsigned int size, unsigned int to, int off, unsigned int src)
{
	put(c, BPF_STX | BPF_MEM | size, to, src, (short)off, 0);
}

static void call(struct um_code *c, int helper)
{
	put(c, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static void address(struct um_code *c, unsigned int dst, unsigned int base, int off)
{
	mov(c, dst, base);
	op(c, BPF_ADD, dst, off);
}

static void map(struct um_code *c, unsigned int dst, int fd)
{
	put(c, BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_FD, 0, fd);
	put(c, 0, 0, 0, 0, 0);
}

static void jump_if(struct um_code *c, struct jumps *j, unsigned int how, unsigned int reg, int value)
{
	if (j->n < OUT_JUMPS_MAX)
		j->at[j->n++] = c->n;
	put(c, BPF_JMP | how | BPF_K, reg, 0, 0, value);
}

static void jump(struct um_code *c, struct jumps *j)
{
	if (j->n < OUT_JUMPS_MAX)
		j->at[j->n++] = c->n;
	put(c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
}

static void land(struct um_code *c, struct jumps *j)
{
	for (unsigned int i = 0; i < j->n; i++)
		c->insn[j->at[i]].off = (short)(c->n - j->at[i] - 1);
	j->n = 0;
}

static void end(struct um_code *c, struct jumps *out)
{
	land(c, out);
	set(c, R0, 0);
	put(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* R0: the value under the key at FP + `key`; leaves where there is none. */
static void look_up(struct um_code *c, int fd, int key, struct jumps *none)
{
	map(c, R1, fd);
	address(c, R2, FP, key);
	call(c, BPF_FUNC_map_lookup_elem);
	jump_if(c, none, BPF_JEQ, R0, 0);
}

static void take_tid(struct um_code *c)
{
	call(c, BPF_FUNC_get_current_pid_tgid);
	store(c, BPF_W, FP, STACK_TID, R0);
}

static void take_scratch(struct um_code *c, const struct um_maps *m, struct jumps *out)
{
	put(c, BPF_ST | BPF_MEM | BPF_W, FP, 0, STACK_ZERO, 0);
	look_up(c, m->scratch, STACK_ZERO, out);
	mov(c, R8, R0);
}

static void count(struct um_code *c, const struct um_maps *m, size_t member, int by)
{
	struct jumps none = {.n = 0};
	put(c, BPF_ST | BPF_MEM | BPF_W, FP, 0, STACK_ZERO, 0);
	look_up(c, m->state, STACK_ZERO, &none);
	set(c, R1, by);
	put(c, BPF_STX | BPF_ATOMIC | BPF_DW, R0, R1, (short)member, BPF_ADD);
	land(c, &none);
}

/* --- reading one item --------------------------------------------------------------------------------------------- */

/* R9: the item. Puts its pointer and the argument behind it on the stack, leaves R3 and R2 with them. */
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

static void read_text(struct um_code *c, struct jumps *fail, struct jumps *got)
{
	address(c, R1, R8, AT(data));
	set(c, R2, UM_TEXT_MAX);
	call(c, BPF_FUNC_probe_read_user_str);
	jump_if(c, fail, BPF_JSLE, R0, 0);
	jump(c, got);
}

/* R2 bytes from R3. */
static void read_bytes(struct um_code *c, struct jumps *fail)
{
	store(c, BPF_DW, FP, STACK_SIZE, R2);
	address(c, R1, R8, AT(data));
	call(c, BPF_FUNC_probe_read_user);
	jump_if(c, fail, BPF_JNE, R0, 0);
	load(c, BPF_DW, R0, FP, STACK_SIZE);
}

/* R1: how the item is to be read, enum syscall_pointer. */
static void take_kind(struct um_code *c)
{
	mov(c, R1, R9);
	op(c, BPF_RSH, R1, 8);
	op(c, BPF_AND, R1, 0xff);
}

/* Leaves the length in R0 and what was read in the scratch. */
static void read_item(struct um_code *c, struct jumps *fail)
{
	struct jumps text = {.n = 0}, vector = {.n = 0}, got = {.n = 0}, small = {.n = 0};
	take_kind(c);
	jump_if(c, &text, BPF_JEQ, R1, POINTER_TEXT);
	jump_if(c, &vector, BPF_JEQ, R1, POINTER_VECTOR);
	mov(c, R2, R9);
	op(c, BPF_RSH, R2, 16);
	op(c, BPF_AND, R2, 0x7f);
	read_bytes(c, fail);
	jump(c, &got);
	land(c, &vector);
	jump_if(c, &small, BPF_JLE, R2, UM_VECTORS_MAX);
	set(c, R2, UM_VECTORS_MAX);
	land(c, &small);
	op(c, BPF_LSH, R2, 4);
	read_bytes(c, fail);
	jump(c, &got);
	land(c, &text);
	read_text(c, fail, &got);
	land(c, &got);
}

/* R0 bytes of the scratch, into the ring. */
static void hand_over(struct um_code *c, const struct um_maps *m, int k)
{
	struct jumps done = {.n = 0}, small = {.n = 0};
	put(c, BPF_ST | BPF_MEM | BPF_W, R8, 0, AT(r.item), k);
	store(c, BPF_W, R8, AT(r.len), R0);
	mov(c, R3, R0);
	jump_if(c, &small, BPF_JLE, R3, UM_TEXT_MAX);
	set(c, R3, UM_TEXT_MAX);
	land(c, &small);
	op(c, BPF_ADD, R3, sizeof(struct um_record));
	map(c, R1, m->ring);
	mov(c, R2, R8);
	set(c, R4, BPF_RB_NO_WAKEUP);
	call(c, BPF_FUNC_ringbuf_output);
	jump_if(c, &done, BPF_JEQ, R0, 0);
	count(c, m, offsetof(struct um_state, n_lost), 1);
	land(c, &done);
}

/* The key of a pointer that is read later: thread, item. */
static void retry_key(struct um_code *c, int k)
{
	load(c, BPF_W, R1, FP, STACK_TID);
	op(c, BPF_LSH, R1, 1);
	op(c, BPF_OR, R1, k);
	store(c, BPF_DW, FP, STACK_KEY, R1);
}

/* It could not be read: its page is not there, or what it is to hold. The kernel will have brought it when the call ends. */
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

/* --- the programs ------------------------------------------------------------------------------------------------- */

static void take_registers(struct um_code *c, struct jumps *out)
{
	address(c, R1, FP, STACK_REGS);
	set(c, R2, 64);
	load(c, BPF_DW, R3, R6, 0);
	op(c, BPF_ADD, R3, REGS_AT);
	call(c, BPF_FUNC_probe_read_kernel);
	jump_if(c, out, BPF_JNE, R0, 0);
	for (int i = 0; i < SYSCALL_ARGS; i++) {
		load(c, BPF_DW, R1, FP, STACK_REGS + arg_at[i]);
		store(c, BPF_DW, R8, AT(arg) + 8 * i, R1);
	}
}

void um_code_enter(struct um_code *c, const struct um_maps *m)
{
	struct jumps out = {.n = 0};
	c->n = 0;
	mov(c, R6, R1);
	load(c, BPF_DW, R1, R6, 8);
	jump_if(c, &out, BPF_JGE, R1, UM_NUMBERS);
	store(c, BPF_W, FP, STACK_NUMBER, R1);
	look_up(c, m->calls, STACK_NUMBER, &out);
	load(c, BPF_DW, R7, R0, 0);
	jump_if(c, &out, BPF_JEQ, R7, 0);
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
		mov(c, R9, R7);
		op(c, k ? BPF_RSH : BPF_LSH, R9, 32);
		if (!k)
			op(c, BPF_RSH, R9, 32);
		jump_if(c, &out, BPF_JEQ, R9, 0);
		take_pointer(c);
		jump_if(c, &next, BPF_JEQ, R3, 0);
		take_kind(c);
		jump_if(c, &fail, BPF_JEQ, R1, POINTER_RESULT); /* the kernel puts it there until the call ends */
		read_item(c, &fail);
		hand_over(c, m, k);
		jump(c, &next);
		land(c, &fail);
		retry_keep(c, m, k);
		land(c, &next);
	}
	end(c, &out);
}

/* R0: a struct um_retry. */
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
		read_item(c, &fail);
		hand_over(c, m, k);
		jump(c, &next);
		land(c, &fail);
		count(c, m, offsetof(struct um_state, n_lost), 1);
		land(c, &next);
	}
	end(c, &out);
}

void um_code_newtask(struct um_code *c, const struct um_maps *m, unsigned int pid_offset)
{
	struct jumps out = {.n = 0};
	c->n = 0;
	load(c, BPF_W, R6, R1, (int)pid_offset);
	take_tid(c);
	look_up(c, m->watched, STACK_TID, &out);
	store(c, BPF_W, FP, STACK_TID, R6);
	store(c, BPF_W, FP, STACK_NUMBER, R6); /* the value: anything */
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
