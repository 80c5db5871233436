/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads read-only streams whose positions do not follow from the lengths of calls: relative to the
 * end of the file, on a descriptor that was moved, on an inherited descriptor. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char buffer[5000];

static int from_end(void)
{
	FILE *f = fopen("in", "r");
	int n = 0;
	n += f && fseek(f, -1000, SEEK_END) == 0 && ftell(f) == 99000 &&
	     fread(buffer, 1, 100, f) == 100;
	n += fseek(f, 0, SEEK_END) == 0 && ftell(f) == 100000 && fread(buffer, 1, 1, f) == 0;
	n += fseek(f, -22, SEEK_END) == 0 && fread(buffer, 1, 5000, f) == 22 && ftell(f) == 100000;
	n += fseek(f, -500, SEEK_END) == 0 && fseek(f, 100, SEEK_CUR) == 0 && ftell(f) == 99600 &&
	     getc(f) != EOF;
	n += fseek(f, 5, SEEK_SET) == 0 && ftell(f) == 5 && fread(buffer, 1, 10, f) == 10 &&
	     ftell(f) == 15;
	return n == 5 && fclose(f) == 0;
}

static int moved_descriptor(void)
{
	int fd = open("in", O_RDONLY), n = 0;
	n += lseek(fd, 50000, SEEK_SET) == 50000 && read(fd, buffer, 100) == 100;
	FILE *f = fdopen(fd, "r");
	n += f && ftell(f) == 50100 && fread(buffer, 1, 10, f) == 10 && ftell(f) == 50110;
	n +=
	    lseek(fd, 70000, SEEK_SET) == 70000 && fseek(f, 0, SEEK_END) == 0 && ftell(f) == 100000;
	fclose(f);
	f = fopen("in", "r");
	n += f && lseek(fileno(f), 1234, SEEK_SET) == 1234 && ftell(f) == 1234 &&
	     fread(buffer, 1, 10, f) == 10;
	return n == 4 && fclose(f) == 0;
}

int main(void)
{
	int n = 0;
	n += read(0, buffer, 300) == 300 && ftell(stdin) == 300 &&
	     fread(buffer, 1, 100, stdin) == 100 && ftell(stdin) == 400;
	return !(n + from_end() + moved_descriptor() == 3);
}
