# What an install holds: both libraries, the headers, weir.pc and weirConfig.cmake. No file of it names
# the folder it was installed to, so the tree can be moved.
install(TARGETS weir weir_static EXPORT weirTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY core/include/weir readers/include/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")

# The static library's own needs, by plain name for whoever links it.
get_target_property(needs weir_layers INTERFACE_LINK_LIBRARIES)
set(plain_needs "")
foreach(need ${needs})
    if(need MATCHES "^PkgConfig::(.*)")
        list(APPEND plain_needs ${${CMAKE_MATCH_1}_STATIC_LIBRARIES})
    elseif(NOT need MATCHES "^::@") # a mark that CMake leaves between folders
        list(APPEND plain_needs ${need})
    endif()
endforeach()
target_link_libraries(weir_static INTERFACE "$<INSTALL_INTERFACE:${plain_needs}>")
list(TRANSFORM plain_needs PREPEND "-l" OUTPUT_VARIABLE private_libs)
list(TRANSFORM private_libs REPLACE "^-lThreads::Threads$" "-pthread")
list(JOIN private_libs " " private_libs)

include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/weir)
install(EXPORT weirTargets NAMESPACE weir:: DESTINATION ${package_folder})
write_basic_package_version_file(weirConfigVersion.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/weir.pc.in weir.pc @ONLY)
install(FILES cmake/weirConfig.cmake ${PROJECT_BINARY_DIR}/weirConfigVersion.cmake
    DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
