# SPDX-License-Identifier: GPL-3.0-or-later
# long: 35 s
# A few seconds of make torture: hostile traces with every engine, kills and full disks. It must
# also detect a harmful program in place of validate.
. "$SRCDIR/tests/e2e/lib.sh"

[ "$(id -u)" -eq 0 ] || skip "a mount namespace with loop devices needs root"
torture=$BUILD/tests/torture
export ASAN_OPTIONS="detect_leaks=0:allocator_may_return_null=1:${ASAN_OPTIONS:-}"

mkdir keep
status=0
"$torture" --rounds 1 --seconds 60 --limit 60 --seed 11 "$VALIDATE" keep >out 2>err &
pid=$!
wait $pid || status=$?
[ $status -ne 77 ] || skip "$(cat err)"
[ $status -eq 0 ] || fail "status $status: $(cat out err)"
n=$(awk '$1 == "count" && $2 != "replays-failures" { n += $3 } END { print n + 0 }' out)
[ "$n" -ge 100 ] || fail "$n traces were tried"
expect_line out 'count replays-failures 0'
[ -z "$(ls keep)" ] || fail "kept without a failure: $(ls keep)"
[ ! -e "/sys/fs/cgroup/devices/validate-torture-$pid" ] || fail 'a device cgroup was left'

# a program of each harmful kind: the kind "command" executes the program
harm() { # WHAT REASON COMMANDS [LIMIT]
	what=$1 reason=$2
	printf '#!/bin/sh\necho "validate: an error" >&2\n%s\n' "$3" >"$what"
	chmod +x "$what"
	status=0
	"$torture" --rounds 1 --seconds 60 --limit "${4:-60}" --kind command --only 12345 "$what" keep >out 2>err ||
		status=$?
	[ $status -eq 1 ] || fail "$what: status $status: $(cat out err)"
	expect_line out "$reason"
	[ -s keep/command-12345.trace ] && [ -s keep/command-12345.txt ] ||
		fail "$what: its trace was not kept"
	rm -f keep/*
}
harm writes-outside '/mnt/canary/file was changed' 'echo x >>/mnt/canary/file; exit 3'
harm makes-outside '/mnt/canary was changed' ': >/mnt/canary/new; exit 3'
harm changes-mode '/mnt/canary/dir/inner was changed' 'chmod 777 /mnt/canary/dir/inner; exit 3'
harm writes-device 'the canary device was written' 'echo x >/mnt/bound/disk; exit 3'
harm replaces-null '/dev was changed' 'rm /dev/null; exit 3'
harm leaves-file 'left behind: /mnt/target/.validate-abc' ': >/mnt/target/.validate-abc; exit 3'
harm leaves-scratch 'left behind: /mnt/tmp/x' ': >$TMPDIR/x; exit 3'
harm crashes 'ended by signal 11' 'kill -SEGV $$'
harm hangs 'it hung' 'exec sleep 100' 1
harm leaves-process '1 processes were left' 'sleep 100 & exit 3'
harm hides-refusal 'exit status 0 although a call was refused' 'echo "refused: a is a device"; exit 0'
harm odd-status 'exit status 9' 'exit 9'

# the sandbox permits no writes to files of the machine
harm escapes 'exit status 9' "echo x 2>/dev/null >'$PWD/escaped'; mknod /mnt/tmp/n b 254 0 2>/dev/null; rm -f /mnt/tmp/n; exit 9"
[ ! -e escaped ] || fail 'a file of the machine was written'

mkdir kills full
(cd kills && sh "$SRCDIR/tests/hostile/torture-kills.sh" 2 1) >out 2>err ||
	fail "kills: $(cat out err)"
[ "$(sed -n 's/^count kills //p' out)" -gt 0 ] || fail 'nothing was killed'
expect_line out 'count kills-failures 0'
status=0
(cd full && sh "$SRCDIR/tests/hostile/torture-full-disk.sh" 2 1) >out 2>err || status=$?
[ $status -ne 77 ] || skip "$(cat out)"
[ $status -eq 0 ] || fail "full disk: $(cat out err)"
[ "$(sed -n 's/^count full-disk //p' out)" -gt 0 ] || fail 'no disk was filled'
