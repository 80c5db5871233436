/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the BPF programs and their reader share. */
#ifndef CAPTURE_KERNEL_USER_MEMORY_PRIVATE_H
#define CAPTURE_KERNEL_USER_MEMORY_PRIVATE_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

#define UM_TEXT_MAX 4096 /* PATH_MAX */
#define UM_VECTORS_MAX 256
#define UM_NUMBERS 512
#define UM_INSNS_MAX 512

struct um_record { /* in the ring, followed by `len` bytes */
	int64_t ns;
	uint32_t tid, number;
	uint32_t item; /* 0 or 1: which of the call's pointers */
	uint32_t len;  /* of text: with its NUL */
};

/* The one page of memory that a program works in, for each processor. */
struct um_scratch {
	struct um_record r;
	unsigned char data[UM_TEXT_MAX];
	uint64_t arg[8]; /* six, and two that stay 0 */
};

/* A pointer that could not be read when the call began, or points to what the call gives. */
struct um_retry {
	int64_t ns;
	uint32_t item, number;
	uint64_t pointer, following;
};

struct um_state {
	uint64_t n_retry; /* waiting */
	uint64_t n_lost;
};

/* How an argument is read, 32 bits for each of the two: argument, enum syscall_pointer << 8, bytes << 16. */
static inline uint32_t um_item(unsigned int arg, unsigned int what, size_t size)
{
	return arg | what << 8 | (uint32_t)size << 16;
}

struct um_maps { /* descriptors */
	int calls, watched, scratch, retry, state, ring;
};

struct um_code {
	struct bpf_insn insn[UM_INSNS_MAX];
	unsigned int n;
};

/* At the beginning of a system call (raw tracepoint sys_enter), at its end (sys_exit), when a thread is made (tracepoint
 * task_newtask) and when it ends (raw tracepoint sched_process_exit). */
void um_code_enter(struct um_code *c, const struct um_maps *m);
void um_code_exit(struct um_code *c, const struct um_maps *m);
void um_code_newtask(struct um_code *c, const struct um_maps *m, unsigned int pid_offset);
void um_code_ended(struct um_code *c, const struct um_maps *m);

#endif
