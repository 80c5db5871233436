/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Passes a descriptor and a number to another process through a Unix socket (SCM_RIGHTS, unix(7)).
 */
#pragma once

#include "common/std.h"

/* Returns 0 or a positive errno. */
int descriptor_send(int socket, uint32_t number, int fd);

/* Receives with FD_CLOEXEC. Returns false if the socket is closed or fails. *fd is -1 if only the
 * number arrived. Ownership of *fd: the caller. */
bool descriptor_receive(int socket, uint32_t *number, int *fd);
