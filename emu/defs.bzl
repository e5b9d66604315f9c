"""The emulator's rules: see emu/README.md."""

load("//emu/private:emulator.bzl", _emulator = "emulator")
load("//emu/private:kernels.bzl", _emu_kernels = "emu_kernels")

emu_kernels = _emu_kernels
emulator = _emulator
