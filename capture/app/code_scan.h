/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds system call instructions in a program or library. They bypass the C library, and therefore
 * the preload library. Private to capture/.
 *
 * Searches the executable segments of an ELF file for the bytes of the instruction. To exclude
 * bytes inside another instruction, it disassembles up to these bytes from sixteen starting points.
 * Disassemblies that begin at different bytes soon agree, so most of them must reach the
 * instruction. The number of the call is the last constant that was loaded into its register, if
 * there is one.
 *
 * Only for x86-64. On other architectures, nothing is found. */
#pragma once

#include "common/std.h"

struct code_scan {
	uint32_t n_files; /* instructions that make calls on files: open, read, stat ... */
	uint32_t n_rings; /* instructions that make calls on io_uring */
	uint32_t n_setups; /* number of these that are io_uring_setup */
	uint32_t n_other; /* instructions that make other calls: futex, mmap of memory, signals */
	uint32_t n_any;	  /* instructions whose number is computed */
};

struct code_scanner { /* zero: not open */
	void *library;
};

/* Loads the disassembler (Capstone). Error: ENOENT, it is not installed. */
int code_scanner_open(struct code_scanner *s, struct err *e);

/* Also takes a scanner that is not open. */
void code_scanner_close(struct code_scanner *s);

/* False: the file cannot be read or has an unsupported format, or the scanner is not open. Then all
 * counts are 0. */
bool code_scan_file(const struct code_scanner *c, const char *path, struct code_scan *s);

/* Whether the object, by its file name, is part of the C library or makes no requests for the
 * program: dynamic linker, libc, the preload library, runtime libraries of compilers. */
bool code_scan_is_known(const char *path);
