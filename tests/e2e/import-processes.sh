# SPDX-License-Identifier: GPL-3.0-or-later
# Parents of processes, and waits for their end, from strace's clone, fork, vfork, wait4 and waitid:
# in one file, in a file for each process, and in an imported trace that other commands read.
. "$SRCDIR/tests/e2e/lib.sh"
command -v jq >/dev/null || skip "no jq"

processes() { # TRACE: "pid parent begin_ns waited_by waited_ns" in a line each
	"$VALIDATE" info --json "$1" | jq -r '.meta.extra.processes // [] | .[] | [.pid, .parent, .begin_ns, .waited_by, .waited_ns] | join(" ")'
}

# by hand: a child that runs before clone returns; a wait by waitid; a child that only stopped; a
# child that a thread waits for; a thread is not a process; two children at the same time, of
# different parents; a number of another PID namespace
cat >made.strace <<'S'
10 1.000000 openat(AT_FDCWD, "/data/a", O_RDWR) = 3 <0.000001>
10 1.000010 clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD <unfinished ...>
11 1.000020 read(3, "x", 1) = 1 <0.000001>
10 1.000030 <... clone resumed>, child_tidptr=0x7f) = 11 <0.000020>
10 1.000040 wait4(11, [{WIFSTOPPED(s) && WSTOPSIG(s) == SIGSTOP}], WSTOPPED, NULL) = 11 <0.000001>
10 1.000050 clone3({flags=CLONE_VM|CLONE_FILES|CLONE_THREAD, exit_signal=0} => {parent_tid=[12]}, 88) = 12 <0.000001>
12 1.000060 wait4(11,  <unfinished ...>
11 1.000070 +++ exited with 0 +++
12 1.000080 <... wait4 resumed>NULL, 0, NULL) = 11 <0.000025>
10 1.000090 vfork( <unfinished ...>
12 1.000091 fork( <unfinished ...>
13 1.000092 read(3, "x", 1) = 1 <0.000001>
14 1.000093 fork() = 15 <0.000001>
12 1.000094 <... fork resumed>) = 14 <0.000003>
10 1.000095 <... vfork resumed>) = 13 <0.000005>
10 1.000100 waitid(P_ALL, 0, {si_signo=SIGCHLD, si_code=CLD_KILLED, si_pid=13, si_uid=0, si_status=SIGKILL, si_utime=0, si_stime=0}, WEXITED, NULL) = 0 <0.000002>
10 1.000110 wait4(-1, NULL, WNOHANG|WUNTRACED, NULL) = 14 <0.000001>
10 1.000120 wait4(-1, 0x7ffc, WNOHANG, NULL) = -1 ECHILD (No child processes) <0.000001>
10 1.000130 fork() = 10 <0.000001>
S
expect_status 0 "$VALIDATE" import made.strace -o made.trace
processes made.trace >got
cat >want <<'S'
10 0 0  
11 10 20000 12 85000
13 10 92000 10 102000
14 10 93000  
15 14 94000  
S
diff want got || fail "processes of the log made by hand"
processes made.strace | diff want - || fail "processes of a log that is not imported"

# a slice has the processes at its own times, also processes that were not imported, and without
# names if it is anonymised
awk '{ $3 *= 2; $5 = $5 ? $5 * 2 : "" } { print $1, $2, $3, $4, $5 }' want >want2
for made in made.trace made.strace; do
	expect_status 0 "$VALIDATE" slice --scale 2 "$made" -o part.trace
	processes part.trace | diff want2 - || fail "processes of a slice of $made"
done
expect_status 0 "$VALIDATE" slice --begin 10us --from-zero made.trace -o part.trace
awk '{ $3 -= 20000; $5 = $5 ? $5 - 20000 : "" } { print $1, $2, $3, $4, $5 }' want >want3
processes part.trace | diff want3 - || fail "processes of a slice that begins at 0"
expect_status 0 "$VALIDATE" slice --anonymise made.trace -o part.trace
processes part.trace | diff want - || fail "processes of an anonymised slice"
[ "$("$VALIDATE" info --json part.trace | jq -c '.meta.extra | keys')" = '["capture","processes"]' ] || fail "facts of an anonymised slice"

command -v strace >/dev/null || skip "no strace: only a log made by hand was read"
strace -f -ttt -T -y -o log sh -c 'echo x >a; (cat a >b; true); cat b >c & wait; exec cat c' || skip "strace may not trace here"
expect_status 0 "$VALIDATE" import log -o log.trace
processes log.trace >got
[ "$(wc -l <got)" -ge 3 ] || fail "processes of a shell: $(cat got)"
root=$(head -n 1 got | cut -d ' ' -f 1)
awk -v root="$root" '$1 == root && $2 == 0 { first++ } $1 != root && $2 { child++ } $5 >= $3 && $5 > 0 { waited++ }
	END { exit !(first == 1 && child == NR - 1 && waited >= child - 1) }' got || fail "a shell and its children: $(cat got)"
# each process descends from the shell, and in order fs no process begins before the actions of its
# parent
expect_status 0 "$VALIDATE" deps --order fs log.trace

strace -ff -ttt -T -y -o log sh -c 'echo x >a; (cat a >b; true); cat b >c & wait; exec cat c'
expect_status 0 "$VALIDATE" import log.[0-9]* -o split.trace
[ "$(processes split.trace | wc -l)" -eq "$(wc -l <got)" ] || fail "a log for each process: $(processes split.trace)"
[ "$(processes split.trace | awk '$2' | wc -l)" -eq "$(awk '$2' got | wc -l)" ] || fail "parents, by a log for each process: $(processes split.trace)"
