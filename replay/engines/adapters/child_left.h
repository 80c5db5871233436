/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The children of this process, from /proc: what a program has left behind with a subreaper. */
#ifndef REPLAY_ADAPTER_CHILD_LEFT_H
#define REPLAY_ADAPTER_CHILD_LEFT_H

#include <stddef.h>
#include <stdint.h>

/* "name (number), ...": as many as fit. Gives how many there are; those that have ended already are none. */
uint32_t child_left_name(char *text, size_t size);
/* SIGKILL to each. Their own children become ours then. */
void child_left_kill(void);
/* Until there is none any more, of a process that has no others. */
void child_left_end(void);

#endif
