/* SPDX-License-Identifier: Apache-2.0
 * poison.h: tells the address sanitizer which parts of recycled memory nobody may touch, so that
 * recycling doesn't hide a use after release. Nothing in other builds. */
#ifndef WEIR_CORE_POISON_H
#define WEIR_CORE_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define WEIR_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEIR_HAS_ASAN 1
#endif
#endif

#ifdef WEIR_HAS_ASAN
#include <sanitizer/asan_interface.h>
#define WEIR_POISON(p, size) __asan_poison_memory_region(p, size)
#define WEIR_UNPOISON(p, size) __asan_unpoison_memory_region(p, size)
#else
#define WEIR_POISON(p, size) ((void)(p), (void)(size))
#define WEIR_UNPOISON(p, size) ((void)(p), (void)(size))
#endif

#endif
