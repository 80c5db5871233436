# SPDX-License-Identifier: GPL-3.0-or-later
# capture app reports programs that make direct system calls, and only those programs.
. "$SRCDIR/tests/e2e/lib.sh"
[ "$(uname -m)" = x86_64 ] || skip 'code is looked at on x86-64 only'
compiler=${CC:-cc}
raw=$SRCDIR/tests/programs/raw.c
$compiler -w -O1 -o raw "$raw" -ldl || fail 'raw.c does not compile'
$compiler -w -O1 -DHARMLESS -o harmless "$raw" -ldl
$compiler -w -O1 -shared -fPIC -o libraw.so "$raw" -ldl
$compiler -w -O1 -DHARMLESS -o linked "$raw" -ldl -Wl,--no-as-needed ./libraw.so
said='can call the kernel without the C library'

capture() {
	expect_status 0 "$VALIDATE" capture app -o trace -- "$@"
	"$VALIDATE" info trace >info
}
silent_about() {
	capture "$@"
	! grep -q 'without the C library\|without liburing\|direct system call' out || fail "false alarm about $*: $(cat out)"
	! grep -q 'programs_own_calls' info || fail "own calls of $*: $(cat info)"
}

# in the program itself, in a program that it starts, in a library, and in a library that is loaded
# later
capture ./raw files
expect_line out "1 run of a program $said"
expect_line out "$PWD/raw"
expect_line info 'programs_own_calls 1'
expect_line info "$PWD/raw"
expect_line info '  the trace is incomplete: 1 program can make calls that the capture does not see'
capture sh -c './raw nothing; ./harmless; ./raw files; true'
expect_line out '2 runs of programs can'
capture ./linked nothing
expect_line out "$PWD/linked ($PWD/libraw.so)"
capture ./harmless loaded ./libraw.so
expect_line out 'libraw.so)'

# stripped of its sections as well
if command -v objcopy >/dev/null && objcopy --strip-section-headers raw bare 2>/dev/null; then
	capture ./bare files
	expect_line out "$said"
fi

# rings: they are counted, but requests through them are not recorded
capture ./raw ring
expect_line out '1 direct system call to io_uring_enter'
expect_line info 'ring_entries 1'

# no false alarms: constants that look like the instruction, other calls, and common programs
silent_about ./harmless files
seq 1000 >numbers
silent_about sort -r numbers -o sorted
silent_about tar cf tar numbers
command -v git >/dev/null && silent_about git --version
command -v sqlite3 >/dev/null && silent_about sqlite3 :memory: 'select 1'
[ ! -x /usr/bin/python3 ] || silent_about /usr/bin/python3 -c 'import json, ssl, sqlite3'
printf 'int main(void) { return 0; }\n' >m.c
silent_about $compiler -o m m.c

# a trace that lacks the requests of such programs is never called complete
complete() { # COMMAND...
	capture "$@"
	grep -q '^Health     no sign of missing requests; the capture method always omits ' info || fail "not called complete: $*: $(grep Health info)"
	"$VALIDATE" info --json trace | grep -q '"incomplete": *\[\]' ||
		fail "info --json names missing requests of: $*"
}
incomplete() { # WHY COMMAND...
	why=$1
	shift
	capture "$@"
	grep -q "^Health     the file is complete; the trace is incomplete: .*$why" info ||
		fail "called complete: $*: $(grep Health info)"
	"$VALIDATE" info --json trace >json
	expect_line json "$why"
}
complete ./harmless files
grep -q 'the capture method always omits accesses to mapped memory, and calls inside the C library and its loader$' info || fail "$(grep Health info)"
! grep -q 'made code\|could not be searched' out || fail "all code was searched: $(cat out)"

