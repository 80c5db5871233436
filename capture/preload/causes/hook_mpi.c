/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of MPI that wait for other ranks, in C and Fortran. The hooks need no MPI header: all
 * arguments are integers or addresses, and are passed to any MPI library as words. The calls poll,
 * so their CPU time counts as waiting.
 *
 * Source: MPI 3.1, appendix A.2 (C bindings) and A.3 (Fortran: one more argument, the error; names
 * in small letters with "_"). */
#include <dlfcn.h>
#include <link.h>

#include "capture/preload/core.h"

typedef long word;

#define PARAMETERS_0 void
#define PARAMETERS_1 word a
#define PARAMETERS_2 PARAMETERS_1, word b
#define PARAMETERS_3 PARAMETERS_2, word c
#define PARAMETERS_4 PARAMETERS_3, word d
#define PARAMETERS_5 PARAMETERS_4, word e
#define PARAMETERS_6 PARAMETERS_5, word f
#define PARAMETERS_7 PARAMETERS_6, word g
#define PARAMETERS_8 PARAMETERS_7, word h
#define PARAMETERS_9 PARAMETERS_8, word i
#define PARAMETERS_10 PARAMETERS_9, word j
#define PARAMETERS_11 PARAMETERS_10, word k
#define PARAMETERS_12 PARAMETERS_11, word l
#define PARAMETERS_13 PARAMETERS_12, word m
#define ARGUMENTS_0
#define ARGUMENTS_1 a
#define ARGUMENTS_2 ARGUMENTS_1, b
#define ARGUMENTS_3 ARGUMENTS_2, c
#define ARGUMENTS_4 ARGUMENTS_3, d
#define ARGUMENTS_5 ARGUMENTS_4, e
#define ARGUMENTS_6 ARGUMENTS_5, f
#define ARGUMENTS_7 ARGUMENTS_6, g
#define ARGUMENTS_8 ARGUMENTS_7, h
#define ARGUMENTS_9 ARGUMENTS_8, i
#define ARGUMENTS_10 ARGUMENTS_9, j
#define ARGUMENTS_11 ARGUMENTS_10, k
#define ARGUMENTS_12 ARGUMENTS_11, l
#define ARGUMENTS_13 ARGUMENTS_12, m

enum { MPI_ERROR_OTHER = 15 };

/* --- the MPI library ------------------------------------------------------ */

struct mpi_object {
	size_t wanted, n_seen;
	char name[4097];
};

static int object_take(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct mpi_object *o = ctx;
	(void)size;
	if (o->n_seen++ < o->wanted)
		return 0;
	const size_t len = info->dlpi_name ? strlen(info->dlpi_name) : 0;
	memcpy(o->name, info->dlpi_name, len < sizeof o->name ? len : 0);
	o->name[len < sizeof o->name ? len : 0] = 0;
	return 1;
}

/* A hook, and the function that it calls. The linker makes an array of all hooks; compilers align a
 * single object of this size to 32 bytes. */
struct mpi_hook {
	const char *name;
	void (*own)(void);
	void *real; /* NULL: not yet looked up */
} __attribute__((aligned(32)));
extern struct mpi_hook hooks_begin[] __asm__("__start_mpi_hooks") CAUSE_HIDDEN;
extern struct mpi_hook hooks_end[] __asm__("__stop_mpi_hooks") CAUSE_HIDDEN;

/* Finds the function in an object that was loaded with RTLD_LOCAL, as Python loads its modules.
 * RTLD_NEXT does not search such an object. The name is copied, because another thread may unload
 * the object. */
