// Package emutest holds the emulator's own tests: one seeded fault for every class that it must report,
// and controls on which it must stay silent. The kernels are in emu/testdata.
package emutest
