/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations of requests on a block device. */
#ifndef COMMON_BLOCK_DIRECTION_H
#define COMMON_BLOCK_DIRECTION_H

enum block_direction { BLOCK_READ, BLOCK_WRITE, BLOCK_DISCARD, BLOCK_FLUSH, BLOCK_OTHER };

#endif