static void *local_real(const char *name, const void *own)
{
	struct mpi_object o = {.wanted = 0};
	for (; o.n_seen = 0, dl_iterate_phdr(object_take, &o); o.wanted++) {
		void *object = *o.name ? REAL(dlopen)(o.name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
		void *found = object ? REAL(dlsym)(object, name) : NULL;
		if (object)
			dlclose(object); /* a reference of the program keeps the object loaded */
		if (found && found != own)
			return found;
	}
	return NULL;
}

/* The result never changes: otherwise a hook and a tool's wrapper could call each other forever. */
static void *mpi_real(struct mpi_hook *h)
{
	if (unlikely(!h->real)) {
		const int saved = errno;
		void *found = capture_real(h->name);
		h->real = found ? found : local_real(h->name, (void *)(uintptr_t)h->own);
		errno = saved;
	}
	return h->real;
}

void *cause_looked_up(const char *name, void *found)
{
	Dl_info its;
	struct mpi_hook *h = hooks_begin;
	if (strncmp(name, "MPI_", 4) != 0 && strncmp(name, "mpi_", 4) != 0)
		return found;
	while (h < hooks_end && strcmp(h->name, name) != 0)
		h++;
	if (h == hooks_end || mpi_real(h) != found)
		return found;
	/* the hook calls the function even after the program has closed the library */
	if (dladdr(found, &its))
		REAL(dlopen)(its.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	return (void *)(uintptr_t)h->own;
}

/* --- hooks ---------------------------------------------------------------- */

/* Declares the hook `name`. */
#define MPI_HOOK(name, n)									   \
	word name(PARAMETERS_##n);								   \
	static struct mpi_hook hook_##name __attribute__((section("mpi_hooks"), used)) = {	   \
	    #name, (void (*)(void))name, NULL};
#define MPI_REAL(name) ((__typeof__(&name))mpi_real(&hook_##name))

#define FORWARD(first, name, n)									   \
	MPI_HOOK(name, n)									   \
	EXPORT word name(PARAMETERS_##n)							   \
	{											   \
		__typeof__(&name) real = MPI_REAL(name);					   \
		first;										   \
		return real ? real(ARGUMENTS_##n) : MPI_ERROR_OTHER;				   \
	}
#define BINDINGS(first, name, small, n, n_fortran)						   \
	FORWARD(first, MPI_##name, n)								   \
	FORWARD(first, mpi_##small##_, n_fortran)						   \
	FORWARD(first, mpi_##small##_f08_, n_fortran)
/* `small`: the Fortran name. The Fortran function has n + 1 arguments, followed by the length of
 * each text. A call that SENDS can wake another rank; the others only look for messages or wait. */
#define POLLS(name, small, n, n_fortran)							   \
	BINDINGS(CAUSE_WAIT(CAUSE_POLLING), name, small, n, n_fortran)
#define SENDS(name, small, n, n_fortran)							   \
	BINDINGS(cause_message(); CAUSE_WAIT(CAUSE_POLLING), name, small, n, n_fortran)
#define SENDS_AT_ONCE(name, small, n, n_fortran)						   \
	BINDINGS(cause_message(), name, small, n, n_fortran)

/* MPI_Init and MPI_Finalize: requests inside them belong to the MPI library. */
#define WHOLE(how, name, n)									   \
	MPI_HOOK(name, n)									   \
	EXPORT word name(PARAMETERS_##n)							   \
	{											   \
		__typeof__(&name) real = MPI_REAL(name);					\
		word got = MPI_ERROR_OTHER;							   \
		if (real) {									   \
			CAUSE_WAIT(how);							   \
			cause_of_library = true;						   \
			got = real(ARGUMENTS_##n);						   \
			cause_of_library = false;						   \
		}										   \
		cause_phase_end();								   \
		return got;									   \
	}
WHOLE(CAUSE_STARTING, MPI_Init, 2)
WHOLE(CAUSE_STARTING, MPI_Init_thread, 4)
WHOLE(CAUSE_STARTING, mpi_init_, 1)
WHOLE(CAUSE_STARTING, mpi_init_thread_, 3)
WHOLE(CAUSE_STARTING, mpi_init_f08_, 1)
WHOLE(CAUSE_STARTING, mpi_init_thread_f08_, 3)
WHOLE(CAUSE_POLLING, MPI_Finalize, 0)
WHOLE(CAUSE_POLLING, mpi_finalize_, 1)
WHOLE(CAUSE_POLLING, mpi_finalize_f08_, 1)

/* point-to-point communication */
POLLS(Recv, recv, 7, 8)
POLLS(Mrecv, mrecv, 5, 6)
SENDS(Send, send, 6, 7)
SENDS(Ssend, ssend, 6, 7)
SENDS(Rsend, rsend, 6, 7)
SENDS(Bsend, bsend, 6, 7)
SENDS(Sendrecv, sendrecv, 12, 13)
SENDS(Sendrecv_replace, sendrecv_replace, 9, 10)
POLLS(Probe, probe, 4, 5)
POLLS(Mprobe, mprobe, 5, 6)
POLLS(Iprobe, iprobe, 5, 6)
POLLS(Improbe, improbe, 6, 7)
POLLS(Wait, wait, 2, 3)
POLLS(Waitall, waitall, 3, 4)
POLLS(Waitany, waitany, 4, 5)
POLLS(Waitsome, waitsome, 5, 6)
POLLS(Test, test, 3, 4)
POLLS(Testall, testall, 4, 5)
POLLS(Testany, testany, 5, 6)
POLLS(Testsome, testsome, 5, 6)
POLLS(Buffer_detach, buffer_detach, 2, 3)
POLLS(Request_get_status, request_get_status, 3, 4)

SENDS_AT_ONCE(Isend, isend, 7, 8)
SENDS_AT_ONCE(Issend, issend, 7, 8)
SENDS_AT_ONCE(Irsend, irsend, 7, 8)
SENDS_AT_ONCE(Ibsend, ibsend, 7, 8)
SENDS_AT_ONCE(Start, start, 1, 2)
SENDS_AT_ONCE(Startall, startall, 2, 3)

/* collective communication */
SENDS_AT_ONCE(Ibarrier, ibarrier, 2, 3)
SENDS_AT_ONCE(Ibcast, ibcast, 6, 7)
SENDS_AT_ONCE(Ireduce, ireduce, 8, 9)
SENDS_AT_ONCE(Iallreduce, iallreduce, 7, 8)
SENDS_AT_ONCE(Ireduce_scatter, ireduce_scatter, 7, 8)
SENDS_AT_ONCE(Ireduce_scatter_block, ireduce_scatter_block, 7, 8)
SENDS_AT_ONCE(Iscan, iscan, 7, 8)
SENDS_AT_ONCE(Iexscan, iexscan, 7, 8)
SENDS_AT_ONCE(Igather, igather, 9, 10)
SENDS_AT_ONCE(Igatherv, igatherv, 10, 11)
SENDS_AT_ONCE(Iscatter, iscatter, 9, 10)
SENDS_AT_ONCE(Iscatterv, iscatterv, 10, 11)
SENDS_AT_ONCE(Iallgather, iallgather, 8, 9)
SENDS_AT_ONCE(Iallgatherv, iallgatherv, 9, 10)
SENDS_AT_ONCE(Ialltoall, ialltoall, 8, 9)
SENDS_AT_ONCE(Ialltoallv, ialltoallv, 10, 11)
SENDS_AT_ONCE(Ialltoallw, ialltoallw, 10, 11)
SENDS_AT_ONCE(Ineighbor_allgather, ineighbor_allgather, 8, 9)
SENDS_AT_ONCE(Ineighbor_allgatherv, ineighbor_allgatherv, 9, 10)
SENDS_AT_ONCE(Ineighbor_alltoall, ineighbor_alltoall, 8, 9)
SENDS_AT_ONCE(Ineighbor_alltoallv, ineighbor_alltoallv, 10, 11)
SENDS_AT_ONCE(Ineighbor_alltoallw, ineighbor_alltoallw, 10, 11)
SENDS(Barrier, barrier, 1, 2)
SENDS(Bcast, bcast, 5, 6)
SENDS(Reduce, reduce, 7, 8)
SENDS(Allreduce, allreduce, 6, 7)
SENDS(Reduce_scatter, reduce_scatter, 6, 7)
SENDS(Reduce_scatter_block, reduce_scatter_block, 6, 7)
SENDS(Scan, scan, 6, 7)
SENDS(Exscan, exscan, 6, 7)
SENDS(Gather, gather, 8, 9)
SENDS(Gatherv, gatherv, 9, 10)
SENDS(Scatter, scatter, 8, 9)
SENDS(Scatterv, scatterv, 9, 10)
SENDS(Allgather, allgather, 7, 8)
SENDS(Allgatherv, allgatherv, 8, 9)
SENDS(Alltoall, alltoall, 7, 8)
SENDS(Alltoallv, alltoallv, 9, 10)
SENDS(Alltoallw, alltoallw, 9, 10)
SENDS(Neighbor_allgather, neighbor_allgather, 7, 8)
SENDS(Neighbor_allgatherv, neighbor_allgatherv, 8, 9)
SENDS(Neighbor_alltoall, neighbor_alltoall, 7, 8)
SENDS(Neighbor_alltoallv, neighbor_alltoallv, 9, 10)
SENDS(Neighbor_alltoallw, neighbor_alltoallw, 9, 10)

/* communicators and processes */
SENDS(Comm_dup, comm_dup, 2, 3)
SENDS(Comm_split, comm_split, 4, 5)
SENDS(Comm_split_type, comm_split_type, 5, 6)
SENDS(Comm_create, comm_create, 3, 4)
SENDS(Comm_create_group, comm_create_group, 4, 5)
POLLS(Comm_free, comm_free, 1, 2)
SENDS(Cart_create, cart_create, 6, 7)
SENDS(Cart_sub, cart_sub, 3, 4)
SENDS(Graph_create, graph_create, 6, 7)
SENDS(Dist_graph_create, dist_graph_create, 9, 10)
SENDS(Dist_graph_create_adjacent, dist_graph_create_adjacent, 10, 11)
SENDS(Intercomm_create, intercomm_create, 6, 7)
SENDS(Intercomm_merge, intercomm_merge, 3, 4)
SENDS(Comm_accept, comm_accept, 5, 7)
SENDS(Comm_connect, comm_connect, 5, 7)
SENDS(Comm_join, comm_join, 2, 3)
SENDS(Comm_spawn, comm_spawn, 8, 11)
SENDS(Comm_spawn_multiple, comm_spawn_multiple, 9, 12)
SENDS(Comm_disconnect, comm_disconnect, 1, 2)

/* one-sided communication */
SENDS(Win_create, win_create, 6, 7)
SENDS(Win_create_dynamic, win_create_dynamic, 3, 4)
SENDS(Win_allocate, win_allocate, 6, 7)
SENDS(Win_allocate_shared, win_allocate_shared, 6, 7)
SENDS(Win_fence, win_fence, 2, 3)
SENDS(Win_lock, win_lock, 4, 5)
SENDS(Win_lock_all, win_lock_all, 2, 3)
SENDS(Win_unlock, win_unlock, 2, 3)
SENDS(Win_unlock_all, win_unlock_all, 1, 2)
SENDS(Win_flush, win_flush, 2, 3)
SENDS(Win_flush_all, win_flush_all, 1, 2)
SENDS(Win_flush_local, win_flush_local, 2, 3)
SENDS(Win_flush_local_all, win_flush_local_all, 1, 2)
SENDS(Win_start, win_start, 3, 4)
SENDS(Win_complete, win_complete, 1, 2)
SENDS(Win_post, win_post, 3, 4)
SENDS(Win_wait, win_wait, 1, 2)
POLLS(Win_test, win_test, 2, 3)
SENDS(Win_free, win_free, 1, 2)

/* files: reads and writes are requests; other calls wait for other ranks */
SENDS(File_open, file_open, 5, 7)
SENDS(File_close, file_close, 1, 2)
SENDS(File_set_view, file_set_view, 6, 7)
SENDS(File_set_size, file_set_size, 2, 3)
SENDS(File_preallocate, file_preallocate, 2, 3)
SENDS(File_sync, file_sync, 1, 2)
SENDS(File_set_atomicity, file_set_atomicity, 2, 3)
SENDS(File_seek_shared, file_seek_shared, 3, 4)
SENDS(File_read_all, file_read_all, 5, 6)
SENDS(File_write_all, file_write_all, 5, 6)
SENDS(File_read_at_all, file_read_at_all, 6, 7)
SENDS(File_read_all_begin, file_read_all_begin, 4, 5)
SENDS(File_read_all_end, file_read_all_end, 3, 4)
SENDS(File_read_at_all_begin, file_read_at_all_begin, 5, 6)
SENDS(File_read_at_all_end, file_read_at_all_end, 3, 4)
SENDS(File_read_ordered_begin, file_read_ordered_begin, 4, 5)
SENDS(File_read_ordered_end, file_read_ordered_end, 3, 4)
SENDS(File_write_at_all, file_write_at_all, 6, 7)
SENDS(File_write_all_begin, file_write_all_begin, 4, 5)
SENDS(File_write_all_end, file_write_all_end, 3, 4)
SENDS(File_write_at_all_begin, file_write_at_all_begin, 5, 6)
SENDS(File_write_at_all_end, file_write_at_all_end, 3, 4)
SENDS(File_write_ordered_begin, file_write_ordered_begin, 4, 5)
SENDS(File_write_ordered_end, file_write_ordered_end, 3, 4)
SENDS(File_read_ordered, file_read_ordered, 5, 6)
SENDS(File_write_ordered, file_write_ordered, 5, 6)
SENDS(File_read_shared, file_read_shared, 5, 6)
SENDS(File_write_shared, file_write_shared, 5, 6)
