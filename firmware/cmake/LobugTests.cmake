# The unit tests: one program for the core, one for the sockets; a CTest test for each folder.
file(GLOB_RECURSE core_test_sources CONFIGURE_DEPENDS tests/*.cpp)
set(sockets_test_sources ${core_test_sources})
list(FILTER core_test_sources EXCLUDE REGEX "/tests/(sockets/|main.cpp)")
list(FILTER sockets_test_sources INCLUDE REGEX "/tests/sockets/")

# A test with threads, files or sockets of the operating system includes their headers.
function(keep_tests list_name mode)
  set(kept)
  foreach(source IN LISTS ${list_name})
    file(STRINGS ${source} matches REGEX "^#include <(thread|mutex|future|filesystem|sys/.*)>")
    if(source MATCHES "_threads\\.cpp$")
      list(APPEND matches threads)
    endif()
    if(mode STREQUAL "with_threads" AND matches)
      list(APPEND kept ${source})
    elseif(mode STREQUAL "without_threads" AND NOT matches)
      list(APPEND kept ${source})
    endif()
  endforeach()
  set(${list_name} ${kept} PARENT_SCOPE)
endfunction()

if(LOBUG_SANITIZE MATCHES "thread") # has something to see only where threads are
  keep_tests(core_test_sources with_threads)
elseif(CMAKE_CROSSCOMPILING) # newlib has no threads
  keep_tests(core_test_sources without_threads)
endif()

set(core_area_sources ${core_test_sources})

# Tests are compiled far more often than run: optimising them takes two or three times as long.
add_library(lobug_tests INTERFACE)
target_include_directories(lobug_tests INTERFACE tests)
target_link_libraries(lobug_tests INTERFACE lobug_doctest lobug_warnings)
target_compile_options(lobug_tests INTERFACE -O0)
# An assertion is one call, where it would be a lambda with a try block: a tenth of the compiler's
# time. An exception out of an assertion ends its test case, which has failed then.
target_compile_definitions(lobug_tests INTERFACE DOCTEST_CONFIG_SUPER_FAST_ASSERTS)

# One test lives through hours of replies and is optimised. As an object library it is linked first:
# the linker keeps the first copy of an inline function, and that of a file without optimisation is
# four times as slow. Not precompiled, since what is precompiled is not optimised.
set(core_tests_first)
set(optimised_test ${CMAKE_CURRENT_SOURCE_DIR}/tests/audio/test_poor_network.cpp)
if(optimised_test IN_LIST core_test_sources)
  list(REMOVE_ITEM core_test_sources ${optimised_test})
  set_source_files_properties(${optimised_test} PROPERTIES COMPILE_OPTIONS -O1)
  add_library(lobug_optimised_test OBJECT ${optimised_test})
  target_link_libraries(lobug_optimised_test PRIVATE lobug_core lobug_tests)
  set(core_tests_first lobug_optimised_test)
endif()

# What an optimiser gets wrong is seen only in what it has optimised, and by itself.
set_source_files_properties(
  ${CMAKE_CURRENT_SOURCE_DIR}/tests/base/test_compiler.cpp
  PROPERTIES COMPILE_OPTIONS -O2 SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)

# doctest itself, compiled once for both programs.
add_library(lobug_tests_main OBJECT tests/main.cpp)
target_link_libraries(lobug_tests_main PRIVATE lobug_tests)
if(CMAKE_CROSSCOMPILING)
  target_sources(lobug_tests_main PRIVATE arm/newlib_gaps.cpp)
endif()

# A CTest test for each folder of `sources`; a filter that finds no test is a failure.
function(add_area_tests program sources)
  set(areas)
  foreach(source IN LISTS ${sources})
    if(source MATCHES "/firmware/tests/([^/]+)/.*test_[^/]*\\.cpp$")
      list(APPEND areas ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES areas)
  foreach(area IN LISTS areas)
    add_test(NAME ${area} COMMAND ${program} --source-file=*/tests/${area}/*)
    set_tests_properties(${area} PROPERTIES TIMEOUT 600 FAIL_REGULAR_EXPRESSION
                                            "test cases: +0 [|]")
  endforeach()
endfunction()

if(core_test_sources)
  add_executable(core_tests ${core_test_sources})
  target_link_libraries(core_tests PRIVATE ${core_tests_first} lobug_core lobug_tests
                                           lobug_tests_main)
  if(TARGET Threads::Threads)
    target_link_libraries(core_tests PRIVATE Threads::Threads)
  endif()
  unite(core_tests ${core_test_sources})
  precompile(core_tests <doctest/doctest.h> <algorithm> <array> <cstddef> <cstdint> <deque>
             <functional> <memory> <string> <string_view> <vector>)
  add_area_tests(core_tests core_area_sources)
endif()

if(TARGET lobug_sockets AND sockets_test_sources AND NOT LOBUG_SANITIZE MATCHES "thread")
  add_executable(sockets_tests ${sockets_test_sources})
  target_link_libraries(sockets_tests PRIVATE lobug_sockets lobug_tests lobug_tests_main)
  unite(sockets_tests ${sockets_test_sources})
  add_area_tests(sockets_tests sockets_test_sources)
endif()
