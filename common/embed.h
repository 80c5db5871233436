/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

/* Defines `const char NAME[]`: the bytes of the file at PATH, a path in the source tree, and a NUL.
 * The assembler reads the file, so the Makefile lists it as a prerequisite of the object. */
#define EMBED(NAME, PATH)                                                                          \
	__asm__(".section .rodata\n"                                                               \
		".global embedded_" #NAME "\n"                                                     \
		"embedded_" #NAME ":\n"                                                            \
		".incbin \"" PATH "\"\n"                                                           \
		".byte 0\n"                                                                        \
		".previous\n");                                                                    \
	extern const char NAME[] __asm__("embedded_" #NAME) __attribute__((visibility("hidden")))
