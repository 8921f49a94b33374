/* SPDX-License-Identifier: Apache-2.0
 * failing.h: makes chosen allocations of the program fail. For tests that weir_faulty (see
 * cmake/tests.cmake) links with: malloc, calloc, realloc and aligned_alloc of our own objects go
 * through failing.c; those inside shared libraries don't. Any thread. */
#ifndef WEIR_CORE_TEST_FAILING_H
#define WEIR_CORE_TEST_FAILING_H

#include <stdint.h>

/* From now on allocations are counted from 0, and `count` of them fail from number `first` on. */
void failing_begin(int64_t first, int64_t count);
/* Nothing fails from here on. How many allocations there were since failing_begin: `first` failed
 * when it is less. */
int64_t failing_end(void);

#endif
