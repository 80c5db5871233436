/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes. If a program starts another program without the capture variables in its environment,
 * the hook adds them, so that the new program is traced. A forked child announces itself at once:
 * its descriptors are then listed before it changes them. */
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <wordexp.h>

#include "capture/preload/file_actions.h"
#include "capture/preload/in_line.h"
#include "capture/preload/uring.h"

/* --- environments --------------------------------------------------------- */

#define PRELOAD "LD_PRELOAD="
enum { N_EXTRA = 2, PRELOAD_ROOM = 4096 };

/* The caller's environment with the capture variables added. It is on the stack of the hook,
 * because a vfork child must not allocate memory. */
struct environment {
	char **list; /* the environment that the call gets */
	char preload[PRELOAD_ROOM], directory[640];
};

static bool entry_names(const char *entry, const char *variable)
{
	return !strncmp(entry, variable, strlen(variable));
}

static bool text_join(char *to, size_t room, const char *a, const char *b, const char *c)
{
	size_t la = strlen(a), lb = strlen(b), lc = strlen(c);
	if (la + lb + lc >= room)
		return false;
	memcpy(to, a, la);
	memcpy(to + la, b, lb);
	memcpy(to + la + lb, c, lc + 1);
	return true;
}

static size_t entries_count(char *const *list)
{
	size_t n = 0;
	while (list && list[n])
		n++;
	return n;
}

/* Returns whether `from` has all capture variables. If not, it must be copied to `room`, which has
 * count + N_EXTRA + 1 entries. */
static bool is_whole(char *const *from)
{
	bool preload = false, directory = false;
	for (; from && *from; from++) {
		preload |= entry_names(*from, PRELOAD) && strstr(*from, capture_library);
		directory |= entry_names(*from, LOG_DIR_VARIABLE "=");
	}
	return preload && directory;
}

static void environment_complete(struct environment *e, char *const *from, char **room)
{
	const char *others = "";
	size_t n = 0;
	for (; from && *from; from++) {
		if (entry_names(*from, PRELOAD))
			others = *from + strlen(PRELOAD);
		else if (!entry_names(*from, LOG_DIR_VARIABLE "="))
			room[n++] = *from;
	}
	char library[1100];
	bool ok =
	    text_join(library, sizeof library, PRELOAD, capture_library, *others ? ":" : "") &&
	    text_join(e->preload, sizeof e->preload, library, others, "") &&
	    text_join(e->directory, sizeof e->directory, LOG_DIR_VARIABLE, "=", capture_directory);
	if (ok) {
		room[n++] = e->preload;
		room[n++] = e->directory;
	}
	room[n] = NULL;
	e->list = room;
}

/* Returns whether the list is readable to its end. The kernel reports an error for an unreadable
 * list. */
static bool is_sound(char *const *list)
{
	if (list == environ)
		return true;
	for (; list; list++) {
		if (!capture_readable(list, sizeof *list))
			return false;
		if (!*list)
			break;
		if (capture_text(*list) < 0)
			return false;
	}
	return true;
}

/* Sets `e.list` to `given` with the capture variables. If the list is too long or unreadable, it is
 * passed unchanged. */
#define ENVIRONMENT(given)									   \
	struct environment e;									   \
	bool add_ = capture_is_on() && is_sound(given) && !is_whole(given) &&			   \
		    entries_count(given) < 10000;						   \
	char *room_[add_ ? entries_count(given) + N_EXTRA + 1 : 1];				   \
	e.list = (char **)(uintptr_t)(given);							   \
	if (add_)										   \
		environment_complete(&e, given, room_)

/* The runtime library of -fsanitize=address asks for these options; a definition in the program has
 * priority. Without them, it ends programs that load another library first. */
HOOK(const char *, __asan_default_options, (void), return "verify_asan_link_order=0")

/* --- end of the program --------------------------------------------------- */

void rings_end(void)
{
	const struct recorder *r = capture_state == CAPTURE_ON ? capture_mine() : NULL;
	const int saved = errno;
	/* depth: a vfork child; no thread ID: a child of an unknown kind of fork, which has not
	 * recorded a call */
	if (capture_state != CAPTURE_ON || !capture_owns_process() ||
	    (r && (r->depth || !atomic_load(&r->tid))))
		return;
	uring_mapped_look();
	uring_look();
	aio_rings_look();
	errno = saved;
}

