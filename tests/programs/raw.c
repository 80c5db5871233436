/* SPDX-License-Identifier: GPL-3.0-or-later */
/* raw WAY [LIBRARY]: makes system calls without the C library.
 *
 *	files		reads a file by instructions of its own
 *	loaded		loads LIBRARY, which is this file compiled as a library, and calls it
 *	ring		calls io_uring_enter on an invalid descriptor, through syscall(3)
 *	nothing		makes none of these calls
 *
 * Compiled with -DHARMLESS, it has only bytes that are not system call instructions, or calls that
 * are not on files. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALL(number)                                                                                                   \
	({                                                                                                             \
		long got_;                                                                                             \
		__asm__ volatile("syscall" : "=a"(got_) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory"); \
		got_;                                                                                                  \
	})

int raw_run(void);

#ifdef HARMLESS
static long futex(long a, long b, long c)
{
	return CALL(SYS_futex);
}

/* The bytes of the instruction inside two other instructions. */
int raw_run(void)
{
	unsigned int a, b;
	__asm__ volatile("movl $0x050f050f, %0\n\tmovl $0, %%eax\n\tmovl $0x0f050000, %1"
			 : "=r"(a), "=r"(b)
			 :
			 : "eax");
	return futex(0, 1, 0) == 12345 || a == b;
}
#else
static long open_raw(long a, long b, long c)
{
	return CALL(SYS_open);
}

static long read_raw(long a, long b, long c)
{
	return CALL(SYS_read);
}

int raw_run(void)
{
	char buffer[100];
	long fd = open_raw((long)"/proc/self/stat", 0, 0);
	for (int i = 0; i < 50; i++)
		if (fd < 0 || read_raw(fd, (long)buffer, 1) != 1)
			return 1;
	return 0;
}
#endif

int main(int argc, char **argv)
{
	const char *way = argc > 1 ? argv[1] : "files";
	if (!strcmp(way, "files"))
		return raw_run();
	if (!strcmp(way, "loaded")) {
		void *at = dlopen(argv[2], RTLD_NOW);
		int (*run)(void) = at ? (int (*)(void))dlsym(at, "raw_run") : NULL;
		return !run || run();
	}
	if (!strcmp(way, "ring"))
		return syscall(SYS_io_uring_enter, 999, 1, 0, 0, NULL, 0) != -1;
	return 0;
}
