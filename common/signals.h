/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holds back the signals that end a command (SIGINT, SIGTERM, SIGHUP) while work must not be cut
 * off. */
#pragma once

#include "common/std.h"

/* Signals within this time are one request to end: timeout(1) sends one signal to the process and
 * another to its process group. */
#define SIGNALS_APART_NS 300000000

/* Sets *set to the signals that end a command and, with `children`, SIGCHLD. Blocks them in the
 * calling thread. *before is the previous mask, for signals_release(). An ignored SIGHUP (nohup) is
 * left out, so it stays ignored. */
void signals_hold(sigset_t *set, bool children, sigset_t *before);

/* Discards the pending signals of the set. */
void signals_discard(const sigset_t *set);

/* Restores the previous mask. `signalled`: the caller has taken a signal and will report it. Then
 * a second signal that is pending, and that the previous mask does not block, is discarded, because
 * it would end the process before the report. Otherwise a pending signal acts now. */
void signals_release(const sigset_t *before, bool signalled);
