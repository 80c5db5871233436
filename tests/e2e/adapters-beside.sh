# SPDX-License-Identifier: GPL-3.0-or-later
# Replayers that replace the files of their target, or write beside it: that run fails, with what was done as its reason, and no other.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

mkdir files scratch outside
echo kept >outside/f
replayer() { # NAME COMMANDS: a replayer that does that in its target directory, $0, with its scratch directory in $1
	cat <<-END
		[replayer $1]
		engine = exec
		export = csv
		command = ["sh", "-c", "cd \"\$0\" && f=\$(ls | head -n 1) && $2; echo 1,2",
		    "{dir}", "$PWD"]
		times = self:csv(begin=1, end=2, unit=us)
	END
}
{
	cat <<-END
		[protocol]
		seed = 5
		replicates = 3
		allow-undecidable = yes
		scratch = $PWD/scratch
		min-duration = 0
		[target here]
		dir = $PWD/files
		cache = as-is
		[workload reads]
		type = random-read
		requests = 50
		file-size = 64K
		[replayer event]
		engine = event
	END
	replayer symlink "rm \$f && ln -s \$1/outside/f \$f"
	replayer hardlink "ln \$f ../second.\$\$"
	replayer pipe "rm \$f && mkfifo \$f"
	replayer another "cp \$f x && mv x \$f"
	replayer removes "rm \$f"
	replayer directory "rm \$f && mkdir -p \$f/more"
	replayer beside "mkdir -p ../beside/more && echo x >../beside/more/f"
	replayer itself "mv \$PWD ../moved.\$\$ && ln -s \$1/outside \$PWD"
	replayer banks "for b in \$1/scratch/*/bank*; do echo >\$b; done; cd \$1/scratch/*/ && mkdir -p blank.trace"
} >bad.conf
status=0
"$VALIDATE" run bad.conf -o results -q >out 2>err || status=$?
[ "$status" -le 4 ] && [ "$status" -ne 2 ] && [ "$status" -ne 3 ] || fail "status $status: $(cat err)"
reasons() { # REPLAYER TEXT: each of its 4 runs failed for that
	role=$(jq -r --arg name "$1" '.replayers | index($name)' results/plan.json)
	for run in $(jq -r --argjson role "$role" '.runs | to_entries[] | select(.value[3] == $role) | .key' results/plan.json); do
		grep "\"event\":\"run\",\"run\":$run,\"state\":\"failed\"" results/journal >line || fail "$1: run $run did not fail"
		expect_line line "$2"
	done
}
reasons symlink "by a symbolic link"
reasons hardlink 'made second'
reasons pipe "by a named pipe"
reasons another "by another file"
reasons removes "the replayer removed '"
reasons directory "by a directory"
reasons beside 'made ' # the adapter says it of a new name, the campaign of a changed one
reasons itself 'replaced its target'
reasons banks 'changed the trace that it was to replay'
jq -e '[.league[] | select(.replayer == "event")][0] | .n_failed_runs == 0' results/report/report.json >/dev/null ||
	fail "runs of event failed for what others did: $(grep '"state":"failed"' results/journal)"
n=$(grep -c '"event":"run".*"state":"failed"' results/journal)
[ "$n" = 36 ] || fail "$n runs failed, not 36: $(grep '"state":"failed"' results/journal)"
[ "$(cat outside/f)" = kept ] || fail 'a file outside was changed'
# what the replayers made beside the files may belong to others: it stays and is named, and nothing else stays
grep -q '"event":"left behind"' results/journal || fail 'the journal does not say what stayed'
[ "$(ls -A scratch)" = '' ] || fail "left behind: $(ls -AR scratch)"
for name in files/validate-*/*; do
	case ${name##*/} in beside | moved.* | second.*) ;; *) fail "left behind: $name" ;; esac
done
