/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The open files and mappings of processes before the first event, from /proc. */

#include "capture/kernel/vfs_private.h"
#include "common/proc_text.h"

#define CHILDREN_MAX 65536

/* --- threads ------------------------------------------------------------- */

static bool thread_known(const struct vfs_threads *t, int32_t tid)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->tid[i] == tid)
			return true;
	return false;
}

/* Adds the children of a thread, from /proc. */
static void children_add(struct vfs_threads *to, int32_t pid, int32_t tid)
{
	char path[80];
	int32_t child;
	snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, tid);
	SCOPED_FILE FILE *f = fopen(path, "re");
	while (f && fscanf(f, "%" SCNd32, &child) == 1) {
		GROW(to->tid, to->n, to->cap);
		to->tid[to->n++] = child;
	}
}

/* Adds the threads of a process, and its children to `next`. */
static bool process_add(struct vfs_threads *t, struct vfs_threads *next, int32_t pid)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	SCOPED_DIR DIR *d = opendir(path);
	const struct dirent *entry;
	while (d && (entry = readdir(d))) {
		int32_t tid = (int32_t)strtol(entry->d_name, NULL, 10);
		if (tid <= 0)
			continue;
		if (!thread_known(t, tid)) {
			GROW(t->tid, t->n, t->cap);
			t->tid[t->n++] = tid;
		}
		children_add(next, pid, tid);
	}
	return d != NULL;
}

int vfs_threads_of(struct vfs_threads *t, int32_t pid, struct err *e)
{
	struct vfs_threads next = {0};
	if (!process_add(t, &next, pid)) {
		free(next.tid);
		return err_set(e, ESRCH, "there is no process %d", pid);
	}
	for (size_t i = 0; i < next.n && i < CHILDREN_MAX; i++)
		process_add(t, &next, next.tid[i]);
	free(next.tid);
	return 0;
}

/* The descriptor in the first argument of the thread's current call. SYSCALLS_ANY_FD: the thread is
 * running, or the call is unknown. */
static int fd_under_way(int32_t tid)
{
	char path[40];
	int64_t number;
	uint64_t argument;
	int fd = SYSCALLS_ANY_FD;
	snprintf(path, sizeof path, "/proc/%d/syscall", tid);
	SCOPED_FILE FILE *f = fopen(path, "re");
	if (f && fscanf(f, "%" SCNd64 " %" SCNx64, &number, &argument) == 2 &&
	    argument <= INT32_MAX)
		fd = (int)argument;
	return fd;
}

/* --- descriptors and mappings -------------------------------------------- */

static bool link_read(const char *path, char *to, size_t size)
{
	ssize_t n = readlink(path, to, size - 1);
	to[n > 0 ? n : 0] = 0;
	return n > 0;
}

/* Position and flags of a descriptor, and an instant at which they were valid: it is between two
 * equal readings. OFFSET_NONE: the position was different at every reading. */
static uint64_t fdinfo_read(int32_t pid, int fd, uint32_t *flags, int64_t *as_of_ns)
{
	char path[80], text[1024];
	uint64_t position = OFFSET_NONE, before = UINT64_MAX;
	snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", pid, fd);
	*flags = 0;
	*as_of_ns = clock_monotonic_ns();
	for (int i = 0; i < 64; i++) {
		if (!proc_text_read(path, text, sizeof text))
			return 0;
		position = proc_text_number(text, "pos:", 10);
		*flags = (uint32_t)proc_text_number(text, "flags:", 8);
		if (position == before)
			break;
		before = position;
		position = OFFSET_NONE;
		*as_of_ns = clock_monotonic_ns();
	}
	return position;
}

static void descriptors_take(struct syscalls *c, int32_t pid)
{
	char path[300], target[PATH_MAX];
	snprintf(path, sizeof path, "/proc/%d/fd", pid);
	SCOPED_DIR DIR *d = opendir(path);
	const struct dirent *entry;
	while (d && (entry = readdir(d))) {
		int fd = (int)strtol(entry->d_name, NULL, 10);
		uint32_t flags;
		int64_t as_of_ns;
		snprintf(path, sizeof path, "/proc/%d/fd/%s", pid, entry->d_name);
		if (entry->d_name[0] == '.' || (fd == dirfd(d) && pid == getpid()) ||
		    !link_read(path, target, sizeof target))
			continue;
		const uint64_t position = fdinfo_read(pid, fd, &flags, &as_of_ns);
		syscalls_descriptor(c, (uint32_t)pid, fd, target, flags, position, as_of_ns);
		syscalls_identify(c, target, NULL);
	}
}

