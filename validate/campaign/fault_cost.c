/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "validate/campaign/fault_cost.h"

#include <math.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "validate/stats/quantiles.h"

#define N_PAGES 512
#define N_REGIONS 9

static double touch_ns(volatile char *at, size_t page)
{
	int64_t before = clock_monotonic_ns();
	for (size_t i = 0; i < N_PAGES; i++)
		at[i * page] = 1;
	return (double)(clock_monotonic_ns() - before) / N_PAGES;
}

double fault_cost_ns(void)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	double cost[N_REGIONS], median;
	for (int i = 0; i < N_REGIONS; i++) {
		void *at = mmap(NULL, N_PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED)
			return NAN;
		madvise(at, N_PAGES * page, MADV_NOHUGEPAGE);
		cost[i] = touch_ns(at, page);
		cost[i] = fmax(0, cost[i] - touch_ns(at, page));
		munmap(at, N_PAGES * page);
	}
	return sample_median(cost, N_REGIONS, &median) ? NAN : median;
}
