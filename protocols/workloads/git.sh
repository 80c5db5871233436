#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Clones a local repository object by object and packs the clone again.
# usage: git.sh prepare|run|clean DIR [SIZE]    commits: 30 times SIZE (at least 4), of 20 files each
name=git needs='git awk'
. "$(dirname "$0")/lib.sh"

# no settings of a user, and no dependence on the clock
HOME=/nonexistent GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null GIT_TERMINAL_PROMPT=0
GIT_AUTHOR_NAME=author GIT_AUTHOR_EMAIL=author@example.org GIT_AUTHOR_DATE='2000-01-01T00:00:00Z'
GIT_COMMITTER_NAME=author GIT_COMMITTER_EMAIL=author@example.org GIT_COMMITTER_DATE='2000-01-01T00:00:00Z'
export HOME GIT_CONFIG_NOSYSTEM GIT_CONFIG_GLOBAL GIT_TERMINAL_PROMPT GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_AUTHOR_DATE
export GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL GIT_COMMITTER_DATE

prepare() {
	git init -q -b main source
	git -C source config gc.auto 0
	commit=0
	while [ $commit -lt $((size ? size * 30 : 4)) ]; do
		commit=$((commit + 1))
		random 400 $commit | awk -v dir=source/d$((commit % 7)) 'BEGIN { system("mkdir -p " dir) }
			{ print "line", NR, $1 >sprintf("%s/f%02d", dir, int((NR - 1) / 20)) }'
		git -C source add .
		git -C source commit -q -m "commit $commit"
	done
}

run() {
	# one thread: what is done in which order does not depend on the number of processors
	git -c pack.threads=1 -c index.threads=1 -c checkout.workers=1 clone -q --no-local --template= source clone
	git -C clone -c pack.threads=1 -c gc.auto=0 gc -q --prune=now
}

main "$@"
