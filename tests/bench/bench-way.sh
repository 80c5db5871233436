# SPDX-License-Identifier: GPL-3.0-or-later
# Counts how many functions and source files of the program run in two ways: a replay of 50 requests,
# from its command line to the written replay trace, and `validate stats` on two columns. callgrind
# counts them; functions that the compiler inlined belong to their caller. callgrind supports neither
# openat2(2) nor a clone(2) that shares descriptors, so openat(2) and fork(2) replace them.
#
# usage: bench-way.sh [BUILD]; BENCH_LIST=1 lists the functions by file
set -eu
BUILD=$(cd -- "${1:-${BUILD:-build}}" && pwd)
command -v valgrind >/dev/null || { echo "valgrind is missing"; exit 0; }
dir=$(mktemp -d "${TMPDIR:-/var/tmp}/validate-bench-XXXXXX")
trap 'rm -rf "$dir"' EXIT
cd "$dir"
cat >calls.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>
long syscall(long number, ...)
{
	long x[6];
	va_list ap;
	va_start(ap, number);
	for (int i = 0; i < 6; i++)
		x[i] = va_arg(ap, long);
	va_end(ap);
	if (number == SYS_clone) {
		pid_t pid = fork();
		if (!pid)
			_exit(0);
		return pid;
	}
	if (number == SYS_openat2) {
		const struct open_how *how = (void *)x[2];
		return openat((int)x[0], (char *)x[1], (int)how->flags, (mode_t)how->mode);
	}
	register long r10 __asm__("r10") = x[3], r8 __asm__("r8") = x[4], r9 __asm__("r9") = x[5];
	long got;
	__asm__ volatile("syscall" : "=a"(got)
			 : "a"(number), "D"(x[0]), "S"(x[1]), "d"(x[2]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if (got < 0 && got > -4096) {
		errno = (int)-got;
		return -1;
	}
	return got;
}
END
${CC:-cc} -O1 -shared -fPIC -o calls.so calls.c
mkdir work
"$BUILD/validate" microbench random-read --dir work --requests 50 --output in.trace >log
seq 1 20 | awk 'BEGIN { print "program,replay" } { print 100 + $1 % 7 "," 101 + $1 % 5 }' >columns.csv

count() { # WAY COMMAND...: the functions that the command runs
	way=$1
	shift
	rm -f counts.*
	LD_PRELOAD=$PWD/calls.so valgrind --tool=callgrind --callgrind-out-file=counts.%p "$BUILD/validate" "$@" \
		>log 2>&1 || { cat log; exit 1; }
	awk '
	FNR == 1 { delete name }
	match($0, /^(ob|cob|fl|fi|fe|cfi|cfl|fn|cfn)=\([0-9]+\)/) {
		kind = substr($0, 1, index($0, "=") - 1)
		id = substr($0, index($0, "(") + 1)
		id = substr(id, 1, index(id, ")") - 1)
		table = kind ~ /ob$/ ? "ob" : kind ~ /fn$/ ? "fn" : "file"
		text = substr($0, RLENGTH + 2)
		if (text != "")
			name[table, id] = text
		text = name[table, id]
		if (kind == "ob")
			object = text
		else if (kind == "fl")
			file = text
		else if (kind == "fn" && object ~ /\/validate$/ && file !~ /^\/usr\// &&
			 match(file, /(common|capture|replay|validate|reports|commands)\/[a-z0-9_\/]*\.[ch]$/)) {
			sub(/[^A-Za-z0-9_].*/, "", text) # .part.0 and the like of the compiler
			print substr(file, RSTART), text
		}
	}' counts.* | sort -u >functions
	awk -v way="$way" '{ if (!n[$1]++) files++ } END { print way ": " NR " functions in " files " files" }' functions
	[ -z "${BENCH_LIST-}" ] || awk '{ list[$1] = list[$1] " " $2 } END { for (f in list) print f ":" list[f] }' functions | sort
}
count replay replay --dir work in.trace -o out.trace
grep -q 'requests *50 of 50' log
count stats stats columns.csv -C program,replay