void rings_forked(void)
{
	uring_forked();
	uring_mapped_forked();
	aio_rings_forked();
}

static __attribute__((destructor)) void exit_prepare(void)
{
	rings_end();
}

enum { END_UNDERSCORE, END_CAPITAL, END_QUICK, N_ENDS };
static const char *const end_names[N_ENDS] = {"_exit", "_Exit", "quick_exit"};
static void (*real_end[N_ENDS])(int status);

/* A search for a function can wait for another thread that loads a library. A signal handler may
 * call _exit, and must not wait. */
static __attribute__((constructor)) void ends_find(void)
{
	for (int i = 0; i < N_ENDS; i++)
		real_end[i] = (void (*)(int))capture_real(end_names[i]);
}

#define ENDS(end)                                                                                  \
	rings_end();                                                                               \
	if (!real_end[end]) /* before the constructors */                                          \
		ends_find();                                                                       \
	real_end[end](status);                                                                     \
	__builtin_unreachable()

HOOK(void, _exit, (int status), ENDS(END_UNDERSCORE))
HOOK(void, _Exit, (int status), ENDS(END_CAPITAL))
HOOK(void, quick_exit, (int status), ENDS(END_QUICK))

/* --- exec ----------------------------------------------------------------- */

static void note_exec(const char *path, int64_t got)
{
	uint64_t begin = clock_now(&capture_clock), end = begin;
	cause_exec(got < 0);
	if (!got)
		rings_end();
	if (capture_is_on())
		NOTE(.op = LOG_EXEC, .dir = -100, .path = path);
}

#define EXEC(path, function, ...)								   \
	if (capture_is_on() && capture_text(path) < 0)						   \
		return REAL(function)(__VA_ARGS__);						   \
	note_exec(path, 0);									   \
	int got = REAL(function)(__VA_ARGS__);							   \
	note_exec(path, got);									   \
	return got

#pragma GCC diagnostic ignored "-Wvla"

HOOK(int, execve, (const char *path, char *const argv[], char *const envp[]),
     ENVIRONMENT(envp); EXEC(path, execve, path, argv, e.list))
HOOK(int, execv, (const char *path, char *const argv[]),
     ENVIRONMENT(environ); EXEC(path, execve, path, argv, e.list))
HOOK(int, execvpe, (const char *file, char *const argv[], char *const envp[]),
     ENVIRONMENT(envp); EXEC(file, execvpe, file, argv, e.list))
HOOK(int, execvp, (const char *file, char *const argv[]),
     ENVIRONMENT(environ); EXEC(file, execvpe, file, argv, e.list))
HOOK(int, fexecve, (int fd, char *const argv[], char *const envp[]),
     ENVIRONMENT(envp); EXEC("(descriptor)", fexecve, fd, argv, e.list))
HOOK(int, execveat, (int dir, const char *path, char *const argv[], char *const envp[], int flags),
     ENVIRONMENT(envp); EXEC(path, execveat, dir, path, argv, e.list, flags))

/* Copies the arguments of execl and its variants to an array on the stack. */
static size_t arguments_count(va_list ap)
{
	size_t n = 1;
	while (va_arg(ap, char *))
		n++;
	return n;
}

#define ARGUMENTS(first)									   \
	va_list ap;										   \
	va_start(ap, first);									   \
	size_t n = arguments_count(ap);								   \
	va_end(ap);										   \
	char *argv[n + 1];									   \
	argv[0] = (char *)(uintptr_t)first;							   \
	va_start(ap, first);									   \
	for (size_t i = 1; i <= n; i++)								   \
		argv[i] = va_arg(ap, char *)

HOOK(int, execl, (const char *path, const char *first, ...),
     ARGUMENTS(first); va_end(ap); return execv(path, argv))
HOOK(int, execlp, (const char *file, const char *first, ...),
     ARGUMENTS(first); va_end(ap); return execvp(file, argv))

EXPORT int execle(const char *path, const char *first, ...)
{
	ARGUMENTS(first);
	char **envp = va_arg(ap, char **);
	va_end(ap);
	return execve(path, argv, envp);
}

/* Records the start of a program. `begin` was read before the call, because the child may start
 * before the call returns. */
