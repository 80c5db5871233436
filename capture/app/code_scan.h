/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a program, or a library, makes system calls by instructions of its own, past the C
 * library: what a preloaded library cannot see. Private to capture/.
 *
 * The executable segments of an ELF file are searched for the bytes of the instruction; whether
 * they are one is found by disassembling up to them from sixteen places before: instruction streams
 * fall into step soon, so bytes inside another instruction are skipped by most of them. The number
 * of the call is the constant last put into its register, where that is one.
 *
 * x86-64 only; elsewhere nothing is looked at and nothing is found. */
#ifndef CAPTURE_CODE_SCAN_H
#define CAPTURE_CODE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct code_scan {
	uint32_t n_files; /* instructions that ask for files: open, read, stat ... */
	uint32_t n_rings; /* that set up or enter io_uring rings */
	uint32_t n_setups; /* of these: that set up rings */
	uint32_t n_other; /* for something else: futex, mmap of memory, signals */
	uint32_t n_any;	  /* whose number is put together when they run */
};

/* False: the file could not be read or is none that could be looked at; all is 0 then. */
bool code_scan_file(const char *path, struct code_scan *s);

/* Whether the object is the C library's own or one whose calls are known to be no requests of the
 * program: the dynamic linker, libc and its parts, our library, the compilers' runtimes. By the
 * file's name. */
bool code_scan_is_known(const char *path);

#endif
