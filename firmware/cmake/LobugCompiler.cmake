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

add_library(lobug_warnings INTERFACE)
target_compile_options(lobug_warnings INTERFACE -Wall -Wextra -Wformat=2 -Wconversion -Wshadow
                                                -Werror)

# Headers that nearly every source of a target has. With clang alone, where it saves a third of the
# time of the core and a fifth of that of the tests; with g++ it saves next to nothing, and those
# builds show that every file includes what it needs.
function(precompile target)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
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
