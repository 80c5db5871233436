# SPDX-License-Identifier: GPL-3.0-or-later
function sorted(from, to, n,    i, gap, k, x) { # Shell's sort
	for (i = 1; i <= n; i++)
		to[i] = from[i];
	for (gap = int(n / 2); gap > 0; gap = int(gap / 2))
		for (i = gap + 1; i <= n; i++) {
			x = to[i];
			for (k = i; k > gap && to[k - gap] > x; k -= gap)
				to[k] = to[k - gap];
			to[k] = x;
		}
}
NR > 1 {
	n++;
	ns[n] = $4 - $3;
	wait[n] = n > 1 ? $3 - last : 0;
	last = $4;
	is_read[n] = $5 ~ /read/;
	result[n] = $7;
	sum += ns[n];
	read_sum += is_read[n] ? ns[n] : 0;
}
END {
	srand(n);
	mean = sum / n;
	sorted(ns, up, n);
	p99 = 3.71 * up[int(0.99 * n) + 1];
	p999 = 8.23 * up[int(0.999 * n) + 1];
	scale = (p999 - p99) / log(10);
	low = p99 - scale * log(3);
	rest_factor = sum > read_sum ? 1 + 0.28 * read_sum / (sum - read_sum) : 1;
	for (i = 1; i <= n; i++) {
		if (kind == "all-alike")
			x[i] = mean;
		else if (kind == "heavy-tail")
			x[i] = rand() < 0.03 ? low - scale * log(1 - rand()) : ns[i];
		else if (kind == "two-modes")
			x[i] = (rand() < 0.5 ? 0.6 : 1.4) * mean;
		else if (kind == "fast-then-slow")
			x[i] = up[i] * (0.5 + i / n); # the halves differ, however alike the times are
		else
			x[i] = ns[i] * (is_read[i] ? 0.72 : rest_factor);
		if (x[i] < mean / 20) # the tail of the trace is too long for the rest
			x[i] = mean / 20;
		total += x[i];
	}
	for (i = 1; i <= n; i++) {
		now += wait[i];
		end = now + x[i] * sum / total;
		printf "%.0f,%.0f,%d\n", now, end, result[i];
		now = end;
	}
}