# code that was not searched: made while the program runs; files removed or changed since
cat >makes.c <<'C'
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
/* int work(void): creates the file "made" by creat(2) */
static const unsigned char code[] = {0xb8, 85, 0, 0, 0, 0xbe, 0x80, 1, 0, 0, 0x0f, 5, 0xc3};
int main(int argc, char **argv)
{
	const char *how = argv[1];
	int all = PROT_READ | PROT_WRITE | PROT_EXEC, fd = -1, flags = MAP_PRIVATE | MAP_ANONYMOUS;
	if (!strcmp(how, "memfd")) {
		fd = memfd_create("code", 0);
		flags = MAP_SHARED;
		if (ftruncate(fd, 4096))
			return 2;
	}
	void *at = mmap(NULL, 4096, strcmp(how, "mprotect") && strcmp(how, "number") ? all : PROT_READ | PROT_WRITE,
			flags, fd, 0);
	memcpy(at, code, sizeof code);
	if (!strcmp(how, "mprotect") && mprotect(at, 4096, PROT_READ | PROT_EXEC))
		return 3;
	if (!strcmp(how, "number") && syscall(SYS_mprotect, at, 4096L, (long)(PROT_READ | PROT_EXEC)))
		return 4;
	return ((int (*)(const char *))at)("made") < 0;
}
C
$compiler -w -O1 -o makes makes.c || fail 'makes.c does not compile'
unsearched() { # TEXT COMMAND...
	text=$1
	shift
	complete "$@"
	expect_line out 'ended with status 0'
	expect_line info "not checked: $text"
	expect_line info 'the capture method always omits accesses to mapped memory, calls inside the C library and its loader, and calls by code that was not searched for system calls'
	"$VALIDATE" info --json trace >json
	expect_line json "$text"
	expect_line json 'calls by code that was not searched for system calls'
}
for how in anonymous memfd mprotect number; do
	rm -f made
	unsearched 'runs of programs that could not be searched completely for system calls, because the programs generated code at run time: 1' ./makes $how
	expect_line out "$PWD/makes"
	[ -e made ] || fail "$how: the code made no file"
done
changed='runs of programs that could not be searched for system calls, because one of their files was removed or changed'
unsearched "$changed: 1" sh -c 'cp raw gone; ./gone files; rm gone'
expect_line out "$PWD/gone"
unsearched "$changed: 1" sh -c 'cp raw same; ./same files; sleep 0.05; cp harmless same; ./same files; true'
complete sh -c 'cp harmless same; ./same files; true'
! grep -q 'not checked' info || fail "a program that was made before it ran: $(grep Health info)"

# ways past the hooks to the C library, calls of 32 bits, and libraries whose file cannot be searched
cat >work.c <<'END'
#include <fcntl.h>
#include <unistd.h>
int work(void)
{
	int fd = open("made", O_CREAT | O_WRONLY, 0600);
	return fd < 0 || write(fd, "x", 1) != 1 || close(fd);
}
END
cat >first.s <<'END' # the first instruction of the section
	.text
	.globl work
	.type work, @function
work:	movl $87, %eax
	syscall
	xorl %eax, %eax
	ret
END
cat >past.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
static int call(void *library)
{
	int (*work)(void) = library ? (int (*)(void))dlsym(library, "work") : NULL;
	return dlerror() || work();
}
static int in_memory(void)
{
	char bytes[65536], name[64];
	int fd = memfd_create("library", 0), in = open("./libfirst.so", O_RDONLY);
	ssize_t n = read(in, bytes, sizeof bytes);
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	return write(fd, bytes, (size_t)n) != n || call(dlopen(name, RTLD_NOW));
}
static int of_32_bits(void)
{
#ifdef OF_32_BITS
	char *name = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	long fd;
	strcpy(name, "made");
	__asm__ volatile("int $0x80" : "=a"(fd) : "a"(8), "b"(name), "c"(0600) : "memory");
#endif
	return 0; /* the kernel may lack these calls */
}
int main(int argc, char **argv)
{
	const char *how = argv[1];
	if (!strcmp(how, "namespace"))
		return call(dlmopen(LM_ID_NEWLM, "./libwork.so", RTLD_NOW));
	if (!strcmp(how, "deep"))
		return call(dlopen("./libwork.so", RTLD_NOW | RTLD_DEEPBIND));
	if (!strcmp(how, "handle")) {
		ssize_t (*own)(int, const void *, size_t) = dlsym(dlopen("libc.so.6", RTLD_NOW), "write");
		return own(1, "x", 1) != 1;
	}
	if (!strcmp(how, "removed")) {
		void *library = dlopen("./libgone.so", RTLD_NOW);
		return unlink("libgone.so") || call(library);
	}
	if (!strcmp(how, "by-name")) /* found by the RUNPATH of this program */
		return call(dlopen("libnamed.so", RTLD_NOW));
	if (!strcmp(how, "killed"))
		return call(dlopen("./libfirst.so", RTLD_NOW)) || kill(getpid(), 9);
	return !strcmp(how, "memory") ? in_memory() : !strcmp(how, "int") ? of_32_bits() : 2;
}
END
mkdir named
$compiler -w -shared -fPIC -o libwork.so work.c && $compiler -w -shared -fPIC -o named/libnamed.so work.c &&
	$compiler -w -nostdlib -shared -o libfirst.so first.s && cp libfirst.so libgone.so &&
	$compiler -w -O1 -Wl,-rpath,"$PWD/named" -o past past.c -ldl || fail 'past.c does not compile'
