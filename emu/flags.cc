#include "emu/flags.h"

#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <string_view>

namespace emu {
namespace {

bool number(std::string_view text, uint64_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && !text.empty();
}

bool schedule(std::string_view text, Options& options) {
  if (text == "fwd") {
    options.order = Order::kForward;
  } else if (text == "rev") {
    options.order = Order::kReverse;
  } else if (text.substr(0, 5) == "rand:") {
    options.order = Order::kRandom;
    return number(text.substr(5), options.seed);
  } else {
    return false;
  }
  return true;
}

// One of two words.
bool choice(std::string_view text, std::string_view no, std::string_view yes, bool& value) {
  value = text == yes;
  return text == no || text == yes;
}

bool parse(std::string_view argument, Flags& flags) {
  const size_t equals = argument.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = argument.substr(0, equals), value = argument.substr(equals + 1);
  if (name == "--schedule") return schedule(value, flags.options);
  if (name == "--blocks") return choice(value, "all", "corner", flags.options.corner_blocks);
  if (name == "--exited") return choice(value, "error", "allow", flags.options.allow_exited);
  if (name == "--tsan-blocks") return choice(value, "ordered", "unordered", flags.options.unordered_blocks);
  if (name == "--memory") return number(value, flags.memory_bytes);
  if (name == "--deadline") {
    uint64_t seconds = 0;
    if (!number(value, seconds) || seconds > 1'000'000) return false;
    flags.options.deadline_seconds = static_cast<unsigned>(seconds);
    return true;
  }
  return false;
}

}  // namespace

Flags parse_flags(int argc, char** argv) {
  Flags flags;
  for (int i = 1; i < argc; i++) {
    if (parse(argv[i], flags)) continue;
    fprintf(stderr,
            "emu: bad argument %s\nusage: emulator [--schedule=fwd|rev|rand:SEED] [--blocks=all|corner] "
            "[--exited=error|allow]\n                [--tsan-blocks=ordered|unordered] [--deadline=SECONDS] "
            "[--memory=BYTES]\nIt serves one client on standard input and output: see emu/protocol.md.\n",
            argv[i]);
    _exit(2);
  }
  return flags;
}

}  // namespace emu
