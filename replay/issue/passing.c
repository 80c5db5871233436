/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/issue/passing.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "common/descriptor_pass.h"
#include "common/vm.h"

#define STACK_BYTES ((size_t)64 << 10)
#define LOOK_NS 10000000 /* interval in ns of checks whether the receiver has ended */

enum { TO_SEND, TO_RECEIVE };

struct passing {
	uint32_t n_processes;
	int (*pair)[2];		   /* pair[n_processes]; -1: the process receives nothing */
	_Atomic uint32_t *arrived; /* arrived[n_slots]: futexes, in shared memory */
	_Atomic uint32_t *left;	   /* left[n_processes], in shared memory */
	struct vm_region memory;   /* of arrived and left */
	_Atomic int *fds;	   /* of this process */
	int socket;		   /* from which this process receives */
};

uint32_t passing_room(uint32_t n_processes)
{
	return 3 * n_processes; /* for each process, two sockets and a pidfd */
}

int passing_open(struct passing **to, const uint8_t *receives, uint32_t n_processes,
		 uint32_t n_slots, struct err *e)
{
	struct passing *p = xcalloc(1, sizeof *p);
	int ret = vm_get(&p->memory, VM_SHARED,
			 ((size_t)n_slots + n_processes) * sizeof *p->arrived,
			 "inherited descriptors", e);
	*to = p;
	if (ret)
		return ret;
	p->arrived = p->memory.base;
	p->left = p->arrived + n_slots;
	p->pair = xcalloc((size_t)n_processes + 1, sizeof *p->pair);
	for (; p->n_processes < n_processes; p->n_processes++) {
		int *pair = p->pair[p->n_processes];
		pair[TO_SEND] = pair[TO_RECEIVE] = -1;
		if (receives[p->n_processes] &&
		    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
			return err_sys(e, errno,
				       "cannot create a socket for inherited descriptors");
	}
	return 0;
}

static void end_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void passing_close(struct passing *p)
{
	if (!p)
		return;
	for (uint32_t i = 0; i < p->n_processes; i++) {
		end_close(&p->pair[i][TO_SEND]);
		end_close(&p->pair[i][TO_RECEIVE]);
	}
	vm_free(&p->memory);
	FREE_EACH(p->pair, p);
}

/* --- receiving ----------------------------------------------------------- */

static void *descriptors_receive(void *arg)
{
	struct passing *p = arg;
	uint32_t slot;
	for (int fd; descriptor_receive(p->socket, &slot, &fd);) {
		int was = atomic_exchange(&p->fds[slot], fd);
		if (was >= 0)
			close(was); /* a mutant opened it twice */
		atomic_fetch_add(&p->arrived[slot], 1);
		syscall(SYS_futex, &p->arrived[slot], FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
	return NULL;
}

int passing_join(struct passing *p, uint32_t own, _Atomic int *fds, struct err *e)
{
	pthread_t id;
	pthread_attr_t attributes;
	p->fds = fds;
	p->socket = -1;
	for (uint32_t i = 0; i < p->n_processes; i++)
		if (i == own)
			p->socket = p->pair[i][TO_RECEIVE];
		else
			end_close(&p->pair[i][TO_RECEIVE]);
	vm_own(p->memory.base, p->memory.n_bytes);
	if (p->socket < 0)
		return 0;
	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	int code = pthread_create(&id, &attributes, descriptors_receive, p);
	pthread_attr_destroy(&attributes);
	return code ? err_sys(e, code, "cannot start a thread for inherited descriptors") : 0;
}

void passing_leave(struct passing *p, uint32_t own)
{
	if (own < p->n_processes)
		atomic_store(&p->left[own], 1);
}

/* --- sending ------------------------------------------------------------- */

void passing_send(struct passing *p, uint32_t process, uint32_t slot, int fd)
{
	const struct timespec look = {.tv_nsec = LOOK_NS};
	uint32_t before = atomic_load(&p->arrived[slot]);
	if (process >= p->n_processes || descriptor_send(p->pair[process][TO_SEND], slot, fd))
		return;
	while (atomic_load(&p->arrived[slot]) == before && !atomic_load(&p->left[process]))
		syscall(SYS_futex, &p->arrived[slot], FUTEX_WAIT, before, &look, NULL, 0);
}
