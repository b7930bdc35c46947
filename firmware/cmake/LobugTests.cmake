# The unit tests: one program for the core, one for the sockets; a CTest test for each folder.
file(GLOB_RECURSE core_test_sources CONFIGURE_DEPENDS tests/*.cpp)
set(sockets_test_sources ${core_test_sources})
list(FILTER core_test_sources EXCLUDE REGEX "/tests/sockets/")
list(FILTER sockets_test_sources INCLUDE REGEX "/tests/(sockets/|main.cpp)")

# A test with threads, files or sockets of the operating system includes their headers.
function(keep_tests list_name mode)
  set(kept)
  foreach(source IN LISTS ${list_name})
    file(STRINGS ${source} matches REGEX "^#include <(thread|mutex|future|filesystem|sys/.*)>")
    if(source MATCHES "_threads\\.cpp$")
      list(APPEND matches threads)
    endif()
    if(source MATCHES "/tests/main\\.cpp$")
      list(APPEND kept ${source})
    elseif(mode STREQUAL "with_threads" AND matches)
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

# Tests are compiled far more often than run: optimising them takes two or three times as long.
add_library(lobug_tests INTERFACE)
target_include_directories(lobug_tests INTERFACE tests)
target_link_libraries(lobug_tests INTERFACE lobug_doctest lobug_warnings)
target_compile_options(lobug_tests INTERFACE -O0)
# But for one that lives through hours of replies. What is precompiled is not optimised, and holds
# doctest without its implementation.
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/tests/audio/test_poor_network.cpp
                            PROPERTIES COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/tests/main.cpp
                            PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

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

list(LENGTH core_test_sources core_test_count)
if(core_test_count GREATER 1)
  add_executable(core_tests ${core_test_sources})
  target_link_libraries(core_tests PRIVATE lobug_core lobug_tests)
  if(TARGET Threads::Threads)
    target_link_libraries(core_tests PRIVATE Threads::Threads)
  endif()
  precompile(core_tests <doctest/doctest.h> <algorithm> <array> <cstddef> <cstdint> <deque>
             <functional> <memory> <string> <string_view> <vector>)
  add_area_tests(core_tests core_test_sources)
endif()

list(LENGTH sockets_test_sources sockets_test_count)
if(TARGET lobug_sockets AND sockets_test_count GREATER 1 AND NOT LOBUG_SANITIZE MATCHES "thread")
  add_executable(sockets_tests ${sockets_test_sources})
  target_link_libraries(sockets_tests PRIVATE lobug_sockets lobug_tests)
  add_area_tests(sockets_tests sockets_test_sources)
endif()
