# 32-bit ARM with newlib, run by qemu's user mode: unsigned char, 32-bit pointers, uint32_t that is
# an unsigned long and no operating system, as on the chip.
#
#   cmake -S firmware -B BUILD --toolchain firmware/arm/toolchain.cmake
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_CXX_FLAGS_INIT "-mcpu=cortex-a9")
set(CMAKE_EXE_LINKER_FLAGS_INIT "--specs=rdimon.specs")
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-arm)
