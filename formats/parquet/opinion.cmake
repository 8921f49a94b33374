# The second opinion on Thrift: check_opinion, over code that thrift-c's compiler makes of
# parquet.thrift, which the PyPI package fastparquet ships. Skipped with a word where a part is
# missing. Label: corpus.
if(NOT WEIR_TESTS OR WEIR_SANITIZE MATCHES "thread")
    return()
endif()

find_program(THRIFT_COMPILER thrift)
find_program(PYTHON3 python3)
pkg_check_modules(THRIFT_C QUIET thrift_c_glib gobject-2.0)
set(opinion_python ${WEIR_PYTHON} ${PYTHON3})
set(opinion_idl ${CMAKE_CURRENT_BINARY_DIR}/parquet.thrift)
set(opinion_lacks "")
if(NOT THRIFT_COMPILER)
    set(opinion_lacks "no thrift compiler (thrift-compiler)")
elseif(NOT THRIFT_C_FOUND)
    set(opinion_lacks "no thrift-c (libthrift-c-glib-dev, libglib2.0-dev)")
elseif(NOT opinion_python)
    set(opinion_lacks "no python3")
elseif(NOT EXISTS ${opinion_idl})
    list(GET opinion_python 0 python)
    execute_process(
        COMMAND ${python} ${CMAKE_CURRENT_SOURCE_DIR}/test/opinion_fetch.py ${opinion_idl}
        RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed)
        file(REMOVE ${opinion_idl})
        set(opinion_lacks "no parquet.thrift: fastparquet is not installed and can't be fetched")
    endif()
endif()

if(opinion_lacks)
    weir_skip_test(check_opinion "${opinion_lacks}")
else()
    set(opinion_made ${CMAKE_CURRENT_BINARY_DIR}/opinion)
    list(GET opinion_python 0 python)
    add_custom_command(
        OUTPUT ${opinion_made}/parquet_types.c ${opinion_made}/parquet_types.h
               ${opinion_made}/opinion_walk.inc
        COMMAND ${CMAKE_COMMAND} -E make_directory ${opinion_made}
        COMMAND ${THRIFT_COMPILER} --gen c_glib -out ${opinion_made} ${opinion_idl}
        COMMAND ${python} ${CMAKE_CURRENT_SOURCE_DIR}/test/opinion_walk.py ${opinion_idl}
                ${opinion_made}/opinion_walk.inc
        DEPENDS ${opinion_idl} test/opinion_walk.py)
    weir_program(check_opinion test/check_opinion.c ${opinion_made}/parquet_types.c
        ${opinion_made}/opinion_walk.inc)
    set_source_files_properties(${opinion_made}/parquet_types.c PROPERTIES COMPILE_OPTIONS -w)
    target_include_directories(check_opinion SYSTEM PRIVATE ${opinion_made}
        ${THRIFT_C_INCLUDE_DIRS})
    target_link_libraries(check_opinion PRIVATE ${THRIFT_C_LINK_LIBRARIES})
    weir_add_test(check_opinion check_opinion)
    # thrift-c's generated readers and GLib's types keep memory until the process ends.
    set_property(TEST check_opinion APPEND PROPERTY ENVIRONMENT ASAN_OPTIONS=detect_leaks=0)
endif()
set_tests_properties(check_opinion PROPERTIES LABELS corpus)
