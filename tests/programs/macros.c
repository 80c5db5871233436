/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads ./text by getc_unlocked, which the compiler inlines, and by other calls in between: the
 * position of the stream, a line, back to the start of the buffer, to the end of the file. Also
 * reads ./one-more of 8193 bytes and ./whole of 8192. Prints the number of characters. */
#include <stdio.h>
#include <stdlib.h>

static int take(FILE *f, int n)
{
	int i = 0;
	while (i < n && getc_unlocked(f) != EOF)
		i++;
	return i;
}

int main(void)
{
	char line[100];
	FILE *f = fopen("text", "r");
	if (!f || take(f, 7) != 7 || ftell(f) != 7 || take(f, 5000) != 5000)
		return 1;
	if (!fgets(line, sizeof line, f) || ftell(f) > 5107)
		return 2;
	int n = (int)ftell(f) + take(f, 3000);
	if (fseek(f, -10, SEEK_CUR) || take(f, 10) != 10)
		return 3;
	n += take(f, 1000000);
	if (getc_unlocked(f) != EOF || ftell(f) != n || fclose(f))
		return 4;
	f = fopen("text", "r");
	if (!f || take(f, 1000000) != n || fclose(f))
		return 5;
	/* a buffer that a single character fills; reading from the end; reading after the buffer
	 * was discarded */
	f = fopen("one-more", "r");
	if (!f || take(f, 1000000) != 8193 || getc_unlocked(f) != EOF || fclose(f))
		return 6;
	f = fopen("whole", "r");
	if (!f || take(f, 3) != 3 || fseek(f, -4096, SEEK_END) || take(f, 1000000) != 4096 ||
	    fclose(f))
		return 7;
	f = fopen("whole", "r");
	if (!f || take(f, 3) != 3 || fflush(f) || take(f, 5) != 5 || ftell(f) != 8 ||
	    take(f, 1000000) != 8184 || fclose(f))
		return 8;
	printf("%d\n", n);
	return 0;
}
