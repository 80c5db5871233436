# SPDX-License-Identifier: GPL-3.0-or-later
# Made by validate judge --rerun: runs a captured command again in a copy of its files.
dir=$2/rerun
home=$dir$in_home
work=$home/$below
case $1 in
prepare)
	rm -rf "$dir"
	mkdir -p "$home"
	if [ "$files" ]; then
		cp -a -- "$files/." "$home"
		mkdir -p "$work"
	else
		"$VALIDATE" replay --engine=event --order=thread --prepare-only --dir="$dir" "$trace" >&2
		mkdir -p "$work"
		cd "$home"
		# content of the files whose size is unchanged
		find . -type f -exec sh -c 'for f do
			o=$0/${f#./}
			[ ! -f "$o" ] || [ "$(stat -c %s "$o")" != "$(stat -c %s "$f")" ] || cp -pf "$o" "$f" || exit 1
		done' "$base" {} +
	fi
	;;
run)
	cd "$work"
	status=0
	command_again || status=$?
	if [ "$status" -ne "$status_captured" ]; then
		echo "the command ended with status $status, and with $status_captured when it was captured" >&2
		[ "$status" -eq 0 ] && exit 1 || exit "$status"
	fi
	;;
esac
