# SPDX-License-Identifier: GPL-3.0-or-later
# long: 50 s
# Injects faults into commands: a sample chosen by a seed (tests/hostile/inject.sh tries the
# others), then all calls of families whose faults once had a wrong outcome.
. "$SRCDIR/tests/e2e/lib.sh"
case ${SANITIZE:-} in *thread*) skip 'the injector is preloaded, which this sanitizer must be first of' ;; esac
preload_before_sanitizer
export WORK=$TMPDIR/inject KEEP=yes

inject() { # AT_LEAST OPTION OF inject_walk...
	least=$1
	shift
	"$SRCDIR/tests/hostile/inject.sh" 0 counts "$@" >out 2>err ||
		fail "a fault has a wrong outcome: $(grep -h FAIL -A 1 out | head -n 6; tail -n 3 err out)"
	n=$(sed -n 's/^inject: \([0-9]*\) faults.*/\1/p' out | head -n 1)
	[ "${n:-0}" -ge "$least" ] || fail "only ${n:-0} faults: $(tail -n 3 out)"
}

inject 30 --points 30 --only import-strace,import-blktrace,export-iolog,slice-anonymise,info-csv,metrics-json,deps,pool,compare,init,history-add

# gnuplot meets no fault of a file system: a plot could lack a series, with status 0
PRELOAD=no inject 20 --points 25 --only info-html --family stat

export FUSE=no
# a plot that cannot be made is named
inject 10 --points 1000 --only info --family open
# scratch files of a capture that cannot be removed are named; earlier they stayed without a message
inject 30 --points 60 --only capture-app --family stat
# a trace whose writer fails at once is removed; earlier an empty file stayed
inject 1 --points 20 --only replay --family seek
# a file of a report that cannot be written completely is removed; earlier its first part stayed
inject 20 --points 40 --only pool --family stream-write
# gnuplot is not started if its directory cannot be set; earlier it wrote into another directory
inject 25 --points 30 --only info-html --family malloc

# the walk finds a fault with a wrong outcome: a command that succeeds and writes other content
cat >liar <<'END'
#!/bin/sh
"$REAL_VALIDATE" "$@" 2>/dev/null || :
END
chmod +x liar
status=0
REAL_VALIDATE=$VALIDATE VALIDATE_INJECT_AS=$VALIDATE VALIDATE=$PWD/liar "$SRCDIR/tests/hostile/inject.sh" 0 - --points 40 --only import-csv --family read \
	>out 2>err || status=$?
[ $status -eq 1 ] ||
	fail "a command that hides its errors was not found: status $status: $(tail -n 3 out err)"
expect_line out 'FAIL import-csv'
