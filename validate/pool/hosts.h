/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A protocol on several hosts, each of which is started by a launcher (common/hosts.h).
 *
 * The program and the protocol must have the same paths on every host. The results of a host are in
 * DIR/hosts/HOST on that host. If DIR is not on shared storage, the host sends them back as a tar
 * archive in base64 on standard output. A host ends its campaign when its standard input ends. */
#pragma once

#include "common/words.h"

struct hosts_spec {
	/* words as for words_parse; {host} is replaced by the name of the host */
	const char *launcher;
	const char *dir;      /* absolute; exists on this host */
	const char *program;  /* absolute path of validate */
	const char *protocol; /* absolute path */
	char *const *options; /* of `validate run`, NULL-terminated */
	/* options of `validate run --resume`, for a host that has begun; NULL: a new campaign */
	char *const *resume_options;
	/* Called when a host has ended. `failure` is NULL, or the reason in one line. */
	void (*ended)(void *ctx, const char *host, const char *failure);
	void *ctx;
};

/* Returns the results directory of a host. The caller frees. */
char *hosts_results(const char *dir, const char *host);

/* Runs the protocol on all hosts at the same time. Sets failed[names->n]. DIR/hosts/HOST.log
 * contains the messages of a host. Errors: EINVAL for the launcher; of files. A failed host is not
 * an error. */
int hosts_run(const struct hosts_spec *s, const struct words_list *names, bool *failed,
	      struct err *e);
