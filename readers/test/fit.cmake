# The shared library is what its headers say: each declared function links, nothing else is exported,
# and libc is all it needs until a codec is opened.
if(NOT WEIR_TESTS)
    return()
endif()

file(GLOB headers ${PROJECT_SOURCE_DIR}/core/include/weir/*.h
    ${PROJECT_SOURCE_DIR}/readers/include/weir/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
set(functions "")
set(twins "")
foreach(header ${headers})
    file(READ ${header} text)
    string(REGEX MATCHALL "\nWEIR_API [^;{]*" declarations "${text}")
    foreach(declaration ${declarations})
        string(REGEX MATCH "(weir_[a-z0-9_]+)\\(" found "${declaration}")
        list(APPEND functions ${CMAKE_MATCH_1})
    endforeach()
    string(REGEX MATCHALL "\nWEIR_INLINE [^;{]*" declarations "${text}")
    foreach(declaration ${declarations})
        string(REGEX MATCH "(weir_[a-z0-9_]+)\\(" found "${declaration}")
        list(APPEND twins ${CMAKE_MATCH_1})
    endforeach()
endforeach()
list(SORT functions)
list(SORT twins)

set(api_table "")
foreach(function ${functions})
    string(APPEND api_table "    { \"${function}\", (anything *)${function} },\n")
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/test_api_links.c.in test_api_links.c @ONLY)
add_executable(test_api_links ${CMAKE_CURRENT_BINARY_DIR}/test_api_links.c)
target_link_libraries(test_api_links PRIVATE weir)
set_target_properties(test_api_links PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
weir_add_test(test_api_links test_api_links)

weir_add_test(test_exports sh ${CMAKE_CURRENT_LIST_DIR}/test_exports.sh $<TARGET_FILE:weir>
    ${PROJECT_SOURCE_DIR}/weir.map ${functions} ${twins})
if(NOT WEIR_SANITIZE AND NOT WEIR_STATIC_CODECS)
    weir_add_test(test_needs sh ${CMAKE_CURRENT_LIST_DIR}/test_needs.sh $<TARGET_FILE:weir>
        ${CMAKE_BUILD_TYPE})
endif()

# Whole files through the command and the main job's program, against what other readers say.
if(TARGET weir_cli)
    weir_add_test(test_golden sh ${CMAKE_CURRENT_LIST_DIR}/test_golden.sh $<TARGET_FILE:weir_cli>
        ${PROJECT_SOURCE_DIR}/datasets/golden parquet 100)
    weir_add_test(test_golden_hipo sh ${CMAKE_CURRENT_LIST_DIR}/test_golden.sh
        $<TARGET_FILE:weir_cli> ${PROJECT_SOURCE_DIR}/datasets/hipo hipo 53)
    foreach(folder golden hipo)
        weir_add_test(test_${folder}_bad sh ${CMAKE_CURRENT_LIST_DIR}/test_golden_bad.sh
            $<TARGET_FILE:weir_cli> ${PROJECT_SOURCE_DIR}/datasets/${folder}/bad)
    endforeach()
endif()
weir_add_test(test_sample sh ${CMAKE_CURRENT_LIST_DIR}/test_sample.sh
    ${PROJECT_BINARY_DIR}/perf/weir_taxi ${PROJECT_SOURCE_DIR}/datasets/sample)

weir_python_test(test_differential test/differential.py)

# Files that lie.
weir_fuzz(fuzz_file ${PROJECT_SOURCE_DIR}/datasets/golden ${CMAKE_CURRENT_LIST_DIR}/fuzz_file.c)
weir_fuzz(fuzz_file_hipo ${PROJECT_SOURCE_DIR}/datasets/hipo
    ${CMAKE_CURRENT_LIST_DIR}/fuzz_file.c)
weir_program(hostile ${CMAKE_CURRENT_LIST_DIR}/hostile.c)
if(NOT WEIR_SANITIZE MATCHES "thread")
    weir_add_test(test_cut hostile cut ${PROJECT_SOURCE_DIR}/datasets/golden)
    weir_add_test(test_mutated hostile mutate ${PROJECT_SOURCE_DIR}/datasets/golden 20000)
    weir_add_test(test_cut_hipo hostile cut ${PROJECT_SOURCE_DIR}/datasets/hipo)
    weir_add_test(test_mutated_hipo hostile mutate ${PROJECT_SOURCE_DIR}/datasets/hipo 20000)
    weir_add_test(test_bad_files sh -c "exec ${PROJECT_BINARY_DIR}/tests/hostile files \
\"\${WEIR_CORPUS:-/nonexistent}/parquet/bad\"")
    set_tests_properties(test_cut test_mutated test_cut_hipo test_mutated_hipo test_bad_files
        PROPERTIES LABELS slow)
endif()
