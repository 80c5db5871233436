/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of syscalls.h: threads, a call's arguments, files by their numbers. */
#ifndef CAPTURE_KERNEL_SYSCALLS_PRIVATE_H
#define CAPTURE_KERNEL_SYSCALLS_PRIVATE_H

#include "capture/app/app_state.h"
#include "capture/kernel/syscalls.h"

#define SYSCALL_THREAD_SLOTS 4096u
#define SYSCALL_RING_SLOTS 256u

#define NO_FD (-2)

struct syscall_thread {
	uint32_t tid, pid;
	struct process_state *process;
	struct syscall_thread *next; /* of the hash's chain */
	bool hidden;
	/* the call under way */
	const struct syscall_row *row; /* NULL: none */
	uint64_t arg[SYSCALL_ARGS];
	int64_t begin_ns;
	int64_t before_ns; /* end of the call before */
	/* A call that began before the capture may use this descriptor (syscalls_under_way). */
	int first_fd;
	uint64_t ticket;
	bool has_ticket;
	/* what close is about: the number may be given anew before it returns */
	struct app_open_file *closing;
	/* the last fault */
	uint64_t fault_device, fault_inode, fault_page;
	struct fault_event fault; /* at an address; `followed`: by events of the file */
};

struct syscall_file { /* device and inode: object */
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
	uint64_t n_slots; /* of descriptors, of all processes */
	uint64_t n_nameless; /* files that were opened by a name that is not known */
	bool reads_rings, reads_aio;
	uint64_t n_made; /* descriptors of no file */
	struct syscall_file *file; /* open addressing */
	size_t n_files, n_file_slots;
	/* identified[n_identified], by object: 0 not looked for, 1 it has no number, 2 it has one
	 */
	unsigned char *identified;
	size_t n_identified;
	struct strbuf second, heap;
	struct ring_request *ring[SYSCALL_RING_SLOTS]; /* under way */
};

/* A call that has ended, on its way to a record. */
struct syscall_done {
	struct syscalls *c;
	struct syscall_thread *t;
	struct log_record l;
	struct merge_record m;	  /* of l */
	const char *path;	  /* joined, or NULL */
	bool has_path, path_unknown;
	struct op_peer peer;
	bool has_peer, has_extra;
	bool has_second; /* c->second has the second path, absolute */
	bool nofollow;
	bool has_pair;
	int32_t pair[2];
	const void *argument; /* of fcntl or ioctl: the bytes that it points to, or NULL */
	bool no_request;
};

/* syscall_args.c: fills d->l, d->m from the registers and what they point to. */
void syscall_args_take(struct syscall_done *d,
		       const struct syscall_memory memory[SYSCALL_MEMORIES]);

/* syscalls_pages.c */
int syscall_file_identify(struct syscalls *c, const char *path, uint32_t object, struct err *e);
int syscall_object(struct syscalls *c, const char *path, bool is_path, uint32_t *id, struct err *e);

/* syscalls.c: the call under way, if any, did not come to its end. */
void syscall_abandon(struct syscalls *c, struct syscall_thread *t);
/* A call of `t` begins, and ends: what syscalls_enter and syscalls_exit do for the thread's own. */
void syscall_begin(struct syscalls *c, struct syscall_thread *t, int64_t ns,
		   const struct syscall_row *row, const uint64_t arg[SYSCALL_ARGS]);
int syscall_end(struct syscalls *c, struct syscall_thread *t, int64_t ns,
		const struct syscall_row *row, int64_t result,
		const struct syscall_memory memory[SYSCALL_MEMORIES], struct err *e);
/* syscalls_ring.c: no more is heard of the requests that are under way. */
void syscall_rings_abandon(struct syscalls *c);
/* The io_submit() of `t` that ends now accepted the first `n` requests only. */
void syscall_aio_refused(struct syscalls *c, const struct syscall_thread *t, uint64_t n);

/* syscalls_threads.c */
void syscall_process_leave(struct syscalls *c, struct process_state *p); /* a thread fewer */
/* Whether the process may come to have that descriptor. */
bool syscall_room_for(struct syscalls *c, const struct process_state *p, int64_t fd);
struct syscall_thread *syscall_thread_find(struct syscalls *c, uint32_t tid); /* NULL: not known */
/* made where it is not known */
/* Whether the position was moved before or after it was looked up is not known. */
void syscall_position_lost(struct syscalls *c, struct app_open_file *f);
struct syscall_thread *syscall_thread_of(struct syscalls *c, uint32_t tid);

#endif
