/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "capture/kernel/vfs_private.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "capture/kernel/snapshot_private.h"
#include "common/descriptor_pass.h"

#if defined(__x86_64__)
#define OUR_CALLS AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_CALLS AUDIT_ARCH_AARCH64
#else
#define OUR_CALLS 0
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

enum { FILTER_MAX = 200 };

struct snapshot {
	int channel, file;
	struct sock_filter filter[FILTER_MAX];
	unsigned short n_filter;
	unsigned char *data;
	uint64_t n_bytes;
	const struct snapshot_record **order; /* order[n], sorted by time */
	size_t n, at;
	uint64_t n_unseen;
	struct log_record l;
};

/* --- the filter ---------------------------------------------------------- */

/* Makes the filter from architecture and call number: calls in the list wait, all other calls are
 * allowed. */
static void filter_make(struct snapshot *s)
{
	uint32_t number[FILTER_MAX - 5];
	unsigned int n = 0, at = 0;
	for (const struct syscall_row *row = syscall_rows; row->name; row++)
		if (row->number >= 0 && row->kind == SYSCALL_REQUEST &&
		    (strpbrk(row->args, "pP") || row->op == OP_GETDENTS) && n < FILTER_MAX - 5)
			number[n++] = (uint32_t)row->number;
	s->filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						       offsetof(struct seccomp_data, arch));
	s->filter[at++] =
	    (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_CALLS, 0, (uint8_t)(n + 1));
	s->filter[at++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						       offsetof(struct seccomp_data, nr));
	for (unsigned int i = 0; i < n; i++)
		s->filter[at++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number[i],
							       (uint8_t)(n - i), 0);
	s->filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	s->filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
	s->n_filter = (unsigned short)at;
}

int snapshot_install(void *snapshot)
{
	const struct snapshot *s = snapshot;
	/* only a fatal signal should end the wait; kernels before 5.19 do not have this flag */
	const struct sock_fprog program = {s->n_filter, (struct sock_filter *)(uintptr_t)s->filter};
	const unsigned long flags[] = {SECCOMP_FILTER_FLAG_NEW_LISTENER |
					   SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
				       SECCOMP_FILTER_FLAG_NEW_LISTENER};
	long got = -1;
	for (size_t i = 0; i < 2 && got < 0; i++)
		got = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags[i], &program);
	const int listener = (int)got;
	char answer;
	if (listener < 0)
		return errno;
	int code = descriptor_send(s->channel, 0, listener);
	close(listener);
	return code ? code : read(s->channel, &answer, 1) == 1 ? 0 : ECHILD;
}

/* --- starting and stopping ----------------------------------------------- */

/* Starts the inspecting process as a grandchild, so that init reaps it. */
static int looker_start(const struct snapshot *s, int channel, struct err *e)
{
	int status = 0;
	const pid_t pid = fork();
	if (pid == 0) {
		const pid_t looker = fork();
		if (looker == 0)
			snapshot_look(channel, s->file);
		_exit(looker < 0);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return err_sys(e, pid < 0 ? errno : EAGAIN,
			       "cannot start the process that reads files for --snapshot");
	return 0;
}

int snapshot_open(struct snapshot **out, const char *scratch, struct err *e)
{
	int pair[2] = {-1, -1};
	*out = NULL;
	if (!OUR_CALLS)
		return err_set(e, ENOTSUP,
			"--snapshot: the system call numbers of this CPU architecture are unknown");
	struct snapshot *s = xcalloc(1, sizeof *s);
	s->channel = -1;
	filter_make(s);
	s->file = tracing_scratch_file(scratch, e);
	int ret = s->file < 0 ? s->file : 0;
	if (!ret && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		ret = err_sys(e, errno, "cannot create a socket for --snapshot");
	s->channel = pair[0];
	ret = ret ? ret : looker_start(s, pair[1], e);
	fd_close(pair[1]);
	if (ret)
		snapshot_close(s);
	else
		*out = s;
	return ret;
}

static int by_time(const void *pa, const void *pb)
{
	const struct snapshot_record *const *a = pa, *const *b = pb;
	return (*a)->ns != (*b)->ns ? ((*a)->ns < (*b)->ns ? -1 : 1) : *a < *b ? -1 : *a > *b;
}

int snapshot_stop(struct snapshot *s, struct err *e)
{
	struct stat st;
	size_t cap = 0;
	close(s->channel); /* this ends the inspections */
	s->channel = -1;
	if (fstat(s->file, &st) < 0)
		return err_sys(e, errno, "--snapshot: cannot read the recorded states of files");
	if (!st.st_size)
		return 0;
	s->n_bytes = (uint64_t)st.st_size;
	s->data = mmap(NULL, s->n_bytes, PROT_READ, MAP_SHARED, s->file, 0);
	if (s->data == MAP_FAILED) {
		s->data = NULL;
		return err_sys(e, errno, "--snapshot: cannot read the recorded states of files");
	}
	for (uint64_t at = 0; at + sizeof(struct snapshot_record) <= s->n_bytes;) {
		const struct snapshot_record *r = (const void *)(s->data + at);
		at += (sizeof *r + r->path_len + r->extra_len + 7) & ~(size_t)7;
		if (at > s->n_bytes)
			break;
		s->n_unseen += r->unseen;
		if (r->unseen)
			continue;
		GROW(s->order, s->n, cap);
		s->order[s->n++] = r;
	}
	if (s->n)
		qsort(s->order, s->n, sizeof *s->order, by_time);
	return 0;
}

void snapshot_close(struct snapshot *s)
{
	if (!s)
		return;
	fd_close(s->channel);
	fd_close(s->file);
	if (s->data)
		munmap(s->data, s->n_bytes);
	FREE_EACH(s->order, s);
}

/* --- recorded states ----------------------------------------------------- */

bool snapshot_next(struct snapshot *s, int64_t until_ns, struct merge_record *m)
{
	if (s->at == s->n || s->order[s->at]->ns > until_ns)
		return false;
	const struct snapshot_record *r = s->order[s->at++];
	const char *text = (const char *)(r + 1);
	s->l = (struct log_record){.begin = (uint64_t)r->ns,
				   .end = (uint64_t)r->ns,
				   .op = LOG_STATE_OF,
				   .flags = r->mode,
				   .length = r->size,
				   .offset = r->inode,
				   .result = (int64_t)r->device,
				   .fd = (int32_t)r->what,
				   .dir = r->dir};
	*m = (struct merge_record){.r = &s->l,
				   .pid = r->tid,
				   .tid = r->tid,
				   .path = text,
				   .path_len = r->path_len,
				   .extra = text + r->path_len,
				   .extra_len = r->extra_len};
	return true;
}

uint64_t snapshot_n_unseen(const struct snapshot *s)
{
	return s->n_unseen;
}
