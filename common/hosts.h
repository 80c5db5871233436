/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists of hosts, and launchers that run a process on a host: ssh, srun, mpirun, kubectl exec. A
 * launcher runs `sh -s` there and connects standard input, output and error. */
#pragma once

#include "common/words.h"

#define HOSTS_MAX 256

/* The hosts of a file (a name per line; text after # and blank lines are ignored), or of a list
 * such as a,node[01-12,20]. Errors: EINVAL for bad syntax, a name that is no host name, a name that
 * occurs twice, or more than HOSTS_MAX hosts; of reading. Ownership: words_list_release. */
int hosts_parse(const char *text, struct words_list *names, struct err *e);

#define HOSTS_LAUNCHER "ssh {host}"
/* Errors: EINVAL if it is no command (words_parse), or does not contain {host}. */
int host_launcher_check(const char *launcher, struct err *e);

struct host_process {
	pid_t pid; /* of the launcher */
	int input; /* standard input of the shell, after its script; owned */
};

/* Starts a shell on the host with `script`, less than 64 KiB. The shell may read more of its input
 * than the script: send nothing until the script has answered. `output` and `messages` become its
 * standard output and error. Errors: of the launcher; of the system. Ownership: the caller waits
 * for the process and closes `input`. */
int host_start(struct host_process *p, const char *launcher, const char *host, const char *script,
	       int output, int messages, struct err *e);
