/* SPDX-License-Identifier: Apache-2.0
 * kernels_arm.h: the kernels that pay in NEON and their table. Part of kernels.c. NEON belongs to
 * every 64-bit ARM, so the compiler vectorises the scalar table with it, too. */

#include <arm_neon.h>

static const weir_kernels *const tables[] = { &scalar };

static size_t runnable(void)
{
    return 1;
}
