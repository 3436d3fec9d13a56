#include "CObjectServer.h"

#include <string.h>

void cobjectserver_pattern(void *bytes, size_t length, uint64_t position) {
    unsigned char *out = bytes;
    while (length > 0) {
        uint64_t word = position / 8 * 0x9E3779B97F4A7C15ull;
        if (position % 8 == 0 && length >= 8) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
            word = __builtin_bswap64(word);
#endif
            memcpy(out, &word, 8);
            out += 8;
            position += 8;
            length -= 8;
        } else {
            *out++ = (unsigned char)(word >> (position % 8 * 8));
            position++;
            length--;
        }
    }
}
