#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Prints core/powers.h: 10^k as 128 bits, rounded up, for each k that core/shortest.c asks for.
LEAST, MOST = -292, 324


def power(k):
    """g with 2^127 <= g < 2^128 and g = ceil(10^k / 2^(floor(log2 10^k) - 127))."""
    number, divisor = (10**k, 1) if k >= 0 else (1, 10**-k)
    shift = 127 + len(bin(divisor)) - len(bin(number)) + 1
    while True:
        top = number << max(shift, 0)
        bottom = divisor << max(-shift, 0)
        g = -(-top // bottom)
        if top < bottom << 128:
            return g
        shift -= 1


print("/* SPDX-License-Identifier: Apache-2.0")
print(" * powers.h: 10^k for k from %d to %d as the top 128 bits, rounded up; printed by" % (LEAST, MOST))
print(" * core/powers.py, for core/shortest.c. */")
print("#ifndef WEIR_CORE_POWERS_H\n#define WEIR_CORE_POWERS_H\n\n#include <stdint.h>\n")
print("enum {\n    POWER_LEAST = %d,\n    POWER_MOST = %d\n};\n" % (LEAST, MOST))
print("static const uint64_t powers[POWER_MOST - POWER_LEAST + 1][2] = {")
for k in range(LEAST, MOST + 1):
    g = power(k)
    assert 1 << 127 <= g < 1 << 128
    print("    { 0x%016x, 0x%016x }, /* %d */" % (g >> 64, g & (1 << 64) - 1, k))
print("};\n\n#endif")