silent_about ./past by-name
expect_line out 'requests      3 '
silent_about ./past int
$compiler -w -O1 -DOF_32_BITS -o int past.c -ldl
for how in namespace deep handle memory removed int killed; do
	case $how in
	namespace | deep) what=libwork.so ;;
	handle) what=libc.so ;;
	memory) what=/proc/self/fd ;;
	removed) what=libgone.so ;;
	killed) what=libfirst.so ;;
	int) what=$PWD/int ;;
	esac
	if [ $how = int ]; then capture ./int int; else capture ./past $how; fi
	expect_line out "$said"
	grep "$said" out | grep -qF "$what" || fail "$how: $(grep "$said" out)"
	expect_line info 'the trace is incomplete'
done

# a library that replaces a function and looks up the next definition of it finds the same definition
# as without capture
cat >next.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#ifdef LAST
int number(void) { return 41; }
#elif defined(FIRST)
int number(void) { return 1 + ((int (*)(void))dlsym(RTLD_NEXT, "number"))(); }
#else
int number(void);
int main(void) { return number() != 42; }
#endif
END
$compiler -w -shared -fPIC -DLAST -o liblast.so next.c && $compiler -w -shared -fPIC -DFIRST -o libfront.so next.c -ldl &&
	$compiler -w -o next next.c -Wl,--no-as-needed,-rpath,"$PWD" ./libfront.so ./liblast.so || fail 'next.c does not compile'
expect_status 0 ./next
capture ./next
grep -q '^command *ended with status 0' out || fail "dlsym(RTLD_NEXT) finds another function: $(cat out)"

# code that enters rings matters only if there is a ring
cat >enters.c <<'C'
#include <sys/syscall.h>
#include <unistd.h>
static char params[120];
static long enter(long fd)
{
	long result;
	__asm__ volatile("mov $426, %%eax\n\tsyscall" : "=a"(result) : "D"(fd), "S"(0L), "d"(0L)
			 : "rcx", "r11", "memory");
	return result;
}
int main(int argc, char **argv)
{
	if (argc > 1 && syscall(425, 1, params) < 0)
		return 3; /* no io_uring here */
	return argc > 2 && enter(argc);
}
C
$compiler -w -O1 -o enters enters.c || fail 'enters.c does not compile'
complete ./enters
capture ./enters ring
grep -q 'ended with status 3' out ||
	expect_line info '  the trace is incomplete: 1 program can make calls that the capture does not see'
incomplete '1 call to io_uring_enter submitted requests that are not in the trace' ./raw ring
incomplete '1 program can make calls that the capture does not see' ./raw files
if $compiler -w -O1 -static -o static "$raw" -ldl 2>/dev/null; then
	incomplete '1 program can make calls' sh -c './static nothing; true'
fi
# a program that cleared its environment starts shells by functions of the C library
cat >cleared.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <wordexp.h>
int main(void)
{
	wordexp_t words;
	clearenv();
	setenv("LD_PRELOAD", "", 1);
	int n = system("echo text >by-system") == 0;
	FILE *f = popen("cat >by-popen", "w");
	n += fputs("text", f) >= 0 && pclose(f) == 0;
	n += wordexp("$(echo text >by-wordexp)", &words, 0) == 0;
	return n != 3 || getenv("LD_PRELOAD")[0];
}
C
$compiler -w -O1 -o cleared cleared.c || fail 'cleared.c does not compile'
complete ./cleared
expect_line out 'ended with status 0'
"$VALIDATE" info trace --csv csv >/dev/null
for file in by-system by-popen by-wordexp; do
	grep -q ",write,\"path=[^;]*$file;" csv || fail "no write to $file: $(cat csv)"
done
# asynchronous requests: results that the program takes without a call are recorded, others are
# missed
if $compiler -w -O1 -o asks "$SRCDIR/tests/programs/aio.c" -pthread -laio 2>/dev/null; then
	complete ./asks libaio
	complete ./asks ring
	"$VALIDATE" info trace --csv csv >/dev/null
	n=$(awk -F , '/,aio_write,/ && $4 >= $3 && $7 == 4096 { n++ } END { print n + 0 }' csv)
	[ "$n" -eq 1000 ] || fail "results taken from the ring: $n of 1000"
	incomplete '4 asynchronous requests have no result in the trace' ./asks lost
else
	echo 'asynchronous requests are not tried: no libaio to compile with'
fi
if command -v go >/dev/null; then
	printf 'package main\nimport "os"\nfunc main() { os.WriteFile("of-go", []byte("x"), 0644) }\n' >m.go
	if GOCACHE=$PWD/cache GOFLAGS=-mod=mod go build -ldflags=-linkmode=external -o go-dynamic m.go 2>/dev/null; then
		incomplete 'can make calls' ./go-dynamic
	fi
fi
