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
	struct syscall_thread *next; /* next thread in the hash chain */
	bool hidden;
	/* the thread's unfinished call */
	const struct syscall_row *row; /* NULL: none */
	uint64_t arg[SYSCALL_ARGS];
	int64_t begin_ns;
	int64_t before_ns; /* end of the previous call */
	/* A call that began before the capture may use this descriptor (syscalls_under_way). */
	int first_fd;
	uint64_t ticket;
	bool has_ticket;
	/* the file of a close, because the number may be reused before the call returns */
	struct app_open_file *closing;
	/* the last fault */
	uint64_t fault_device, fault_inode, fault_page;
	/* a fault at an address; `followed`: the file's events come next */
	struct fault_event fault;
};

struct syscall_file { /* maps device and inode to an object */
	uint64_t device, inode;
	uint32_t object;
};

struct syscalls {
	struct syscalls_sink sink;
	struct record_queue *queue;
	struct syscalls_counts counts;
	struct app_state state;
	struct syscall_thread *slot[SYSCALL_THREAD_SLOTS], *last;
	uint64_t n_slots; /* number of descriptors and mappings of all processes */
	uint64_t n_nameless; /* files that were opened by an unknown name */
	bool reads_rings, reads_aio;
	uint64_t n_made; /* descriptors without a file */
	struct syscall_file *file;
	size_t n_files, cap_files;
	struct u64_map file_of; /* key of device and inode -> index in file[] */
	struct u64_map identified; /* object -> whether its inode number is known */
	struct strbuf second, heap;
	struct ring_request *ring[SYSCALL_RING_SLOTS]; /* in flight */
};

/* A call that has ended and is being converted to a record. */
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
	const void *argument; /* memory of the argument of fcntl or ioctl, or NULL */
	bool no_request;
	uint64_t appends_at; /* offset of a write that appends, or OFFSET_NONE */
};

/* syscall_args.c: fills d->l and d->m from the registers and the memory of pointers. */
void syscall_args_take(struct syscall_done *d,
		       const struct syscall_memory memory[SYSCALL_MEMORIES]);

/* syscalls_pages.c */
int syscall_object(struct syscalls *c, const char *path, bool is_path, uint32_t *id, struct err *e);

/* syscalls.c */
struct trace_record syscall_record(const struct syscall_thread *t, int64_t begin_ns,
				   enum trace_op op);
/* Ends the thread's unfinished call, if any, without a result. */
void syscall_abandon(struct syscalls *c, struct syscall_thread *t);
/* Adds start and end of a call of `t`, also for calls that a ring makes for it. */
void syscall_begin(struct syscalls *c, struct syscall_thread *t, int64_t ns,
		   const struct syscall_row *row, const uint64_t arg[SYSCALL_ARGS]);
int syscall_end(struct syscalls *c, struct syscall_thread *t, int64_t ns,
		const struct syscall_row *row, int64_t result,
		const struct syscall_memory memory[SYSCALL_MEMORIES], struct err *e);
/* syscalls_ring.c: ends the requests in flight without a result. */
void syscall_rings_abandon(struct syscalls *c);
/* Drops all requests of the current io_submit() of `t` except the first `n`. */
void syscall_aio_refused(struct syscalls *c, const struct syscall_thread *t, uint64_t n);

/* syscalls_threads.c */
/* The thread called unshare(2) with these flags. */
void syscall_unshared(struct syscalls *c, struct syscall_thread *t, uint64_t flags);
/* a thread of the process ended */
void syscall_process_leave(struct syscalls *c, struct process_state *p);
/* Whether the limit of recorded descriptors allows `fd`. */
bool syscall_room_for(struct syscalls *c, const struct process_state *p, int64_t fd);
struct syscall_thread *syscall_thread_find(struct syscalls *c, uint32_t tid); /* NULL: unknown */
/* Records that the position may have moved before or after it was read at the attach, so it is
 * unknown. */
void syscall_position_lost(struct syscalls *c, struct app_open_file *f);
/* Finds a thread, or creates it. */
struct syscall_thread *syscall_thread_of(struct syscalls *c, uint32_t tid);
