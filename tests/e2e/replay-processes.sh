# SPDX-License-Identifier: GPL-3.0-or-later
# Replays with a process for each traced process (--processes): each has its own descriptors and
# working directory. All end with the supervising process. Protocols have the option.
. "$SRCDIR/tests/e2e/lib.sh"

# three processes: a parent, and two children that work in other directories an hour later
cat >in.csv <<'END'
pid,tid,begin,end,function,args,rvalue
10,10,0,1000,open,"path=a;flags=0x42;mode=0644",3
10,10,2000,3000,write,"fd=3;path=a;length=100",100
20,20,4000,5000,mkdir,"path=d;mode=0755",0
20,20,6000,7000,chdir,"path=d",0
20,20,8000,9000,open,"path=d/b;flags=0x42;mode=0644",4
30,30,4000,5000,open,"path=c;flags=0x42;mode=0644",3
10,10,3600000000000,3600000001000,close,"fd=3;path=a",0
20,20,3600000000000,3600000001000,close,"fd=4;path=d/b",0
30,30,3600000000000,3600000001000,close,"fd=3;path=c",0
END
mkdir tree
expect_status 0 "$VALIDATE" replay --processes --prepare --dir tree -o out.trace in.csv
expect_line out 'mismatches      0'
expect_line out '3 workers in 3 processes for 3 traced threads'
expect_status 0 "$VALIDATE" info --json out.trace
expect_status 2 "$VALIDATE" replay --processes --order none --dir tree in.csv
expect_line err 'processes and order = none cannot be used together: any worker can issue any request'

# while they wait: open descriptors of each process, and directories
started() { # COMMAND...: in the background; waits until its three processes have made their first requests
	rm -rf tree
	mkdir tree
	"$@" >started.out 2>&1 &
	looker=$!
	i=0
	until [ -e tree/c ] && [ -s tree/a ] && [ -e tree/d/b ]; do
		i=$((i + 1))
		[ $i -lt 1000 ] || fail "it does not begin: $(cat started.out)"
		sleep 0.02
	done
	children=$(cat /proc/$looker/task/$looker/children)
}
gone() { # no child is left
	i=0
	for child in $children; do
		while [ -e "/proc/$child" ] && ! grep -q '^State:.*[ZX]' "/proc/$child/status" 2>/dev/null; do
			i=$((i + 1))
			[ $i -lt 1000 ] || fail "process $child is left"
			sleep 0.02
		done
	done
}
here=$(pwd -P)
started "$VALIDATE" replay --processes --timing timestamp --dir tree in.csv
[ "$(echo $children | wc -w)" -eq 3 ] || fail "not three processes: $children"
holders=0
working=0
for child in $children; do
	n=0
	top=$here/tree
	for fd in /proc/$child/fd/*; do
		case $(readlink "$fd" || :) in
		# in a clone of the target's mounts, the kernel shows paths relative to the target
		"$top"/a | "$top"/d/b | "$top"/c | /a | /d/b | /c) n=$((n + 1)) ;;
		esac
	done
	[ $n -eq 1 ] && holders=$((holders + 1))
	# the table of descriptors belongs to the thread that makes the calls
	[ "$(ls /proc/$child/task)" = "$child" ] ||
		fail "a process of one traced thread has the threads $(ls /proc/$child/task)"
	case $(readlink /proc/$child/cwd) in "$top/d" | /d) working=$((working + 1)) ;; esac
done
[ $holders -eq 3 ] || fail 'not every process has its own file and no other open'
[ $working -eq 1 ] || fail 'not one process works where it went'
kill -9 "$looker"
wait "$looker" 2>/dev/null || :
gone

# one of them is killed: the others end, and the error names the traced process
for engine in event coordinator; do
	started "$VALIDATE" replay --processes --engine $engine --timing timestamp --dir tree in.csv
	set -- $children
	kill -9 "$2"
	status=0
	wait "$looker" || status=$?
	[ $status -eq 3 ] || fail "status $status: $(cat started.out)"
	expect_line started.out 'process 20 of the trace: its replay was ended by signal 9'
	expect_line started.out 'close of d/b'
	gone
done

# in a protocol
cat >p.conf <<'END'
[protocol]
replicates = 3
allow-undecidable = yes
[target t]
dir = target
[workload w]
type = sr
file-size = 64k
requests = 50
[replayer together]
engine = event
processes = yes
END
mkdir -p target
expect_status 0 "$VALIDATE" run --dry-run p.conf
sed 's/processes = yes/processes = perhaps/' p.conf >bad.conf
expect_status 2 "$VALIDATE" run --dry-run bad.conf

# chosen CPUs: where the thread of each worker may run
first=$(taskset -pc $$ | sed 's/.*: //; s/[,-].*//')
last=$(taskset -pc $$ | sed 's/.*[,:-] *//')
started "$VALIDATE" replay --processes --timing timestamp --cpus "$last,$first" --dir tree in.csv
allowed=
for child in $children; do
	allowed="$allowed $(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "/proc/$child/status")"
done
[ "$(echo $allowed)" = "$last $first $last" ] || fail "threads may run on$allowed instead of $last $first $last"
kill -9 "$looker"
wait "$looker" 2>/dev/null || :
gone
for bad in 0,x 4095 ''; do
	expect_status 2 "$VALIDATE" replay --cpus "$bad" --dir tree in.csv
done
expect_status 2 "$VALIDATE" replay --cpus "$first" --pin --dir tree in.csv

# standard output and standard error of a shell are one open file for all its children, also if a
# child uses them before the shell itself does
preload_before_sanitizer
cat >writer.c <<'END'
#include <unistd.h>
int main(void)
{
	long a = lseek(1, 0, SEEK_CUR), b = lseek(2, 0, SEEK_CUR);
	return write(1, "out\n", 4) != 4 || write(2, "error\n", 6) != 6 || a != b;
}
END
${CC:-cc} -w -o writer writer.c || fail 'writer.c does not compile'
"$VALIDATE" capture app --root . -o shared.trace -- sh -c './writer; : >>other; ./writer; ./writer' >both 2>&1 ||
	fail "$(cat both)"
for engine in event compiled; do
	rm -rf again
	mkdir again
	expect_status 0 "$VALIDATE" replay --engine $engine --prepare --dir again shared.trace
	expect_line out 'mismatches      0'
done
