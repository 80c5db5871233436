/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes by putc_unlocked, which the compiler inlines, between calls of all kinds on the same
 * streams. Each file has the size and content that calls alone would give. Prints nothing; status
 * 0. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void put(FILE *f, int n)
{
	static int next;
	for (int i = 0; i < n; i++)
		putc_unlocked('a' + next++ % 26, f);
}

int main(void)
{
	static char own[300];
	FILE *f = fopen("mixed", "w+"), *other = fopen("other", "w");
	if (!f || !other)
		return 1;
	put(f, 10000);
	put(other, 3);
	if (fputs("by a call", f) < 0 || ftell(f) != 10009 || ftell(other) != 3)
		return 2;
	put(f, 5000);
	if (fprintf(f, "%d", 12345) != 5 || fwrite(own, 1, sizeof own, f) == 0 ||
	    fputc('c', f) != 'c')
		return 3;
	put(f, 100);
	if (fflush(f))
		return 4;
	put(f, 100);
	if (fseek(f, 50, SEEK_SET))
		return 5;
	put(f, 10);
	rewind(f);
	put(f, 4096);
	if (fclose(f))
		return 6;
	/* its own buffer; no file is closed, so the end of the program flushes it */
	setvbuf(other, own, _IOFBF, sizeof own);
	put(other, 1000);
	/* and at the end of a child, which has created a stream of its own */
	if (fflush(other))
		return 7;
	put(other, 70);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		FILE *mine = fopen("child", "w");
		put(mine, 5);
		exit(0);
	}
	int status;
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		return 8;
	put(other, 90); /* more than the content that was truncated */
	/* memory streams are not recorded; nothing is lost if a stream replaces a closed stream */
	char *text = NULL;
	size_t n = 0;
	FILE *memory = open_memstream(&text, &n);
	put(memory, 9000);
	if (fclose(memory) || n != 9000)
		return 9;
	free(text);
	FILE *again = fopen("again", "a");
	put(again, 20);
	if (!(again = freopen("more", "w", again)))
		return 10;
	put(again, 30);
	return 0;
}