static int spawn_note(const char *path, uint64_t begin, int got, const pid_t *pid,
		      const posix_spawn_file_actions_t *actions)
{
	uint64_t end = begin;
	if (capture_is_on() && !got)
		NOTE_RESULT(*pid, .op = LOG_SPAWN, .dir = -100, .path = path);
	file_actions_note(actions, begin, got ? 0 : *pid);
	return got;
}

#define SPAWN(function)										   \
	ENVIRONMENT(envp);									   \
	pid_t own;										   \
	pid_t *to = pid ? pid : &own;								   \
	if (capture_is_on())									   \
		file_actions_look(actions);							   \
	uint64_t begin = clock_now(&capture_clock);						   \
	return spawn_note(path, begin,								   \
		       REAL(function)(to, path, actions, attributes, argv, e.list), to, actions)
#define SPAWN_PARAMETERS									   \
	pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,		   \
	    const posix_spawnattr_t *attributes, char *const argv[], char *const envp[]

HOOK(int, posix_spawn, (SPAWN_PARAMETERS), SPAWN(posix_spawn))
HOOK(int, posix_spawnp, (SPAWN_PARAMETERS), SPAWN(posix_spawnp))

/* Functions of the C library that start a shell with `environ` and do not call the posix_spawn()
 * hook. If the program removed the capture variables, they are added for the duration of the call.
 * The texts of the variables are static, because another thread can copy the list by setenv(). */
#define WITH_ENVIRON(type, function, ...)							   \
	static struct environment shell;							   \
	ENVIRONMENT(environ);									   \
	if (add_) {										   \
		environment_complete(&shell, environ, room_);					   \
		e.list = room_;									   \
	}											   \
	char **const before = environ;								   \
	environ = e.list;									   \
	type got = REAL(function)(__VA_ARGS__);							   \
	if (environ == e.list)									   \
		environ = before;								   \
	return got

EXPORT int system(const char *command)
{
	WITH_ENVIRON(int, system, command);
}

EXPORT int wordexp(const char *words, wordexp_t *to, int flags)
{
	WITH_ENVIRON(int, wordexp, words, to, flags);
}

/* for popen(3), whose record hook_library.c makes */
FILE *capture_popen(const char *command, const char *mode)
{
	WITH_ENVIRON(FILE *, popen, command, mode);
}

/* --- waiting for the end of a child --------------------------------------- */

static void note_wait(uint64_t begin, int64_t child)
{
	uint64_t end = clock_now(&capture_clock);
	if (capture_is_on() && child > 0)
		NOTE_RESULT(child, .op = LOG_WAIT);
}

/* A child that has only stopped is not recorded. */
#define WAIT(function, ...)									   \
	int own;										   \
	int *to = status ? status : &own;							   \
	uint64_t begin = clock_now(&capture_clock);						   \
	CAUSE_WAIT(CAUSE_WAITING);								   \
	pid_t got = REAL(function)(__VA_ARGS__);						   \
	note_wait(begin, got > 0 && (WIFEXITED(*to) || WIFSIGNALED(*to)) ? got : 0);		   \
	return got

HOOK(pid_t, wait, (int *status), WAIT(wait, to))
ALIAS(__wait, wait);
HOOK(pid_t, waitpid, (pid_t pid, int *status, int options), WAIT(waitpid, pid, to, options))
ALIAS(__waitpid, waitpid);
HOOK(pid_t, wait3, (int *status, int options, struct rusage *usage),
     WAIT(wait3, to, options, usage))
HOOK(pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *usage),
     WAIT(wait4, pid, to, options, usage))

EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options)
{
	siginfo_t own;
	siginfo_t *to = info ? info : &own;
	uint64_t begin = clock_now(&capture_clock);
	CAUSE_WAIT(CAUSE_WAITING);
	int got = REAL(waitid)(type, id, to, options);
	bool ended = !got && (to->si_code == CLD_EXITED || to->si_code == CLD_KILLED ||
			      to->si_code == CLD_DUMPED);
	note_wait(begin, ended ? to->si_pid : 0);
	return got;
}

/* --- fork ----------------------------------------------------------------- */

#define FORK(function)										   \
	cause_fork_prepare();									   \
	pid_t got = REAL(function)();								   \
	if (got == 0 && capture_state == CAPTURE_ON) {						   \
		rings_forked();									   \
		in_line_forked();								   \
		capture_more();									   \
		cause_forked();									   \
	}											   \
	return got

HOOK(pid_t, fork, (void), FORK(fork))
ALIAS(__fork, fork);

