# The fuzzers, for libFuzzer. LOBUG_SANITIZE says what else is watched: address,undefined.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "The fuzzers need clang: -DCMAKE_CXX_COMPILER=clang++-22.")
endif()
# The core itself must count its branches for the fuzzer.
target_compile_options(lobug_core PRIVATE -fsanitize=fuzzer-no-link)
add_custom_target(fuzzers)
file(GLOB fuzz_sources CONFIGURE_DEPENDS fuzz/fuzz_*.cpp)
foreach(source IN LISTS fuzz_sources)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  add_dependencies(fuzzers ${name})
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF) # there is nothing to unite
  target_include_directories(${name} PRIVATE fuzz tests)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} PRIVATE lobug_core lobug_jsmn lobug_warnings)
endforeach()
