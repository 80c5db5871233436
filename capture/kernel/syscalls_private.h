/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interfaces between the parts of syscalls.h: threads, arguments of a call, files by number. */
#pragma once

#include "capture/app/app_state.h"
#include "capture/kernel/syscalls.h"

#define SYSCALL_THREAD_SLOTS 4096u
#define SYSCALL_RING_SLOTS 256u

#define NO_FD (-2)

struct syscall_thread {
	uint32_t tid, pid;
	struct process_state *process;
	struct syscall_thread *next; /* in the hash chain */
	bool hidden;
	/* the unfinished call */
	const struct syscall_row *row; /* NULL: none */
	uint64_t arg[SYSCALL_ARGS];
	int64_t begin_ns;
	int64_t before_ns; /* end of the previous call */
	/* A call that began before the capture may use this descriptor (syscalls_under_way). */
	int first_fd;
	uint64_t ticket;
	bool has_ticket;
	/* the file of a close: the number may be reused before it returns */
	struct app_open_file *closing;
	/* the last fault */
	uint64_t fault_device, fault_inode, fault_page;
	struct fault_event fault; /* at an address; `followed`: the file's events come next */
};

struct syscall_file { /* maps device and inode to an object */
	uint64_t device, inode;
	uint32_t object;
	bool used;
};

struct syscalls {
	struct syscalls_sink sink;
	struct record_queue *queue;
	struct syscalls_counts counts;
	struct app_state state;
	struct syscall_thread *slot[SYSCALL_THREAD_SLOTS], *last;
	uint64_t n_slots; /* descriptors and mappings of all processes */
	uint64_t n_nameless; /* files opened by an unknown name */
	bool reads_rings, reads_aio;
	uint64_t n_made; /* descriptors without a file */
	struct syscall_file *file; /* hash table with open addressing */
	size_t n_files, n_file_slots;
	/* identified[n_identified], by object: 0 not tried, 1 no inode number, 2 known */
	unsigned char *identified;
	size_t n_identified;
	struct strbuf second, heap;
	struct ring_request *ring[SYSCALL_RING_SLOTS]; /* in flight */
};

/* A call that has ended, on the way to its record. */
struct syscall_done {
	struct syscalls *c;
	struct syscall_thread *t;
	struct log_record l;
	struct merge_record m;	  /* of l */
	const char *path;	  /* resolved, or NULL */
	bool has_path, path_unknown;
	struct op_peer peer;
	bool has_peer, has_extra;
	bool has_second; /* c->second has the second path, absolute */
	bool has_pair;
	int32_t pair[2];
	const void *argument; /* memory of fcntl's or ioctl's argument, or NULL */
	bool no_request;
	uint64_t appends_at; /* the offset of a write that appends; OFFSET_NONE */
};

/* syscall_args.c: fills d->l and d->m from the registers and the memory of pointers. */
void syscall_args_take(struct syscall_done *d,
		       const struct syscall_memory memory[SYSCALL_MEMORIES]);

/* syscalls_pages.c */
int syscall_file_identify(struct syscalls *c, const char *path, uint32_t object, struct err *e);
int syscall_object(struct syscalls *c, const char *path, bool is_path, uint32_t *id, struct err *e);

/* syscalls.c: ends the thread's unfinished call, if any, without a result. */
void syscall_abandon(struct syscalls *c, struct syscall_thread *t);
/* The begin and end of a call of `t`, also for calls that a ring makes on its behalf. */
void syscall_begin(struct syscalls *c, struct syscall_thread *t, int64_t ns,
		   const struct syscall_row *row, const uint64_t arg[SYSCALL_ARGS]);
int syscall_end(struct syscalls *c, struct syscall_thread *t, int64_t ns,
		const struct syscall_row *row, int64_t result,
		const struct syscall_memory memory[SYSCALL_MEMORIES], struct err *e);
/* syscalls_ring.c: ends the requests in flight without a result. */
void syscall_rings_abandon(struct syscalls *c);
/* Drops all but the first `n` requests of the io_submit() of `t` that ends now. */
void syscall_aio_refused(struct syscalls *c, const struct syscall_thread *t, uint64_t n);

/* syscalls_threads.c */
void syscall_process_leave(struct syscalls *c, struct process_state *p); /* a thread ended */
/* Whether the limit of recorded descriptors allows `fd`. */
bool syscall_room_for(struct syscalls *c, const struct process_state *p, int64_t fd);
struct syscall_thread *syscall_thread_find(struct syscalls *c, uint32_t tid); /* NULL: unknown */
/* Records that it is unknown whether the position moved before or after the look at the attach. */
void syscall_position_lost(struct syscalls *c, struct app_open_file *f);
/* creates an unknown thread */
struct syscall_thread *syscall_thread_of(struct syscalls *c, uint32_t tid);
