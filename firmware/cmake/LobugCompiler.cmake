# The language, the warnings and the sanitizers.
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON) # for clang-tidy

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Optimisation" FORCE)
endif()
# A failed assert() must be seen in every build.
string(REPLACE "-DNDEBUG" "" CMAKE_CXX_FLAGS_RELWITHDEBINFO "${CMAKE_CXX_FLAGS_RELWITHDEBINFO}")

# GCC's bug 110702, mended in GCC 14: the optimiser may write an address as an offset from null, then
# takes a function that only stores there for one without effect and leaves out calls of it. Which
# functions, changes with what is compiled as one. So null counts as an address like any other;
# -fno-ivopts helps as well, but drawing takes a fifth longer. tests/base/test_compiler.cpp fails
# without this.
add_compile_options(
  "$<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,14>>:-fno-delete-null-pointer-checks>")

add_library(lobug_warnings INTERFACE)
target_compile_options(lobug_warnings INTERFACE -Wall -Wextra -Wformat=2 -Wconversion -Wshadow
                                                -Werror)
# Clang says it of itself, but only of a file that is compiled by itself: `unite` below hides it.
target_compile_options(lobug_warnings INTERFACE
                       $<$<CXX_COMPILER_ID:GNU>:-Wunused-const-variable=1>)

# Headers that nearly every source of a target has. With clang alone, where it saves a third of the
# time of the core and a fifth of that of the tests; with g++ it saves next to nothing.
function(precompile target)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# With CMAKE_UNITY_BUILD, the files of one folder are compiled as one: what they include is read and
# generated once for all of them. Two files of a folder cannot have the same name in their anonymous
# namespaces then. A build without it (`make firmware`, clang-tidy) shows that every file includes
# what it needs.
function(unite target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  foreach(source IN LISTS ARGN)
    get_filename_component(folder ${source} DIRECTORY)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR} ${folder})
    string(REPLACE "/" "_" folder ${folder})
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder})
  endforeach()
endfunction()

if(LOBUG_M32)
  # char is unsigned on the chip; -m32 on a PC alone would leave it signed.
  add_compile_options(-m32 -funsigned-char)
  add_link_options(-m32)
endif()

if(LOBUG_SANITIZE)
  add_compile_options(-fsanitize=${LOBUG_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LOBUG_SANITIZE})
  if(LOBUG_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr) # needs the type information that the core has not
  endif()
endif()
