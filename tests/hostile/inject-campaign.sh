# SPDX-License-Identifier: GPL-3.0-or-later
# Runs after a campaign with a fault: without the fault the campaign can be resumed, is then
# complete and has its report.
#
# Usage: PROGRAM STATUS, in the directory that holds results.
program=$1 status=$2
case $status in
0 | 1 | 4) ;;
*)
	# before its journal begins, a campaign has no results that could be lost, and it starts again
	[ -s results/journal ] || exit 0
	"$program" run -o results --resume --quiet >tmp/out 2>tmp/err
	status=$?
	case $status in
	0 | 1 | 4) ;;
	*)
		echo "resumed with status $status: $(head -c 1000 tmp/err)" >&2
		exit 1
		;;
	esac
	;;
esac
left=$(find results -name '.validate-*' | head -n 1)
[ ! "$left" ] || { echo "left behind: $left" >&2; exit 1; }
"$program" report results --format json >tmp/report.json 2>tmp/err
again=$?
case $again in
0 | 1 | 4) ;;
*) echo "report with status $again: $(head -c 1000 tmp/err)" >&2; exit 1 ;;
esac
cmp -s tmp/report.json results/report/report.json ||
	{ echo 'the report is not what was printed' >&2; exit 1; }
# each planned run has one outcome that counts
n=$(sed -n 's/.*"event":"run","run":\([0-9]*\),.*/\1/p' results/journal | sort -un | wc -l)
planned=$(grep -o '"event":"\(start\|plan\)"[^}]*"n_runs":[0-9]*' results/journal | sed 's/.*://; q')
[ ! "$planned" ] || [ "$n" -eq "$planned" ] || { echo "$n of $planned runs" >&2; exit 1; }
