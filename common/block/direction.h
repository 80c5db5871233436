/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations of requests on a block device. */
#pragma once

enum block_direction { BLOCK_READ, BLOCK_WRITE, BLOCK_DISCARD, BLOCK_FLUSH, BLOCK_OTHER };
