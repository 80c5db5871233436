/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of hosts, and launchers that run a process on a host: ssh, srun, mpirun, kubectl exec. A
 * launcher runs `sh -s` on the host and connects its standard input, output and error. */
#pragma once

#include "common/words.h"

#define HOSTS_MAX 256

/* Reads the hosts from a file (one name per line; text after # and blank lines are ignored), or
 * from a list such as a,node[01-12,20]. Errors: EINVAL: bad syntax, an invalid host name, a
 * repeated name, or more than HOSTS_MAX hosts; of reading. Ownership: words_list_release. */
int hosts_parse(const char *text, struct words_list *names, struct err *e);

#define HOSTS_LAUNCHER "ssh {host}"
/* Errors: EINVAL: the text is not a command (words_parse), or does not contain {host}. */
int host_launcher_check(const char *launcher, struct err *e);
/* Errors: ENOENT: the program of the launcher does not exist; EINVAL as above. */
int host_launcher_find(const char *launcher, struct err *e);

struct host_process {
	pid_t pid; /* process of the launcher */
	int input; /* standard input of the shell, after the script; owned */
};

/* Starts a shell on the host with `script`, which has less than 64 KiB. The shell may read more of
 * its input than the script, so send nothing before the script has answered. The shell writes its
 * standard output to `output` and its standard error to `messages`. Errors: of the launcher; of the
 * system. Ownership: the caller waits for the process and closes `input`. */
int host_start(struct host_process *p, const char *launcher, const char *host, const char *script,
	       int output, int messages, struct err *e);
