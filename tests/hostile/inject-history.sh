# SPDX-License-Identifier: GPL-3.0-or-later
# Runs after history add with a fault: the old entries of the history are still there, and the new
# campaign is in it if the command reported success. Usage: PROGRAM STATUS.
program=$1 status=$2
"$program" history show db --format json >tmp/show 2>tmp/err ||
	{ echo "the history is broken: $(cat tmp/err)" >&2; exit 1; }
n=$(grep -o '"campaign": *"[0-9a-f]*"' tmp/show | sort -u | wc -l)
[ "$status" -ne 0 ] || [ "$n" -ge 2 ] || { echo 'the campaign is not in the history' >&2; exit 1; }
[ "$n" -ge 1 ] || { echo 'the history was lost' >&2; exit 1; }
