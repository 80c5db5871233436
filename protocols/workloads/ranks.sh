# SPDX-License-Identifier: GPL-3.0-or-later
# What the scripts of parallel applications share, besides lib.sh: they are validate's own (validate microbench --list), started as the ranks of an
# MPI job. $RANKS is how many, if not as many as the script says in `ranks`; `application` prints which it is, with options.
#
# With a device, there is a file system on it, and requests go past the page cache (not where the script says buffered=yes).
validate=${VALIDATE:-validate}

# What starts the ranks is kept beside their directory: whoever reads it makes no request in there.
prepare() {
	[ -z "$device" ] || file_system
	direct=${device:+--direct}
	[ -z "${buffered:-}" ] || direct=
	# shellcheck disable=SC2046,SC2154
	set -- $(application) $direct --level "${RANKS:-$ranks}" --dir "$dir"
	"$validate" microbench "$@" --prepare-only
	"$validate" microbench "$@" --print-command >"$dir.command"
	sync -f "$dir"
}

run() {
	eval "exec $(cat "$dir.command")"
}
