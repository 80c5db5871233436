# SPDX-License-Identifier: GPL-3.0-or-later
# A campaign as an ordinary user: functions that need root are replaced or skipped, and listed.
. "$SRCDIR/tests/e2e/lib.sh"
. "$SRCDIR/tests/e2e/campaign-lib"

[ "$(id -u)" -eq 0 ] || skip "is run as an ordinary user already"
command -v setpriv >/dev/null || skip "no setpriv to become an ordinary user"
dir=$(mktemp -d /var/tmp/validate-user-XXXXXX)
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
cp "$VALIDATE" "$dir/validate"
chmod 755 "$dir/validate"
mkdir "$dir/home"
tiny "$dir/home/tiny.conf"
chown -R 12345:12345 "$dir/home"
cd "$dir/home"
as_user() {
	setpriv --reuid 12345 --regid 12345 --clear-groups env HOME="$dir/home" TMPDIR=/tmp LC_ALL=C "$@"
}
as_user "$dir/validate" version >/dev/null 2>&1 || skip "an ordinary user cannot run programs in /var/tmp"

status=0
as_user "$dir/validate" run tiny.conf -o results -q >out 2>err || status=$?
[ $status -ne 2 ] && [ $status -ne 3 ] || fail "status $status: $(cat err)"
complete results $N_TINY
grep -q '"state":"failed"' results/journal && fail "a run failed: $(grep '"state":"failed"' results/journal | head -n 1)"
clean results
expect_line results/environment.json 'memory cgroup with a page-cache budget'
expect_line results/environment.json 'posix_fadvise(DONTNEED)'
grep -qi 'cgroup' results/report/report.json || fail "the report does not name skipped functions"
# evicted nevertheless, if the file system permits it
"$VALIDATE" doctor . | grep -q '^WARN.*target' || ! grep -q '"cached_bytes":[1-9]' results/journal ||
	fail "something stayed cached: $(grep -m1 '"cached_bytes":[1-9]' results/journal)"

# an unavailable setting is an error before the measurement, and in the plan
refused() { # PROTOCOL RESULTS MESSAGE
	expect_status 3 as_user "$dir/validate" run "$1" -o "$2" -q
	expect_line err "$3"
	expect_status 3 as_user "$dir/validate" run "$1" -o "$2" --dry-run
	expect_line err "$3"
}
sed 's/^replicates.*/&\nscheduler = fifo:10/' tiny.conf >fifo.conf
refused fifo.conf fifo 'cannot set its scheduling policy'
sed 's/^replicates.*/&\ncpus = 1023/' tiny.conf >cpus.conf
refused cpus.conf cpus 'CPU'
# of a list the first permitted policy is used
sed 's/^replicates.*/&\nscheduler = fifo:10, batch/' tiny.conf >list.conf
expect_status 0 as_user "$dir/validate" run list.conf -o list --dry-run
status=0
as_user "$dir/validate" run list.conf -o list -q >out 2>err || status=$?
[ $status -ne 2 ] && [ $status -ne 3 ] || fail "status $status: $(cat err)"
[ "$(jq -r .scheduling.policy.policy list/environment.json)" = batch ] ||
	fail "the second policy is not used"
expect_line list/environment.json 'real-time scheduling (fifo:10)'
grep -q '^validate:' err && fail "an error although the campaign ended: $(cat err)"
for how in drop all; do
	sed "s/^cache = cold/&\nevict = $how/" tiny.conf >drop.conf
	refused drop.conf "drop-$how" "evict = $how needs the right to write"
done
# the device of the target must have the setting, and permit its change
sed 's/^cache = cold/&\nqueue = no_such_setting=1/' tiny.conf >queue.conf
refused queue.conf queue 'queue setting'
sed 's/^cache = cold/&\nqueue = nr_requests=64/' tiny.conf >queue.conf
refused queue.conf queue 'queue setting'

# a target that he may not write to
sed 's|^cache = cold|&\ndir = /|' tiny.conf >root.conf
expect_status 3 as_user "$dir/validate" run root.conf -o root -q
expect_line err 'in the target directory /: Permission denied'
