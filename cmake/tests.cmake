# weir_test(NAME FILE...): a Criterion program over the whole library, hidden symbols included.
# weir_stress(NAME FILE...): a plain main; ctest label `stress`, also run under TSan.
# weir_fuzz(NAME CORPUS FILE...): LLVMFuzzerTestOneInput; ctest replays the folder CORPUS with any
#   compiler, at each level of kernels, and WEIR_FUZZ adds the libFuzzer program NAME_engine.
# weir_python_test(NAME SCRIPT ARG...): a script for WEIR_PYTHON; skipped with a word without it. It
#   finds the build in the environment variable WEIR_BUILD.
# weir_faulty(NAME): that test can make allocations fail: core/test/failing.h.
# A test that exits with 77 was skipped.
file(WRITE ${PROJECT_BINARY_DIR}/fuzzers "")
if(WEIR_TESTS)
    enable_testing()
    find_path(CRITERION_INCLUDE criterion/criterion.h REQUIRED)
    find_library(CRITERION_LIBRARY criterion REQUIRED)
endif()

function(weir_program name)
    add_executable(${name} ${ARGN})
    target_link_libraries(${name} PRIVATE weir_testable)
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
endfunction()

function(weir_add_test name)
    add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 900
        ENVIRONMENT "WEIR_BUILD=${PROJECT_BINARY_DIR}")
endfunction()

# In place of a test that can't be built here.
function(weir_skip_test name why)
    weir_add_test(${name} sh ${PROJECT_SOURCE_DIR}/cmake/skip.sh ${why})
endfunction()

function(weir_test name)
    if(NOT WEIR_TESTS OR WEIR_SANITIZE MATCHES "thread")
        return()
    endif()
    weir_program(${name} ${ARGN})
    target_include_directories(${name} SYSTEM PRIVATE ${CRITERION_INCLUDE})
    target_link_libraries(${name} PRIVATE ${CRITERION_LIBRARY})
    weir_add_test(${name} ${name})
endfunction()

function(weir_stress name)
    if(NOT WEIR_TESTS)
        return()
    endif()
    weir_program(${name} ${ARGN})
    weir_add_test(${name} ${name})
    set_tests_properties(${name} PROPERTIES LABELS stress)
endfunction()

function(weir_faulty name)
    if(TARGET ${name})
        target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/core/test/failing.c)
        target_link_options(${name} PRIVATE
            -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc)
    endif()
endfunction()

function(weir_fuzz name corpus)
    if(WEIR_TESTS AND NOT WEIR_SANITIZE MATCHES "thread")
        weir_program(${name} ${ARGN} ${PROJECT_SOURCE_DIR}/core/test/fuzz_replay.c)
        weir_add_test(${name} ${name} ${corpus})
        foreach(level scalar avx2 avx512) # the best level the CPU has is the test above
            weir_add_test(${name}_${level} ${name} ${corpus})
            set_tests_properties(${name}_${level} PROPERTIES ENVIRONMENT WEIR_SIMD=${level})
        endforeach()
    endif()
    if(WEIR_FUZZ)
        weir_program(${name}_engine ${ARGN})
        target_link_options(${name}_engine PRIVATE -fsanitize=fuzzer)
        file(APPEND ${PROJECT_BINARY_DIR}/fuzzers "${name} ${corpus}\n")
    endif()
endfunction()

function(weir_python_test name script)
    if(NOT WEIR_TESTS OR WEIR_SANITIZE MATCHES "thread")
        return()
    endif()
    if(WEIR_PYTHON)
        weir_add_test(${name} ${WEIR_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${script} ${ARGN})
    else()
        weir_skip_test(${name} "no Python with pyarrow (WEIR_PYTHON)")
    endif()
    set_tests_properties(${name} PROPERTIES LABELS python)
endfunction()
