// libstdc++'s random_device is linked with everything and asks for this, which newlib lacks.
extern "C" int getentropy(void* into, unsigned bytes);

extern "C" int getentropy(void* /*into*/, unsigned /*bytes*/) { return -1; }
