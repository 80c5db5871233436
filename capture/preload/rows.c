/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiles the shared code with the flags of the library. */
#include "capture/syscall_table.c"