/* does not call the handlers of pthread_atfork; since glibc 2.34 */
HOOK(pid_t, _Fork, (void), FORK(_Fork))

struct exec_start {
	int (*function)(void *);
	void *argument;
	int flags;
};

/* A child with its own memory is handled like a forked child. A child that shares the memory of a
 * waiting parent is handled like a vfork child. */
static int clone_child(void *argument)
{
	struct exec_start s = *(struct exec_start *)argument;
	if (s.flags & CLONE_VM)
		capture_vfork_child((uint32_t)RAW(SYS_getpid));
	else if (capture_state == CAPTURE_ON) {
		rings_forked();
		in_line_forked();
		capture_more();
		cause_forked();
	}
	return s.function(s.argument);
}

EXPORT int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
	va_list ap;
	va_start(ap, argument);
	pid_t *parent_tid = va_arg(ap, pid_t *);
	void *tls = va_arg(ap, void *);
	pid_t *child_tid = va_arg(ap, pid_t *);
	va_end(ap);
	struct exec_start s = {function, argument, flags};
	__typeof__(&clone) real = REAL(clone);
	bool shares = flags & CLONE_VM && !(flags & CLONE_SETTLS);
	if (flags & (CLONE_FILES | CLONE_FS) && !(flags & (CLONE_THREAD | CLONE_VFORK)) &&
	    capture_is_on())
		change_write(CHANGE_SHARING);
	if (flags & CLONE_VM && !(shares && flags & CLONE_VFORK)) {
		if (shares && capture_is_on())
			capture_share();
		return real(function, stack, flags, argument, parent_tid, tls, child_tid);
	}
	if (capture_is_on() && !capture_self)
		capture_more();
	/* with CLONE_VM, the child gets its key when its program starts */
	if (!(flags & CLONE_VM))
		cause_fork_prepare();
	int got = real(clone_child, stack, flags, &s, parent_tid, tls, child_tid);
	if (flags & CLONE_VM && got > 0)
		capture_vfork_parent();
	return got;
}
ALIAS(__clone, clone);

#if defined(__x86_64__)
/* The vfork child returns from this function into the frame of the caller, and later the parent
 * returns there again. So no frame of the library may be on the stack. The return address stays in
 * a register during the call, as in glibc. */
HIDDEN long capture_vforked(long got) __attribute__((used));
long capture_vforked(long got)
{
	if (got == 0) {
		capture_vfork_child((uint32_t)RAW(SYS_getpid));
		return 0;
	}
	if (got < 0) {
		errno = (int)-got;
		return -1;
	}
	capture_vfork_parent();
	return got;
}

HIDDEN void capture_vfork_prepare(void) __attribute__((used));
void capture_vfork_prepare(void)
{
	if (capture_is_on() && !capture_self)
		capture_more();
}

__asm__(".text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	"vfork:\n"
	"	.cfi_startproc\n"
	"	endbr64\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	call capture_vfork_prepare\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	popq %rdi\n"
	"	movl $58, %eax\n" /* SYS_vfork */
	"	syscall\n"
	"	pushq %rdi\n"
	"	subq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	movq %rax, %rdi\n"
	"	call capture_vforked\n"
	"	addq $8, %rsp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size vfork, . - vfork\n"
	".globl __vfork\n"
	".set __vfork, vfork\n");
#endif

/* --- seccomp -------------------------------------------------------------- */

/* (syscall(3) is hooked in hook_syscall.c.) */
EXPORT int prctl(int option, ...)
{
	unsigned long a[4];
	va_list ap;
	va_start(ap, option);
	for (int i = 0; i < 4; i++)
		a[i] = va_arg(ap, unsigned long);
	va_end(ap);
	__typeof__(&prctl) real = REAL(prctl);
	const uint8_t state = capture_state;
	const bool was = capture_confined;
	if ((option == PR_SET_SECCOMP && a[0] == SECCOMP_MODE_STRICT) ||
	    (option == PR_SET_TSC && a[0] == PR_TSC_SIGSEGV))
		capture_blind();
	if (option == PR_SET_SECCOMP)
		capture_confine_prepare();
	capture_confined |= option == PR_SET_SECCOMP;
	int got = real(option, a[0], a[1], a[2], a[3]);
	if (got < 0) {
		capture_confined = was;
		capture_state = state;
	}
	return got;
}
