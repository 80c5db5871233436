/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holds back the signals that end a command (SIGINT, SIGTERM, SIGHUP) while work must not be cut
 * off. */
#pragma once

#include "common/std.h"

/* Sets *set to the signals that end a command and, with `children`, SIGCHLD. Blocks them in the
 * calling thread. *before is the previous mask, for signals_release(). */
void signals_hold(sigset_t *set, bool children, sigset_t *before);

/* Restores the previous mask. A signal that is still pending and that the mask does not block is
 * discarded: a sender such as timeout(1) sends one signal to the process and another to its process
 * group, and the second signal must not end the process before it has reported the first. */
void signals_release(const sigset_t *before);
