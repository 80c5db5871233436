/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds system call instructions of a program or library, which bypass the C library and so the
 * preload library. Private to capture/.
 *
 * Searches the executable segments of an ELF file for the bytes of the instruction. To exclude
 * bytes inside another instruction, it disassembles up to them from sixteen starting points:
 * instruction streams soon fall into step, so most of them must arrive there. The number of the
 * call is the last constant loaded into its register, if there is one.
 *
 * x86-64 only; elsewhere nothing is found. */
#pragma once

#include "common/std.h"

struct code_scan {
	uint32_t n_files; /* instructions with calls on files: open, read, stat ... */
	uint32_t n_rings; /* with calls on io_uring */
	uint32_t n_setups; /* of these: io_uring_setup */
	uint32_t n_other; /* with other calls: futex, mmap of memory, signals */
	uint32_t n_any;	  /* with a computed number */
};

/* False: the file cannot be read or has an unsupported format; all counts are 0 then. */
bool code_scan_file(const char *path, struct code_scan *s);

/* Whether the object, by its file name, is part of the C library or makes no requests of the
 * program: dynamic linker, libc, our library, the compilers' runtimes. */
bool code_scan_is_known(const char *path);
