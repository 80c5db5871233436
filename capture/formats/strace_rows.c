/* SPDX-License-Identifier: GPL-3.0-or-later */
/* System calls that strace prints with other names or arguments than the kernel's table. The reader
 * and the writer use both tables. doc/formats/strace.md. */
#include "capture/formats/strace_private.h"

const struct syscall_row strace_rows[] = {
    {"preadv2", -1, OP_PREADV2, "fi_ov", 0, 0},
    {"pwritev2", -1, OP_PWRITEV2, "fi_ov", 0, 0},
    {"statx", -1, OP_STATX, "DpA_", 0, 0},
    {"readlink", -1, OP_READLINK, "pYs", 0, 0},
    {"readlinkat", -1, OP_READLINK, "DpYs", 0, 0},
    {"mknod", -1, OP_MKNOD, "pm", 0, 0},
    {"mknodat", -1, OP_MKNOD, "Dpm", 0, 0},
    {"fanotify_init", -1, 0, "O", SYSCALL_DESCRIPTOR, 0},
    {"perf_event_open", -1, 0, "____O", SYSCALL_DESCRIPTOR, 0},
    {"userfaultfd", -1, 0, "O", SYSCALL_DESCRIPTOR, 0},
    {"memfd_secret", -1, 0, "O", SYSCALL_DESCRIPTOR, 0},
    {"clone", -1, 0, "", SYSCALL_CLONE, 0},
    {"clone3", -1, 0, "", SYSCALL_CLONE, 0},
    {"fork", -1, 0, "", SYSCALL_CLONE, 0},
    {"vfork", -1, 0, "", SYSCALL_CLONE, 0},
    {"execve", -1, 0, "", SYSCALL_EXEC, 0},
    {"execveat", -1, 0, "", SYSCALL_EXEC, 0},
    {"getcwd", -1, 0, "", SYSCALL_GETCWD, 0},
    {"wait4", -1, 0, "", SYSCALL_WAIT, 0},
    {"waitid", -1, 0, "", SYSCALL_WAIT, 0},
    {"waitpid", -1, 0, "", SYSCALL_WAIT, 0},
    {"futex", -1, 0, "", SYSCALL_FUTEX, 0},
    {NULL, 0, 0, NULL, 0, 0},
};

const struct syscall_row *strace_call_find(const char *name, size_t len)
{
	for (const struct syscall_row *row = strace_rows; row->name; row++)
		if (strlen(row->name) == len && !memcmp(row->name, name, len))
			return row;
	return syscall_row_of_name(name, len);
}

const char *strace_call_name(const struct syscall_row *row)
{
	const bool is_new = !strncmp(row->name, "new", 3) && strcmp(row->name, "newfstatat");
	return is_new ? row->name + 3 : !strcmp(row->name, "sendfile64") ? "sendfile" : row->name;
}
