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
said='system calls for files past the C library'

capture() {
	expect_status 0 "$VALIDATE" capture app -o trace -- "$@"
	"$VALIDATE" info trace >info
}
silent_about() {
	capture "$@"
	! grep -q 'past the C library\|past liburing\|by number' out || fail "false alarm about $*: $(cat out)"
	expect_line info 'programs_own_calls 0'
}

# in the program itself, in a program that it starts, in a library, and in a library that is loaded
# later
capture ./raw files
expect_line out "1 program run made, or can make, $said"
expect_line out "$PWD/raw"
expect_line info 'programs_own_calls 1'
expect_line info "$PWD/raw"
expect_line info 'calls which capture could not see: 1: the trace is incomplete'
capture sh -c './raw nothing; ./harmless; ./raw files; true'
expect_line out '2 program runs made'
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
expect_line out '1 call of io_uring_enter by number'
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
	grep -q '^Health     complete$' info || fail "not called complete: $*: $(grep Health info)"
	"$VALIDATE" info --json trace | grep -q '"incomplete": *\[\]' ||
		fail "info --json names missing requests of: $*"
}
incomplete() { # WHY COMMAND...
	why=$1
	shift
	capture "$@"
	grep -q "^Health     complete as a file; the trace is incomplete: .*$why" info ||
		fail "called complete: $*: $(grep Health info)"
	"$VALIDATE" info --json trace >json
	expect_line json "$why"
}
complete ./harmless files
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
	expect_line info 'calls which capture could not see: 1: the trace is incomplete'
incomplete '1 call of io_uring_enter handed over requests that are not in the trace' ./raw ring
incomplete '1 program made, or can make, calls which capture could not see' ./raw files
if $compiler -w -O1 -static -o static "$raw" -ldl 2>/dev/null; then
	incomplete '1 program made, or can make, calls' sh -c './static nothing; true'
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
		incomplete 'made, or can make, calls' ./go-dynamic
	fi
fi
