/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of a new process image or a forked child: parent, working directory, program and
 * descriptors. They are read from /proc by raw system calls into memory that is mapped for it. */
#include <link.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "capture/op.h"
#include "capture/preload/core.h"

struct dirent_head { /* layout of getdents64(2) */
	uint64_t inode;
	int64_t offset;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* Buffers in mapped memory, because a child may run on a small stack. */
struct process_room {
	char cwd[4097], program[4097], target[4097], info[512];
	char list[2048] __attribute__((aligned(8)));
};

static char *path_of(char *to, const char *dir, const char *name)
{
	char *p = to;
	while (*dir)
		*p++ = *dir++;
	while (*name && p < to + 60)
		*p++ = *name++;
	*p = 0;
	return to;
}

static long read_link(const char *path, char *to, size_t size)
{
	long len = RAW(SYS_readlinkat, AT_FDCWD, path, to, size - 1);
	to[len > 0 ? len : 0] = 0;
	return len;
}

static uint64_t number_after(const char *text, const char *label, unsigned int base)
{
	const char *s = strstr(text, label);
	uint64_t v = 0;
	if (!s)
		return 0;
	for (s += strlen(label); *s == ' ' || *s == '\t'; s++)
		;
	for (; *s >= '0' && *s <= '9'; s++)
		v = v * base + (uint64_t)(*s - '0');
	return v;
}

static void descriptor_note(struct process_room *m, const char *name, uint16_t op)
{
	char path[80], *target = m->target, *info = m->info;
	uint64_t now = clock_now(&capture_clock), got = 0;
	if (read_link(path_of(path, "/proc/self/fd/", name), target, sizeof m->target) < 0)
		return;
	info[0] = 0;
	long fd = RAW(SYS_openat, AT_FDCWD, path_of(path, "/proc/self/fdinfo/", name),
		      O_RDONLY | O_CLOEXEC, 0);
	if (fd >= 0) {
		long len = RAW(SYS_read, fd, info, sizeof m->info - 1);
		info[len > 0 ? len : 0] = 0;
		RAW(SYS_close, fd);
	}
	uint64_t begin = now, end = now;
	struct stat st = {.st_mode = 0};
	RAW(SYS_newfstatat, AT_FDCWD, path_of(path, "/proc/self/fd/", name), &st, 0);
	if (op == LOG_DESCRIPTOR && S_ISREG(st.st_mode) && st.st_nlink)
		capture_look(AT_FDCWD, target); /* the sender may not be captured */
	NOTE(.op = op, .fd = (int32_t)number_after(name, "", 10), .path = target,
	     .length = st.st_mode, .flags = (uint32_t)number_after(info, "flags:", 8),
	     .offset = number_after(info, "pos:", 10));
}

/* Returns 0, or a negative errno if the descriptors cannot be listed. */
static long descriptors_note(struct process_room *m)
{
	char *buffer = m->list;
	long len, list = RAW(SYS_openat, AT_FDCWD, "/proc/self/fd",
			     O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (list < 0)
		return list;
	while ((len = RAW(SYS_getdents64, list, buffer, sizeof m->list)) > 0)
		for (long at = 0; at < len; at += ((struct dirent_head *)(buffer + at))->len) {
			const char *name = ((struct dirent_head *)(buffer + at))->name;
			if (name[0] != '.' && (long)number_after(name, "", 10) != list)
				descriptor_note(m, name, LOG_FD);
		}
	RAW(SYS_close, list);
	return len;
}

/* Reads the umask from the line "Umask:", the second line of /proc/self/status (Linux 4.7). A
 * forked child inherits the value, and umask(2) has a hook. */
uint32_t capture_umask;

static void umask_read(struct process_room *m)
{
	const long fd = RAW(SYS_openat, AT_FDCWD, "/proc/self/status", O_RDONLY | O_CLOEXEC, 0);
	if (fd < 0)
		return;
	const long len = RAW(SYS_read, fd, m->info, sizeof m->info - 1);
	RAW(SYS_close, fd);
	m->info[len > 0 ? len : 0] = 0;
	if (strstr(m->info, "\nUmask:"))
		capture_umask = OP_UMASK_KNOWN | (uint32_t)number_after(m->info, "\nUmask:", 8);
}

static void start_note(struct process_room *m, uint32_t pid)
{
	if (!capture_umask)
		umask_read(m);
	uint64_t begin = clock_now(&capture_clock), end = begin;
	int64_t got = RAW(SYS_getppid);
	if (RAW(SYS_getcwd, m->cwd, sizeof m->cwd) < 0)
		m->cwd[0] = 0;
	read_link("/proc/self/exe", m->program, sizeof m->program);
	NOTE(.op = LOG_START, .fd = (int32_t)pid, .path = m->cwd, .extra = m->program,
	     .extra_len = strlen(m->program));
	long ret = descriptors_note(m);
	begin = end = clock_now(&capture_clock);
	got = 0;
	NOTE(.op = LOG_FDS_END, .flags = ret < 0);
}

void process_announce(uint32_t pid)
{
	struct process_room *m = capture_map(-1, sizeof *m, MAP_PRIVATE | MAP_ANONYMOUS);
	if (!m) {
		capture_lost();
		return;
	}
	start_note(m, pid);
	RAW(SYS_munmap, m, sizeof *m);
}

void process_descriptor_note(int fd)
{
	char name[24] = "";
	struct process_room *m =
	    fd < 0 ? NULL : capture_map(-1, sizeof *m, MAP_PRIVATE | MAP_ANONYMOUS);
	if (!m)
		return;
	capture_number_add(name, name + sizeof name - 1, (uint64_t)fd);
	descriptor_note(m, name, LOG_DESCRIPTOR);
	RAW(SYS_munmap, m, sizeof *m);
}

/* --- loaded objects ------------------------------------------------------- */

struct process_listing {
	unsigned long long n, n_noted; /* objects in load order */
};

static int object_note(struct dl_phdr_info *object, size_t size, void *arg)
{
	struct process_listing *l = arg;
	char program[4097];
	const char *name = object->dlpi_name;
	(void)size;
	if (l->n++ < l->n_noted)
		return 0;
	if (l->n == 1) { /* the list contains no name for the program itself */
		if (read_link("/proc/self/exe", program, sizeof program) <= 0)
			return 0;
		name = program;
	}
	uint64_t begin = clock_now(&capture_clock), end = begin;
	if (name && strchr(name, '/')) /* the vDSO has no path */
		NOTE_RESULT(0, .op = LOG_OBJECT, .dir = AT_FDCWD, .path = name);
	return 0;
}

/* If an object was unloaded since the last call, the later objects have moved in the list, so one
 * object may be missed. Objects that are loaded and unloaded between two calls are not listed. */
void process_objects_note(void)
{
	/* several threads may load libraries at the same time */
	static _Atomic unsigned long long n_noted;
	struct process_listing l = {0, n_noted};
	dl_iterate_phdr(object_note, &l);
	n_noted = l.n > n_noted ? l.n : n_noted;
}
