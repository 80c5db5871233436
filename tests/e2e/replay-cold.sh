# SPDX-License-Identifier: GPL-3.0-or-later
# A replay keeps cold metadata cold: between the eviction of the caches and the first request it
# looks up no name in the target directory. strace shows it, with every engine that runs here, for
# --cache cold and for caches that were dropped before the replay. As root, on ext4 on a loop
# device.
. "$SRCDIR/tests/e2e/lib.sh"

drop=/proc/sys/vm/drop_caches
[ "$(id -u)" -eq 0 ] && [ -w $drop ] || skip 'only root may drop dentries and inodes'
for program in strace mkfs.ext4 setpriv; do
	command -v $program >/dev/null || skip "$program is missing"
done
[ -z "${SANITIZE:-}" ] || skip 'a program with a sanitizer is not run under strace'
strace -o /dev/null true 2>/dev/null || skip 'strace may trace nothing here'
truncate -s 64M image
mkfs.ext4 -q -F image
mkdir target
mount -o loop image target 2>/dev/null || skip 'no loop device can be mounted here'
trap 'umount target' EXIT
chmod 755 target

# The first call creates a special name, which marks the begin of the requests in strace's output.
n_files=300
{
	echo 'mkdir("/begins", 0755) = 0'
	i=0
	while [ $i -lt $n_files ]; do
		mkdir -p "target/d$((i / 20))"
		echo "file $i" >"target/d$((i / 20))/f$i"
		echo "stat(\"/d$((i / 20))/f$i\", {st_mode=S_IFREG|0644, st_size=10}) = 0"
		flags=O_RDONLY
		[ $i -eq 7 ] && flags='O_RDONLY|O_NOFOLLOW'
		echo "openat(AT_FDCWD, \"/d$((i / 20))/f$i\", $flags) = 3"
		echo 'read(3, "file", 4) = 4'
		echo 'close(3) = 0'
		i=$((i + 1))
	done
	echo 'rmdir("/begins") = 0'
} | awk '{ printf "10 1.%06d %s <0.000001>\n", NR, $0 }' >calls.strace
expect_status 0 "$VALIDATE" import -q calls.strace -o calls.trace

look_ups() { # LOG: names of the target that were looked up, though only in the dentry cache
	grep -E '"([^"]*/)?d[0-9]+(/f[0-9]+)?"' "$1" | grep -cv RESOLVE_CACHED || :
}
# before the first request, and after drop_caches was written, if the replay writes it
before_requests() { # LOG
	awk '/mkdirat.*"begins"/ { exit } /drop_caches/ && /open/ { dropped = 1 } { line[++n] = $0; if (dropped == 1) { n = 0; dropped = 2 } }
		END { for (i = 1; i <= n; i++) print line[i] }' "$1"
}
replayed() { # ENGINE [OPTION...]: under strace, into ./log
	engine=$1
	shift
	expect_status 0 strace -f -s 200 -o log -e trace=%file,openat2 \
		"$VALIDATE" replay --engine "$engine" --no-sync-output --dir target -o out.trace "$@" calls.trace
	expect_line out 'mismatches      0'
	grep -q 'mkdirat.*"begins"' log || fail "engine $engine: strace shows no first request"
}

engines='event coordinator'
command -v "${CC:-cc}" >/dev/null && engines="$engines compiled"
for engine in $engines; do
	# --cache cold: no look-up after the drop
	replayed "$engine" --cache cold
	expect_line out 'dentries and inodes were dropped'
	grep -q "drop_caches.*O_WRONLY" log || fail "engine $engine: nothing was dropped"
	before_requests log >between
	n=$(look_ups between)
	[ "$n" -eq 0 ] ||
		fail "engine $engine: $n look-ups between the eviction and the first request: $(head -n 3 between)"
	expect_status 0 "$VALIDATE" info --json out.trace
	grep -q '"metadata_cache": "dropped"' out ||
		fail 'the replay trace does not say that metadata were dropped'

	# caches that were dropped before the replay: at most one name is looked up, to check that
	# the directory is the right one
	sync
	echo 3 >$drop
	replayed "$engine"
	before_requests log >between
	n=$(look_ups between)
	[ "$n" -le 1 ] || fail "engine $engine: $n look-ups before the first request: $(head -n 3 between)"
	n=$(look_ups log)
	[ "$n" -ge $n_files ] || fail "strace shows $n look-ups in all: this test sees nothing"

	# O_NOFOLLOW: relative to the directory, as programs that walk through trees
	grep -q 'openat([0-9]*, "f7", [A-Z_|]*O_NOFOLLOW' log ||
		fail "engine $engine: a name with O_NOFOLLOW is not opened in its directory: $(grep 'f7"' log)"
done

# a missing file is still named before the start
mkdir empty
expect_status 3 "$VALIDATE" replay --dir empty calls.trace
expect_line err 'more are missing; --prepare'
[ -z "$(ls empty)" ] || fail 'a replay that was refused has made something'
mv target/d3/f61 target/d3/moved
expect_status 3 "$VALIDATE" replay --dir target calls.trace
expect_line err 'd3/f61: missing; --prepare'
mv target/d3/moved target/d3/f61

# without the privilege the pages are evicted, and the metadata are reported as warm
cp "$VALIDATE" calls.trace target
chmod 755 target/validate
chown -R 65534 target
expect_status 0 setpriv --reuid 65534 --clear-groups target/validate replay --cache cold --dir target --no-sync-output -o target/user.trace \
	target/calls.trace
expect_line out 'warm metadata'
expect_status 0 "$VALIDATE" info --json target/user.trace
grep -q '"metadata_cache": "warm"' out ||
	fail 'the replay trace does not say that metadata were warm'

# a directory in memory cannot be cold
if [ -d /dev/shm ]; then
	in_memory=$(mktemp -d /dev/shm/replay-cold.XXXXXX)
	trap 'umount target; rm -rf "$in_memory"' EXIT
	cp -r target/d* "$in_memory"
	expect_status 3 "$VALIDATE" replay --cache cold --dir "$in_memory" calls.trace
	expect_line err 'file system in memory'
fi
