/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Instructions and common steps of the BPF programs. Registers as in user_memory_program.c. */
#pragma once

#include "capture/kernel/syscalls.h"
#include "capture/kernel/user_memory_private.h"

enum { R0, R1, R2, R3, R4, R5, R6, R7, R8, R9, FP };

/* Layout of the stack: offsets from FP. */
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

struct jumps { /* forward jumps to the same place */
	unsigned int at[OUT_JUMPS_MAX], n;
};

/* --- instructions -------------------------------------------------------- */

static inline void insn_put(struct um_code *c, unsigned int code, unsigned int dst,
			    unsigned int src, short off, int imm)
{
	if (c->n < UM_INSNS_MAX)
		c->insn[c->n++] = (struct bpf_insn){.code = (uint8_t)code,
						    .dst_reg = dst & 15,
						    .src_reg = src & 15,
						    .off = off,
						    .imm = imm};
}

static inline void emit_mov(struct um_code *c, unsigned int dst, unsigned int src)
{
	insn_put(c, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static inline void emit_set(struct um_code *c, unsigned int dst, int value)
{
	insn_put(c, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, value);
}

static inline void emit_op(struct um_code *c, unsigned int what, unsigned int dst, int value)
{
	insn_put(c, BPF_ALU64 | what | BPF_K, dst, 0, 0, value);
}

static inline void emit_add(struct um_code *c, unsigned int dst, unsigned int src)
{
	insn_put(c, BPF_ALU64 | BPF_ADD | BPF_X, dst, src, 0, 0);
}

static inline void emit_load(struct um_code *c, unsigned int size, unsigned int dst,
			     unsigned int from, int off)
{
	insn_put(c, BPF_LDX | BPF_MEM | size, dst, from, (short)off, 0);
}

static inline void emit_store(struct um_code *c, unsigned int size, unsigned int to, int off,
			      unsigned int src)
{
	insn_put(c, BPF_STX | BPF_MEM | size, to, src, (short)off, 0);
}

static inline void emit_call(struct um_code *c, int helper)
{
	insn_put(c, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

static inline void emit_address(struct um_code *c, unsigned int dst, unsigned int base, int off)
{
	emit_mov(c, dst, base);
	emit_op(c, BPF_ADD, dst, off);
}

static inline void emit_map(struct um_code *c, unsigned int dst, int fd)
{
	insn_put(c, BPF_LD | BPF_DW | BPF_IMM, dst, BPF_PSEUDO_MAP_FD, 0, fd);
	insn_put(c, 0, 0, 0, 0, 0);
}

static inline void jump_if(struct um_code *c, struct jumps *j, unsigned int how, unsigned int reg,
			   int value)
{
	if (j->n < OUT_JUMPS_MAX)
		j->at[j->n++] = c->n;
	insn_put(c, BPF_JMP | how | BPF_K, reg, 0, 0, value);
}

static inline void jump_always(struct um_code *c, struct jumps *j)
{
	if (j->n < OUT_JUMPS_MAX)
		j->at[j->n++] = c->n;
	insn_put(c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
}

static inline void jumps_land(struct um_code *c, struct jumps *j)
{
	for (unsigned int i = 0; i < j->n; i++)
		c->insn[j->at[i]].off = (short)(c->n - j->at[i] - 1);
	j->n = 0;
}

static inline void program_end(struct um_code *c, struct jumps *out)
{
	jumps_land(c, out);
	emit_set(c, R0, 0);
	insn_put(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* Sets R0 to the value for the key at FP + `key`. Jumps to `out` if there is none. */
static inline void look_up(struct um_code *c, int fd, int key, struct jumps *none)
{
	emit_map(c, R1, fd);
	emit_address(c, R2, FP, key);
	emit_call(c, BPF_FUNC_map_lookup_elem);
	jump_if(c, none, BPF_JEQ, R0, 0);
}

static inline void take_tid(struct um_code *c)
{
	emit_call(c, BPF_FUNC_get_current_pid_tgid);
	emit_store(c, BPF_W, FP, STACK_TID, R0);
}

static inline void take_scratch(struct um_code *c, const struct um_maps *m, struct jumps *out)
{
	insn_put(c, BPF_ST | BPF_MEM | BPF_W, FP, 0, STACK_ZERO, 0);
	look_up(c, m->scratch, STACK_ZERO, out);
	emit_mov(c, R8, R0);
}

static inline void counter_add(struct um_code *c, const struct um_maps *m, size_t member, int by)
{
	struct jumps none = {.n = 0};
	insn_put(c, BPF_ST | BPF_MEM | BPF_W, FP, 0, STACK_ZERO, 0);
	look_up(c, m->state, STACK_ZERO, &none);
	emit_set(c, R1, by);
	insn_put(c, BPF_STX | BPF_ATOMIC | BPF_DW, R0, R1, (short)member, BPF_ADD);
	jumps_land(c, &none);
}

/* Position of a call's arguments in the registers that the kernel saved: 64 bytes from REGS_AT
 * on. */
#if defined(__x86_64__)
#define REGS_AT 56 /* r10 r9 r8 ax cx dx si di */
static const short arg_at[SYSCALL_ARGS] = {56, 48, 40, 0, 16, 8};
#else /* x0 to x7 of aarch64; user_memory_open() rejects other architectures */
#define REGS_AT 0
static const short arg_at[SYSCALL_ARGS] = {0, 8, 16, 24, 32, 40};
#endif

/* R6 is the context of the raw tracepoint sys_enter. Copies the arguments to the scratch memory. */
static inline void take_registers(struct um_code *c, struct jumps *out)
{
	emit_address(c, R1, FP, STACK_REGS);
	emit_set(c, R2, 64);
	emit_load(c, BPF_DW, R3, R6, 0);
	emit_op(c, BPF_ADD, R3, REGS_AT);
	emit_call(c, BPF_FUNC_probe_read_kernel);
	jump_if(c, out, BPF_JNE, R0, 0);
	for (int i = 0; i < SYSCALL_ARGS; i++) {
		emit_load(c, BPF_DW, R1, FP, STACK_REGS + arg_at[i]);
		emit_store(c, BPF_DW, R8, AT(arg) + 8 * i, R1);
	}
}

/* Writes R0 bytes of the scratch memory to the ring buffer as item `k`. `lost`: member of um_state
 * that counts items that do not fit. */
static inline void hand_over(struct um_code *c, const struct um_maps *m, int k, size_t lost)
{
	struct jumps done = {.n = 0}, small = {.n = 0};
	insn_put(c, BPF_ST | BPF_MEM | BPF_W, R8, 0, AT(r.item), k);
	emit_store(c, BPF_W, R8, AT(r.len), R0);
	emit_mov(c, R3, R0);
	jump_if(c, &small, BPF_JLE, R3, UM_TEXT_MAX);
	emit_set(c, R3, UM_TEXT_MAX);
	jumps_land(c, &small);
	emit_op(c, BPF_ADD, R3, sizeof(struct um_record));
	emit_map(c, R1, m->ring);
	emit_mov(c, R2, R8);
	emit_set(c, R4, BPF_RB_NO_WAKEUP);
	emit_call(c, BPF_FUNC_ringbuf_output);
	jump_if(c, &done, BPF_JEQ, R0, 0);
	counter_add(c, m, lost, 1);
	jumps_land(c, &done);
}
