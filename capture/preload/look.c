/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library's own copy, compiled with its flags. */
#include "capture/look.c"
