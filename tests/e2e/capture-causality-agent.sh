# SPDX-License-Identifier: GPL-3.0-or-later
# long: 13 s
# waits: for a slow connection
# capture causality --hosts: over a slow connection, measuring the clock takes longer than an
# application may go without a request; a signal ends an agent; two agents end a stuck application.
. "$SRCDIR/tests/e2e/lib.sh"
preload_before_sanitizer

cat >slow <<'END'
#!/bin/sh
# slow HOST COMMAND...: each message to the command takes 20 ms
shift
while IFS= read -r line; do
	sleep 0.02
	printf '%s\n' "$line"
done | "$@"
END
cat >fast <<END
#!/bin/sh
# fast HOST COMMAND...: the process becomes the agent
shift
echo \$\$ >"$PWD/agent.pid"
exec "\$@"
END
cat >application <<'END'
#!/bin/sh
for i in 1 2 3; do
	echo "$i" >>files/data
done
END
chmod +x slow fast application
mkdir files scratch
capture() { # launcher, command...
	launcher=$1
	shift
	rm -rf trace trace.runs files/data
	timeout 60 "$VALIDATE" capture causality -o trace --root files --scratch "$PWD/scratch" \
		--hosts "${hosts:-here}" --launcher "$PWD/$launcher {host}" --floor 1ms -- "$@"
}
expect_status 0 capture slow ./application
expect_line out 'of 1 node'

# at once with the end of the application, or before
for rest in true 'exec sleep 60'; do
	expect_status 3 capture fast sh -c "echo 1 >>files/data; kill -TERM \$(cat agent.pid); $rest"
	expect_line err 'the process that watches the ranks there has ended: signal 15 (Terminated) ended the recording on this host before the application ended (status 3)'
done
# the second delayed run is stuck, and ends one second after the signal; by then, the agents of both
# hosts have ended. The run is repeated.
cat >second <<END
#!/bin/sh
# second HOST COMMAND...: the host "there" has shared memory of its own
host=\$1
shift
[ \$host = there ] || exec "\$@"
exec unshare --map-root-user --mount sh -c 'mount -t tmpfs tmpfs "$PWD/scratch" && exec "\$@"' sh "\$@"
END
cat >stuck <<'END'
#!/bin/sh
echo run >>runs
if [ "$(wc -l <runs)" = 2 ]; then
	trap 'sleep 1; exit 1' TERM
	for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1; done
fi
exec ./application
END
chmod +x second stuck
if unshare --map-root-user --mount mount -t tmpfs tmpfs "$PWD/scratch" 2>/dev/null; then
	hosts=here,there
	expect_status 0 capture second ./stuck
	expect_line out 'are repeated with 2 times the values of --factor and --floor'
fi
left=$(find scratch -name 'validate-*')
[ -z "$left" ] || fail "left behind: $left"
