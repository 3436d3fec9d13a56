#include "ModelDriver.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// usage: ModelDriver FOLDER [alter=N] [lose=N] < SCRIPT
int main(int count, char **arguments) {
    if (count < 2 || chdir(arguments[1]) != 0) {
        fprintf(stderr, "ModelDriver: no folder to work in: %s\n", strerror(errno));
        return 2;
    }
    for (int index = 2; index < count; index++) {
        if (sscanf(arguments[index], "alter=%ld", &planted.alter) != 1
            && sscanf(arguments[index], "lose=%ld", &planted.lose) != 1) {
            fprintf(stderr, "ModelDriver: what is %s?\n", arguments[index]);
            return 2;
        }
    }
    umask(022);
    char *text = NULL;
    size_t capacity = 0;
    ssize_t length;
    for (long line = 1; (length = getline(&text, &capacity, stdin)) >= 0; line++) {
        if (length > 0 && text[length - 1] == '\n') text[length - 1] = 0;
        if (!carry_out(line, text)) {
            fprintf(stderr, "ModelDriver: line %ld is no operation: %s\n", line, text);
            return 2;
        }
        fflush(stdout);
    }
    free(text);
    printf("end\n");
    return 0;
}
