/* SPDX-License-Identifier: GPL-3.0-or-later */
/* File actions of posix_spawn(). The C library carries them out in the child before the program
 * starts, by system calls that no hook sees. They are read from the object of the program, and
 * recorded as requests of the child without a duration. */
#pragma once

#include <spawn.h>

#include "capture/preload/core.h"

/* Call it before the call: records the initial state of the files. `actions` may be NULL. */
HIDDEN void file_actions_look(const posix_spawn_file_actions_t *actions);
/* Call it after the call, which began at `begin` and started `child`. 0: the call failed, so it is
 * unknown which actions were carried out. If actions on files remain unknown, the trace counts the
 * call. */
HIDDEN void file_actions_note(const posix_spawn_file_actions_t *actions, uint64_t begin,
			      pid_t child);