static void mappings_take(struct syscalls *c, int32_t pid)
{
	char path[40], *line = NULL;
	size_t size = 0;
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	SCOPED_FILE FILE *f = fopen(path, "re");
	while (f && getline(&line, &size, f) > 0) {
		uint64_t from, to, offset;
		int at = 0;
		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n", &from, &to,
			   &offset, &at) < 3 ||
		    line[at] != '/')
			continue;
		syscalls_mapping(c, (uint32_t)pid, from, to, offset, line + at);
		syscalls_identify(c, line + at, NULL);
	}
	free(line);
}

/* `umask`: UINT32_MAX if unknown. */
static uint32_t process_of(int32_t tid, uint32_t *parent, uint32_t *umask)
{
	char path[40], line[256];
	uint32_t pid = 0;
	*parent = 0;
	*umask = UINT32_MAX;
	snprintf(path, sizeof path, "/proc/%d/status", tid);
	SCOPED_FILE FILE *f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) /* the lines have this order */
		if (sscanf(line, "Umask: %" SCNo32, umask) != 1 &&
		    sscanf(line, "Tgid: %" SCNu32, &pid) != 1 &&
		    sscanf(line, "PPid: %" SCNu32, parent) == 1)
			break;
	return pid;
}

void vfs_state_take(struct syscalls *c, struct processes *processes, const struct vfs_threads *t,
		    bool hidden)
{
	/* leads[n]: the first thread of its process */
	SCOPED_FREE bool *leads = xcalloc(t->n + 1, sizeof *leads);
	for (size_t i = 0; i < t->n; i++) {
		char path[40], cwd[PATH_MAX];
		uint32_t parent, umask;
		const uint32_t tid = (uint32_t)t->tid[i],
			       pid = process_of(t->tid[i], &parent, &umask);
		snprintf(path, sizeof path, "/proc/%d/cwd", t->tid[i]);
		syscalls_thread(c, tid, pid, link_read(path, cwd, sizeof cwd) ? cwd : NULL, hidden);
		if (umask != UINT32_MAX)
			syscalls_umask(c, tid, umask);
		if (!hidden)
			syscalls_under_way(c, tid, fd_under_way(t->tid[i]));
		leads[i] = pid == tid;
		if (leads[i] && !hidden)
			processes_see(processes, pid, thread_known(t, (int32_t)parent) ? parent : 0,
				      0);
	}
	for (size_t i = 0; i < t->n; i++) {
		if (!leads[i])
			continue;
		descriptors_take(c, t->tid[i]);
		if (!hidden)
			mappings_take(c, t->tid[i]);
	}
}

/* --- programs ------------------------------------------------------------ */

/* Finds the loader that an ELF program names. */
static bool loader_of(int fd, char *to, size_t size)
{
	Elf64_Phdr part;
	if (elf_loader(fd, &part) != 1)
		return false;
	const size_t n = part.p_filesz < size - 1 ? (size_t)part.p_filesz : size - 1;
	to[n] = 0;
	return pread(fd, to, n, (off_t)part.p_offset) == (ssize_t)n && to[0] == '/';
}

/* "#!/bin/sh -e" */
static bool interpreter_of(int fd, char *to, size_t size)
{
	ssize_t n = pread(fd, to, size - 1, 0);
	to[n > 0 ? n : 0] = 0;
	if (n < 3 || to[0] != '#' || to[1] != '!')
		return false;
	char *name = to + 2 + strspn(to + 2, " \t");
	name[strcspn(name, " \t\n")] = 0;
	memmove(to, name, strlen(name) + 1);
	return to[0] == '/';
}

/* Whether it is a 32-bit program: its calls have no tracepoints. */
static bool is_32_bit(int fd)
{
	unsigned char head[EI_CLASS + 1];
	return pread(fd, head, sizeof head, 0) == sizeof head && !memcmp(head, ELFMAG, SELFMAG) &&
	       head[EI_CLASS] == ELFCLASS32;
}

int vfs_program_identify(struct syscalls *c, const char *path, struct err *e)
{
	char next[PATH_MAX], name[PATH_MAX];
	int ret = 0;
	snprintf(name, sizeof name, "%s", path);
	for (int depth = 0; depth < 4 && !ret; depth++) {
		int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		if (fd < 0)
			return 0;
		ret = syscalls_identify(c, name, e);
		if (is_32_bit(fd))
			syscalls_program_unseen(c);
		const bool more =
		    loader_of(fd, next, sizeof next) || interpreter_of(fd, next, sizeof next);
		close(fd);
		if (!more)
			break;
		memcpy(name, next, sizeof name);
	}
	return ret;
}
