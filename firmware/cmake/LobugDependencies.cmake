# What is not ours, each as a target: lobug_jsmn, lobug_crypto, lobug_doctest. Debian's packages
# are looked for; scripts/firmware-packages.sh installs them.

# jsmn gives the JSON fuzzer a second opinion.
if(LOBUG_FUZZ)
  find_path(LOBUG_JSMN_DIR jsmn.h)
  if(NOT LOBUG_JSMN_DIR)
    message(FATAL_ERROR "The fuzzers need jsmn.h: apt install libjsmn-dev.")
  endif()
  add_library(lobug_jsmn INTERFACE)
  target_include_directories(lobug_jsmn SYSTEM INTERFACE ${LOBUG_JSMN_DIR})
endif()

# There are no 32-bit mbedTLS and libsodium beside Debian's 64-bit ones: sockets are for 64 bits
# only. Nothing is built that could not verify a signature: without libsodium there are none at all.
if(NOT LOBUG_M32 AND NOT CMAKE_CROSSCOMPILING)
  find_package(Threads REQUIRED)
  find_path(LOBUG_MBEDTLS_INCLUDE mbedtls/ssl.h)
  find_library(LOBUG_MBEDTLS mbedtls)
  find_library(LOBUG_MBEDX509 mbedx509)
  find_library(LOBUG_MBEDCRYPTO mbedcrypto)
  find_path(LOBUG_SODIUM_INCLUDE sodium/crypto_sign.h)
  find_library(LOBUG_SODIUM sodium)
  if(LOBUG_MBEDTLS_INCLUDE AND LOBUG_MBEDTLS AND LOBUG_MBEDX509 AND LOBUG_MBEDCRYPTO
     AND LOBUG_SODIUM_INCLUDE AND LOBUG_SODIUM)
    add_library(lobug_crypto INTERFACE)
    target_include_directories(lobug_crypto SYSTEM INTERFACE ${LOBUG_MBEDTLS_INCLUDE}
                                                             ${LOBUG_SODIUM_INCLUDE})
    target_link_libraries(lobug_crypto INTERFACE ${LOBUG_MBEDTLS} ${LOBUG_MBEDX509}
                                                 ${LOBUG_MBEDCRYPTO} ${LOBUG_SODIUM}
                                                 Threads::Threads)
  else()
    message(WARNING "No mbedTLS or no libsodium (apt install libmbedtls-dev libsodium-dev): no "
                    "sockets and no simulated device.")
  endif()
endif()

if(BUILD_TESTING OR NOT DEFINED BUILD_TESTING)
  find_path(LOBUG_DOCTEST_DIR doctest/doctest.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH)
  if(NOT LOBUG_DOCTEST_DIR)
    message(FATAL_ERROR "The tests need doctest: apt install doctest-dev (macOS: brew install "
                        "doctest), or -DBUILD_TESTING=OFF for a build without them.")
  endif()
  # A folder of its own, so that /usr/include never meets another machine's headers.
  file(COPY ${LOBUG_DOCTEST_DIR}/doctest/doctest.h DESTINATION ${CMAKE_BINARY_DIR}/doctest/doctest)
  add_library(lobug_doctest INTERFACE)
  target_include_directories(lobug_doctest SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/doctest)
  if(CMAKE_CROSSCOMPILING) # newlib has no threads, which doctest asks for (arm/newlib_gaps)
    target_compile_options(lobug_doctest INTERFACE
                           -include ${CMAKE_CURRENT_SOURCE_DIR}/arm/newlib_gaps.h)
    target_compile_definitions(lobug_doctest INTERFACE DOCTEST_THREAD_LOCAL=
                               DOCTEST_CONFIG_NO_MULTI_LANE_ATOMICS
                               DOCTEST_CONFIG_NO_POSIX_SIGNALS)
  endif()
endif()
