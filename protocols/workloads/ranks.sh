# SPDX-License-Identifier: GPL-3.0-or-later
# Common functions of the scripts of parallel applications, beside lib.sh. The applications are
# those of validate microbench --list, started as the ranks of an MPI job. $RANKS is the number of
# ranks (default: `ranks` of the script). $LAUNCHER is the command that starts them (default: that of
# validate microbench). `application` prints the application with its options.
#
# On a device there is a file system, and requests bypass the page cache (unless the script sets
# buffered=yes).
validate=${VALIDATE:-validate}

# The command that starts the ranks is stored beside their directory, so that reading it makes no
# request in the directory.
prepare() {
	# mkfs.ext4 takes a fifth of the time without the blocks that it reserves for a larger device
	[ -z "$device" ] || file_system -O ^resize_inode
	direct=${device:+--direct}
	[ -z "${buffered:-}" ] || direct=
	# shellcheck disable=SC2046,SC2154
	set -- $(application) $direct --level "${RANKS:-$ranks}" --dir "$dir" ${LAUNCHER:+--launcher "$LAUNCHER"}
	"$validate" microbench "$@" --prepare-only
	"$validate" microbench "$@" --print-command >"$dir.command"
	sync -f "$dir"
}

run() {
	eval "exec $(cat "$dir.command")"
}
