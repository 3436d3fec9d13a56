#include "CObjectServer.h"

#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// The reflected form of 0x42F0E1EBA9EA3693 (ECMA-182).
#define POLYNOMIAL 0xC96C5795D7870F42ull

static uint64_t tables[16][256];
static uint64_t fold_512[2], fold_128[2];
static int has_carryless_multiply;
static pthread_once_t prepared = PTHREAD_ONCE_INIT;

static uint64_t times_x(uint64_t value) { return (value >> 1) ^ ((value & 1) ? POLYNOMIAL : 0); }

// x^exponent modulo the polynomial, reflected: the coefficient of x^0 is bit 63.
static uint64_t power_of_x(unsigned exponent) {
    uint64_t value = 1ull << 63;
    while (exponent-- > 0) value = times_x(value);
    return value;
}

static void prepare(void) {
    for (unsigned byte = 0; byte < 256; byte++) {
        uint64_t value = byte;
        for (int bit = 0; bit < 8; bit++) value = times_x(value);
        tables[0][byte] = value;
    }
    for (unsigned byte = 0; byte < 256; byte++)
        for (int slice = 1; slice < 16; slice++)
            tables[slice][byte] = tables[0][tables[slice - 1][byte] & 0xFF] ^ (tables[slice - 1][byte] >> 8);
    // A reflected carry-less product stands one bit low, hence the exponents less one.
    fold_512[0] = power_of_x(512 + 64 - 1);
    fold_512[1] = power_of_x(512 - 1);
    fold_128[0] = power_of_x(128 + 64 - 1);
    fold_128[1] = power_of_x(128 - 1);
#if defined(__x86_64__)
    has_carryless_multiply = __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("sse4.1");
#endif
}

// Works on the register, which is the complement of the CRC.
static uint64_t update_by_tables(uint64_t state, const uint8_t *bytes, size_t length) {
    while (length >= 16) {
        uint64_t low, high;
        memcpy(&low, bytes, 8);
        memcpy(&high, bytes + 8, 8);
        low ^= state;
        state = 0;
        for (int index = 0; index < 8; index++) {
            state ^= tables[15 - index][(low >> (8 * index)) & 0xFF];
            state ^= tables[7 - index][(high >> (8 * index)) & 0xFF];
        }
        bytes += 16;
        length -= 16;
    }
    while (length-- > 0) state = tables[0][(state ^ *bytes++) & 0xFF] ^ (state >> 8);
    return state;
}

#if defined(__x86_64__)
__attribute__((target("pclmul,sse4.1"))) static __m128i folded(__m128i state, __m128i factors, __m128i next) {
    __m128i low = _mm_clmulepi64_si128(state, factors, 0x00);
    __m128i high = _mm_clmulepi64_si128(state, factors, 0x11);
    return _mm_xor_si128(_mm_xor_si128(low, high), next);
}

// Folds four lanes of 128 bits over the input, then the lanes into one, whose 16 bytes the tables finish.
__attribute__((target("pclmul,sse4.1"))) static uint64_t update_by_folding(uint64_t state, const uint8_t *bytes,
                                                                          size_t length) {
    const __m128i *block = (const __m128i *)bytes;
    const __m128i by_512 = _mm_set_epi64x((long long)fold_512[1], (long long)fold_512[0]);
    const __m128i by_128 = _mm_set_epi64x((long long)fold_128[1], (long long)fold_128[0]);
    __m128i lanes[4];
    for (int lane = 0; lane < 4; lane++) lanes[lane] = _mm_loadu_si128(block + lane);
    lanes[0] = _mm_xor_si128(lanes[0], _mm_set_epi64x(0, (long long)state));
    block += 4;
    length -= 64;
    while (length >= 64) {
        for (int lane = 0; lane < 4; lane++)
            lanes[lane] = folded(lanes[lane], by_512, _mm_loadu_si128(block + lane));
        block += 4;
        length -= 64;
    }
    __m128i sum = lanes[0];
    for (int lane = 1; lane < 4; lane++) sum = folded(sum, by_128, lanes[lane]);
    uint8_t rest[16];
    _mm_storeu_si128((__m128i *)rest, sum);
    return update_by_tables(update_by_tables(0, rest, 16), (const uint8_t *)block, length);
}
#endif

uint64_t cobjectserver_crc64(uint64_t crc, const void *bytes, size_t length) {
    pthread_once(&prepared, prepare);
#if defined(__x86_64__)
    if (has_carryless_multiply && length >= 128) return ~update_by_folding(~crc, bytes, length);
#endif
    return ~update_by_tables(~crc, bytes, length);
}

uint64_t cobjectserver_crc64_tables(uint64_t crc, const void *bytes, size_t length) {
    pthread_once(&prepared, prepare);
    return ~update_by_tables(~crc, bytes, length);
}

// The product of two polynomials, modulo ours.
static uint64_t times(uint64_t left, uint64_t right) {
    uint64_t product = 0;
    for (; left != 0; left <<= 1) {
        if (left >> 63) product ^= right;
        right = times_x(right);
    }
    return product;
}

uint64_t cobjectserver_crc64_combine(uint64_t first, uint64_t second, uint64_t second_length) {
    // first * x^(8 * second_length): by squaring, from x^8 on.
    uint64_t power = power_of_x(8);
    for (; second_length != 0; second_length >>= 1) {
        if (second_length & 1) first = times(power, first);
        power = times(power, power);
    }
    return first ^ second;
}
