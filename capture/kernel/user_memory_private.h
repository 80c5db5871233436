/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data structures that the BPF programs and their reader share. */
#pragma once

#include <linux/bpf.h>

#include "common/std.h"

#define UM_TEXT_MAX 4096 /* PATH_MAX */
#define UM_VECTORS_MAX 256
#define UM_NUMBERS 512
#define UM_RING_SUBMIT 1000 /* um_record.number: beyond all system calls */
#define UM_RING_DONE 1001
#define UM_AIO_SUBMIT 1002
#define UM_AIO_MAX 256 /* requests read of one io_submit() */
#define UM_RING_POINTERS 2
#define UM_INSNS_MAX 1024

struct um_record { /* in the ring buffer, followed by `len` bytes */
	int64_t ns;
	uint32_t tid, number;
	uint32_t item; /* index of the call's pointer, below SYSCALL_MEMORIES */
	uint32_t len;  /* of text: including its NUL */
};

/* An entry of io_uring as the kernel stores it, or its completion (request, result). A record with
 * item 1 or 2 follows for each pointer. */
struct um_ring_entry {
	/* address of the request, which identifies it until it is done; libaio: of a struct iocb */
	uint64_t request;
	uint64_t ring, flags, opcode;
	int64_t fd, result;  /* libaio: result is its index in the list of io_submit() */
	/* io_kiocb.cmd: a structure of the operation. libaio: struct iocb */
	uint64_t command[8];
};

/* The working memory of a program, one per CPU. */
struct um_scratch {
	struct um_record r;
	unsigned char data[UM_TEXT_MAX];
	uint64_t arg[8]; /* six arguments, and two that stay 0 */
	struct um_ring_entry entry;
};

/* A pointer to read at the end of the call: unreadable at its begin, or filled by the kernel. */
struct um_retry {
	int64_t ns;
	uint32_t item, number;
	uint64_t pointer, following;
};

struct um_state {
	uint64_t n_retry; /* pending */
	uint64_t n_lost;
	uint64_t n_ring_lost;
};

/* Offsets in the tracepoints' records, in struct io_kiocb and struct filename, and in the command
 * of a vector. */
struct um_ring_layout {
	int submit_request, submit_ring, submit_opcode, submit_flags, flags_bytes, done_request,
	    done_result;
	int command, fd, name, vector_length;
};

/* What to read of an operation; 0: it does not concern files. Holds the offsets of up to two
 * pointers in the command, to names or, with UM_RING_VECTOR, to an array of struct iovec. */
#define UM_RING_KNOWN (UINT64_C(1) << 16)
#define UM_RING_VECTOR (UINT64_C(1) << 17)
static inline uint64_t um_ring_pointer(unsigned int k, int offset)
{
	return (uint64_t)((unsigned int)offset | 1) << 8 * k;
}

/* How to read an argument: index, enum syscall_pointer << 8, bytes << 16. The map `calls` has
 * SYSCALL_MEMORIES items for each call, 0 after its last pointer. */
static inline uint32_t um_item(unsigned int arg, unsigned int what, size_t size)
{
	return arg | what << 8 | (uint32_t)size << 16;
}

struct um_maps { /* descriptors */
	int calls, watched, scratch, retry, state, ring;
	/* of io_uring: items by operation; requests in flight */
	int ring_ops, inflight;
};

struct um_code {
	struct bpf_insn insn[UM_INSNS_MAX];
	unsigned int n;
};

/* Programs for the begin of a system call (raw tracepoint sys_enter), its end (sys_exit), the
 * creation of a thread (tracepoint task_newtask) and its end (raw tracepoint sched_process_exit).
 */
void um_code_enter(struct um_code *c, const struct um_maps *m);
void um_code_exit(struct um_code *c, const struct um_maps *m);
void um_code_newtask(struct um_code *c, const struct um_maps *m, unsigned int pid_offset);
/* Tracepoints io_uring_submit_req and io_uring_complete; raw tracepoint sys_enter for the requests
 * of io_submit(). */
void um_code_ring_submit(struct um_code *c, const struct um_maps *m,
			 const struct um_ring_layout *l);
void um_code_ring_done(struct um_code *c, const struct um_maps *m, const struct um_ring_layout *l);
void um_code_aio(struct um_code *c, const struct um_maps *m);
void um_code_ended(struct um_code *c, const struct um_maps *m);
