# SPDX-License-Identifier: GPL-3.0-or-later
# The umask of a program, inherited or set, determines the permissions of files in a replay,
# whatever the umask of the replay.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

tree_of() { # DIR
	(cd "$1" && find . -mindepth 1 -printf '%P %y %m\n' | sort)
}

replayed() { # TRACE
	for mask in 0 022 077; do
		for engine in event compiled; do
			rm -rf tree
			(umask 022 && mkdir tree)
			(umask $mask && expect_status 0 "$VALIDATE" replay --engine $engine --dir tree -o out.trace "$1")
			expect_line out 'mismatches      0'
			tree_of tree >left
			cmp wanted left || fail "$engine, umask $mask, $1: $(diff wanted left)"
		done
	done
}

cat >program.c <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
	close(open("inherited", O_WRONLY | O_CREAT, 0666));
	umask(0);
	mkdir("d", 0777);
	fclose(fopen("stream", "w"));
	umask(027);
	mknod("d/node", S_IFREG | 0666, 0);
	fclose(fopen("d/stream", "w"));
	return open("d/all", O_WRONLY | O_CREAT, 0777) < 0;
}
C
${CC:-cc} -w -O1 -o program program.c || fail 'program.c does not compile'
for mask in 0 077; do
	rm -rf run
	mkdir run
	(umask $mask && cd run && "$VALIDATE" capture app --root "$PWD" -o ../app.trace -- sh -c '../program && umask 0 && (umask 066 && echo >sub) && echo >sh') \
		>capture.out 2>&1 || fail "$(cat capture.out)"
	tree_of run >wanted
	replayed app.trace
done

# if the trace has no umask, the replay keeps its own
cat >untold.csv <<'S'
pid,tid,begin,end,function,args,rvalue,error
1,1,1000,2000,open,"path=f;mode=0666;flags=0x41",3,
1,1,3000,4000,open,"path=g;mode=0666;flags=0x41;umask=0002",4,
S
expect_status 0 "$VALIDATE" import -q untold.csv -o untold.trace
rm -rf tree
mkdir tree
(umask 026 && expect_status 0 "$VALIDATE" replay --dir tree -o out.trace untold.trace)
[ "$(stat -c %a tree/f tree/g | tr '\n' ' ')" = '640 664 ' ] || fail "modes: $(stat -c '%n %a' tree/f tree/g)"

# strace shows the umask from the first umask(2) on
cat >umask.strace <<'S'
10 1.000000 umask(077) = 022 <0.000001>
10 1.000001 clone(child_stack=NULL, flags=SIGCHLD) = 11 <0.000001>
11 1.000002 openat(AT_FDCWD, "/f", O_RDWR|O_CREAT, 0666) = 3</f> <0.000001>
11 1.000003 umask(000) = 077 <0.000001>
11 1.000004 mkdir("/d", 0777) = 0 <0.000001>
10 1.000005 mkdir("/e", 0777) = 0 <0.000001>
S
expect_status 0 "$VALIDATE" import -q umask.strace -o strace.trace
rm -rf tree
mkdir tree
expect_status 0 "$VALIDATE" replay --dir tree -o out.trace strace.trace
[ "$(cd tree && stat -c %a f d e | tr '\n' ' ')" = '600 777 700 ' ] || fail "modes: $(stat -c '%n %a' tree/*)"
