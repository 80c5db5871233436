# SPDX-License-Identifier: GPL-3.0-or-later
# Captured programs replay without a mismatch and leave an equal tree: kinds, sizes and modes, in orders fs and temporal, by engines
# event and compiled.
. "$SRCDIR/tests/e2e/lib.sh"
compiler=${CC:-cc}

captured() { # NAME OPTIONS COMMAND: a shell command in ./NAME.run, to ./NAME.trace
	(cd "$1.run" && "$VALIDATE" capture app $2 --root "$PWD" -o "../$1.trace" -- sh -c "$3") >capture.out 2>&1 ||
		fail "capture of $1: $(cat capture.out)"
	grep -q 'ended with status 0' capture.out || fail "$1 failed: $(cat capture.out)"
}

tree_of() { # DIR
	(cd "$1" && find . -mindepth 1 -printf '%P %y %m %l ' \( -type f -printf '%s\n' -o -printf '\n' \) | sort)
}

replayed() { # NAME
	tree_of "$1.run" >wanted
	for engine in event compiled; do
		for order in fs temporal; do
			rm -rf tree
			mkdir tree
			expect_status 0 "$VALIDATE" replay --engine $engine --order $order --prepare --dir tree -o out.trace "$1.trace"
			expect_line out 'mismatches      0'
			tree_of tree >left
			cmp -s wanted left || fail "$1, $engine, $order: the trees differ: $(diff wanted left | head -n 20)"
		done
	done
}

# positions of streams that no call adds up to, with the state at first from a snapshot and inferred
$compiler -w -O1 -o seek "$SRCDIR/tests/programs/seek.c" || fail 'seek.c does not compile'
for options in --snapshot --no-characters; do
	rm -rf seek.run
	mkdir seek.run
	head -c 100000 /dev/zero >seek.run/in
	captured seek $options "../seek <in"
	replayed seek
done

# modes: access control lists that say no more than permissions (cp, install, sed), and those of directories at first
source_tree() { # DIR
	mkdir -p "$1/src/d"
	for i in 1 2 3; do
		head -c 1000 /dev/zero >"$1/src/f$i"
		head -c 5000 /dev/zero >"$1/src/d/g$i"
	done
	chmod 600 "$1/src/f1"
	chmod 750 "$1/src/d/g1"
	chmod 755 "$1/src/f2"
	[ "$(id -u)" -ne 0 ] || chmod 444 "$1/src/d/g2" # an ordinary user keeps what the next restore needs
	chmod 700 "$1/src/d"
}
source_tree copied.run
captured copied --snapshot 'cp -a src dst; install -m 0711 src/f1 inst; install -d -m 0710 instd; sed -i s/x/y/ src/f1 src/d/g1
	cp -p src/d/g1 pp; chmod a+x src/f3; mv src/f2 src/f2b'
replayed copied
source_tree shredded.run
captured shredded --snapshot 'cp -a src dst; find dst -type f -exec chmod u+w {} + -exec shred -n 1 -u {} +'
replayed shredded

# permissions by a link of /proc that names a descriptor
cat >link.c <<'END'
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void)
{
	char path[40];
	int fd = open("by-link", O_WRONLY | O_CREAT, 0600);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return fd < 0 || chmod(path, 0751) || access(path, X_OK);
}
END
$compiler -w -o link link.c || fail 'link.c does not compile'
mkdir link.run
captured link --snapshot ../link
replayed link

# the kernel's tracepoints see such a list, too
mkdir traced
printf x >traced/from
chmod 711 traced/from
if "$VALIDATE" capture vfs --paths bpf -o traced.trace -- cp -p traced/from traced/to >traced.out 2>&1; then
	"$VALIDATE" info --csv traced.csv traced.trace >/dev/null
	if grep -q ',fsetxattr,' traced.csv; then
		grep -q ',fsetxattr,.*flags=0x81c90000' traced.csv || fail "no permissions: $(grep fsetxattr traced.csv)"
	fi
else
	echo "capture vfs is not tried: $(cat traced.out)"
fi
