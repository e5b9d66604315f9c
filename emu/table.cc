#include "emu/table.h"

namespace emu {

std::vector<Family>& families() {
  static std::vector<Family> all;
  return all;
}

Registration::Registration(const char* family, std::initializer_list<Entry> entries) {
  families().push_back({family, entries});
}

}  // namespace emu
