#include "CChecksums.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// CRC-64/XZ: the polynomial of ECMA-182 with bits reflected, register and result inverted. In reflected form bit i of
// a word stands for x^(63-i); the term x^64 is implied.
static const uint64_t polynomial = UINT64_C(0xC96C5795D7870F42);

enum { slices = 16 };

// Written once, before main, by the constructor below; constant from then on.
static uint64_t tables[slices][256];
static int can_fold;

// x^n modulo the polynomial, reflected: n times a multiplication by x, which is a shift to the right.
static uint64_t power_of_x(unsigned n) {
    uint64_t value = UINT64_C(1) << 63;
    while (n-- > 0) value = (value >> 1) ^ ((value & 1) ? polynomial : 0);
    return value;
}

// What folds a register of 128 bits over `bits` bits of further message. The product of two reflected words comes out
// one place too low, that is, times x; hence one power less.
struct fold_pair {
    uint64_t low;
    uint64_t high;
};

static struct fold_pair fold_over_512;
static struct fold_pair fold_over_128;

static struct fold_pair make_fold_pair(unsigned bits) {
    struct fold_pair pair = {power_of_x(bits + 64 - 1), power_of_x(bits - 1)};
    return pair;
}

__attribute__((constructor)) static void prepare(void) {
    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ ((crc & 1) ? polynomial : 0);
        tables[0][byte] = crc;
    }
    for (int slice = 1; slice < slices; slice++) {
        for (unsigned byte = 0; byte < 256; byte++) {
            uint64_t before = tables[slice - 1][byte];
            tables[slice][byte] = tables[0][before & 0xFF] ^ (before >> 8);
        }
    }
    fold_over_512 = make_fold_pair(512);
    fold_over_128 = make_fold_pair(128);
#if defined(__x86_64__)
    __builtin_cpu_init();
    can_fold = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#endif
}

int cchecksums_can_fold(void) { return can_fold; }

static uint64_t load_word(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

// Advances the inverted register over bytes, sixteen at a time.
static uint64_t advance_by_tables(uint64_t state, const uint8_t *bytes, size_t length) {
    while (length >= slices) {
        uint64_t first = load_word(bytes) ^ state;
        uint64_t second = load_word(bytes + 8);
        state = 0;
        for (int i = 0; i < 8; i++) {
            state ^= tables[15 - i][(first >> (8 * i)) & 0xFF];
            state ^= tables[7 - i][(second >> (8 * i)) & 0xFF];
        }
        bytes += slices;
        length -= slices;
    }
    while (length-- > 0) state = tables[0][(state ^ *bytes++) & 0xFF] ^ (state >> 8);
    return state;
}

uint64_t cchecksums_crc64_tables(uint64_t crc, const void *data, size_t length) {
    return ~advance_by_tables(~crc, data, length);
}

#if defined(__x86_64__)

__attribute__((target("pclmul,sse4.1"))) static inline __m128i load_block(const uint8_t *bytes) {
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

// The register carried over as many bits as `pair` was made for, plus the block that stands there.
__attribute__((target("pclmul,sse4.1"))) static inline __m128i fold(__m128i block, __m128i pair, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(block, pair, 0x00);
    __m128i high = _mm_clmulepi64_si128(block, pair, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

__attribute__((target("pclmul,sse4.1"))) uint64_t cchecksums_crc64_fold(
    uint64_t crc, const void *data, size_t length) {
    const uint8_t *bytes = data;
    if (length < 64) return cchecksums_crc64_tables(crc, data, length);

    __m128i a = _mm_xor_si128(load_block(bytes), _mm_cvtsi64_si128((long long)~crc));
    __m128i b = load_block(bytes + 16);
    __m128i c = load_block(bytes + 32);
    __m128i d = load_block(bytes + 48);
    bytes += 64;
    length -= 64;

    const __m128i far = _mm_set_epi64x((long long)fold_over_512.high, (long long)fold_over_512.low);
    while (length >= 64) {
        a = fold(a, far, load_block(bytes));
        b = fold(b, far, load_block(bytes + 16));
        c = fold(c, far, load_block(bytes + 32));
        d = fold(d, far, load_block(bytes + 48));
        bytes += 64;
        length -= 64;
    }

    const __m128i near = _mm_set_epi64x((long long)fold_over_128.high, (long long)fold_over_128.low);
    a = fold(a, near, b);
    a = fold(a, near, c);
    a = fold(a, near, d);
    while (length >= 16) {
        a = fold(a, near, load_block(bytes));
        bytes += 16;
        length -= 16;
    }

    // What is left is a message of 16 bytes with the same remainder as all before it.
    uint8_t rest[16];
    _mm_storeu_si128((__m128i *)(void *)rest, a);
    return ~advance_by_tables(advance_by_tables(0, rest, sizeof rest), bytes, length);
}

#else

uint64_t cchecksums_crc64_fold(uint64_t crc, const void *data, size_t length) {
    return cchecksums_crc64_tables(crc, data, length);
}

#endif

uint64_t cchecksums_crc64(uint64_t crc, const void *data, size_t length) {
    return can_fold ? cchecksums_crc64_fold(crc, data, length) : cchecksums_crc64_tables(crc, data, length);
}
