# What is not ours, each as a target: lobug_jsmn, lobug_mbedtls, lobug_doctest. Debian's packages
# are looked for; scripts/firmware-packages.sh installs them.

# jsmn is one header. It gets a folder of its own, so that /usr/include never meets another
# machine's headers in a cross build.
find_path(LOBUG_JSMN_DIR jsmn.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH)
if(NOT LOBUG_JSMN_DIR)
  message(FATAL_ERROR "The core needs jsmn.h: apt install libjsmn-dev, or -DLOBUG_JSMN_DIR=FOLDER.")
endif()
file(COPY ${LOBUG_JSMN_DIR}/jsmn.h DESTINATION ${CMAKE_BINARY_DIR}/jsmn)
add_library(lobug_jsmn INTERFACE)
target_include_directories(lobug_jsmn SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/jsmn)

# There is no 32-bit mbedTLS beside Debian's 64-bit one: sockets are for 64 bits only.
if(NOT LOBUG_M32 AND NOT CMAKE_CROSSCOMPILING)
  find_package(Threads REQUIRED)
  find_path(LOBUG_MBEDTLS_INCLUDE mbedtls/ssl.h)
  find_library(LOBUG_MBEDTLS mbedtls)
  find_library(LOBUG_MBEDX509 mbedx509)
  find_library(LOBUG_MBEDCRYPTO mbedcrypto)
  if(LOBUG_MBEDTLS_INCLUDE AND LOBUG_MBEDTLS AND LOBUG_MBEDX509 AND LOBUG_MBEDCRYPTO)
    add_library(lobug_mbedtls INTERFACE)
    target_include_directories(lobug_mbedtls SYSTEM INTERFACE ${LOBUG_MBEDTLS_INCLUDE})
    target_link_libraries(lobug_mbedtls INTERFACE ${LOBUG_MBEDTLS} ${LOBUG_MBEDX509}
                                                  ${LOBUG_MBEDCRYPTO} Threads::Threads)
  else()
    message(WARNING "No mbedTLS (apt install libmbedtls-dev): no sockets and no simulated device.")
  endif()
endif()

if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  add_library(lobug_doctest INTERFACE)
  if(LOBUG_DOCTEST_SHIM)
    # doctest does not link on newlib; our shim runs the same test files (firmware/arm).
    target_include_directories(lobug_doctest BEFORE INTERFACE ${LOBUG_DOCTEST_SHIM})
  else()
    find_path(LOBUG_DOCTEST_DIR doctest/doctest.h)
    if(NOT LOBUG_DOCTEST_DIR)
      message(FATAL_ERROR "The tests need doctest: apt install doctest-dev (macOS: brew install "
                          "doctest), or -DBUILD_TESTING=OFF for a build without them.")
    endif()
    target_include_directories(lobug_doctest SYSTEM INTERFACE ${LOBUG_DOCTEST_DIR})
  endif()
endif()
