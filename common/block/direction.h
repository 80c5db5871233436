/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a request asks a block device for. */
#ifndef COMMON_BLOCK_DIRECTION_H
#define COMMON_BLOCK_DIRECTION_H

enum block_direction { BLOCK_READ, BLOCK_WRITE, BLOCK_DISCARD, BLOCK_FLUSH, BLOCK_OTHER };

#endif
