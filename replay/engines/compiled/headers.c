/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay/engines/compiled/compiled.h"

/* The Makefile generates a list of all headers that program.h includes. The assembler includes
 * their files as bytes. */
#define HEADER(path) ".asciz \"" path "\"\n.incbin \"" path "\"\n.byte 0\n"
__asm__(".section .rodata\n.global program_headers\nprogram_headers:\n"
#include "program-headers.inc"
	".byte 0\n.previous\n");

const char *program_header_text(const char *path)
{
	return path + strlen(path) + 1;
}

const char *program_header_next(const char *path)
{
	const char *text = program_header_text(path);
	return text + strlen(text) + 1;
}
