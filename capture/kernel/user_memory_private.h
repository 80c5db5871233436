/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data structures that the BPF programs and their reader share. */
#pragma once

#include <linux/bpf.h>

#include "common/std.h"

#define UM_TEXT_MAX 4096 /* PATH_MAX */
#define UM_VECTORS_MAX 256
#define UM_NUMBERS 512
#define UM_RING_SUBMIT 1000 /* um_record.number; above the numbers of all system calls */
#define UM_RING_DONE 1001
#define UM_AIO_SUBMIT 1002
#define UM_AIO_MAX 256 /* largest number of requests read from one io_submit() */
#define UM_RING_POINTERS 2
#define UM_INSNS_MAX 1024

struct um_record { /* in the ring buffer, followed by `len` bytes */
	int64_t ns;
	uint32_t tid, number;
	uint32_t item; /* index of the call's pointer, below SYSCALL_MEMORIES */
	uint32_t len;  /* length of a text, including its NUL */
};

/* An entry of io_uring as the kernel stores it, or its completion (request, result). For each
 * pointer, a record with item 1 or 2 follows. */
struct um_ring_entry {
	/* address of the request, which identifies it until its end; libaio: address of the struct
	 * iocb */
	uint64_t request;
	uint64_t ring, flags, opcode;
	int64_t fd, result;  /* libaio: `result` is the index in the list of io_submit() */
	/* io_kiocb.cmd: a structure of the operation; libaio: struct iocb */
	uint64_t command[8];
};

/* Working memory of a program. Each CPU has its own. */
struct um_scratch {
	struct um_record r;
	unsigned char data[UM_TEXT_MAX];
	uint64_t arg[8]; /* six arguments, and two that stay 0 */
	struct um_ring_entry entry;
};

/* A pointer that is read at the end of the call, because it was unreadable at its start or the
 * kernel fills its memory. */
struct um_retry {
	int64_t ns;
	uint32_t item, number;
	uint64_t pointer, following;
};

struct um_state {
	uint64_t n_retry; /* pending */
	uint64_t n_lost;
	uint64_t n_ring_lost;
	uint64_t n_calls32; /* 32-bit calls, which have no tracepoints */
};

/* Offsets in the kernel's structures. */
struct um_ring_layout {
	int ring, opcode, flags, flags_bytes, command, fd; /* io_kiocb */
	int name;					   /* filename */
	int vector_length;				   /* offset in the command of a vector */
	/* io_uring_cqe; -1: the tracepoint io_uring_complete contains the result itself */
	int result;
	/* task_struct; status -1: unknown, or there are no 32-bit calls */
	int task_pid, task_status;
};

/* What to read for an operation. 0: the operation does not concern files. Contains the offsets of
 * up to two pointers in the command: to names or, with UM_RING_VECTOR, to an array of struct
 * iovec. */
#define UM_RING_KNOWN (UINT64_C(1) << 16)
#define UM_RING_VECTOR (UINT64_C(1) << 17)
static inline uint64_t um_ring_pointer(unsigned int k, int offset)
{
	return (uint64_t)((unsigned int)offset | 1) << 8 * k;
}

/* How to read an argument: index, enum syscall_pointer << 8, bytes << 16. The map `calls` has
 * SYSCALL_MEMORIES items for each call; the item after its last pointer is 0. */
static inline uint32_t um_item(unsigned int arg, unsigned int what, size_t size)
{
	return arg | what << 8 | (uint32_t)size << 16;
}

struct um_maps { /* descriptors of the maps */
	int calls, watched, scratch, retry, state, ring;
	/* for io_uring: items by operation; requests in flight */
	int ring_ops, inflight;
};

struct um_code {
	struct bpf_insn insn[UM_INSNS_MAX];
	unsigned int n;
};

/* Programs for the start of a system call (raw tracepoint sys_enter), its end (sys_exit), the
 * creation of a thread (task_newtask) and its end (raw tracepoint sched_process_exit). `status`:
 * offset in task_struct; -1: 32-bit calls are not counted. `pid`: offset in task_struct, for the
 * raw tracepoint; -1: the ordinary tracepoint is used, and `field` is the offset of its field. */
void um_code_enter(struct um_code *c, const struct um_maps *m, int status);
void um_code_exit(struct um_code *c, const struct um_maps *m);
void um_code_newtask(struct um_code *c, const struct um_maps *m, int pid, unsigned int field);
/* Programs for the raw tracepoints io_uring_submit_req and io_uring_complete, and for sys_enter of
 * io_submit(). */
void um_code_ring_submit(struct um_code *c, const struct um_maps *m,
			 const struct um_ring_layout *l);
void um_code_ring_done(struct um_code *c, const struct um_maps *m, const struct um_ring_layout *l);
void um_code_aio(struct um_code *c, const struct um_maps *m);
void um_code_ended(struct um_code *c, const struct um_maps *m);
