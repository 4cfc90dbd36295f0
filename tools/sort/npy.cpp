#include "npy.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/checked.hpp"
#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "file_form.hpp"
#include "npy_header.hpp"
#include "weft/error.hpp"

namespace weft::sort {

using detail::concat;

namespace {

constexpr std::string_view magic = "\x93NUMPY";

constexpr std::size_t block_bytes = std::size_t{1} << 18;

/// Calls `work` with so many elements at a time as fit into a block.
template <class Work>
void in_blocks(const ElementType& type, Index count, const Work& work) {
  const Index most = static_cast<Index>(block_bytes) / std::max(1, type.file_bytes);
  for (Index done = 0; done < count; done += most) work(std::min(most, count - done));
}

/// That the file has so many bytes behind its header; Error if elements are missing.
void check_bytes(const std::string& path, Index there, const NpyHeader& header) {
  const Index needed = header.count * header.type.file_bytes;  // fits: parse_npy_header has seen to that
  if (there >= needed) return;  // more is no error: arrays may follow each other in a file
  throw Error(concat("'", path, "' has fewer than the ", header.count,
                     " elements of its header: ", std::max(Index{0}, there), " of ", needed, " bytes"));
}

}  // namespace

NpyHeader read_npy_header(const std::string& path) {
  const detail::InputFile file = detail::open_input(path);
  const std::string name = concat("'", path, "'");
  std::array<unsigned char, 12> start{};
  const std::size_t got = std::fread(start.data(), 1, start.size(), file.get());
  if (got < 10 || std::memcmp(start.data(), magic.data(), magic.size()) != 0) {
    throw Error(name + " is not an .npy file");
  }
  const int major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0) {
    throw Error(concat(name, " has version ", major, ".", minor, " of the .npy format; allowed are 1.0, 2.0, 3.0"));
  }
  std::size_t length = start[8] + std::size_t{256} * start[9];
  if (major > 1) length += (std::size_t{start[10]} << 16) + (std::size_t{start[11]} << 24);
  if (length > longest_npy_header) {
    throw Error(concat(name, " has a header of ", length, " bytes; at most ", longest_npy_header,
                       " are possible, as in NumPy"));
  }
  const std::size_t offset = major > 1 ? 12 : 10;
  std::string header(length, ' ');
  if (std::fseek(file.get(), static_cast<long>(offset), SEEK_SET) != 0 ||
      std::fread(header.data(), 1, length, file.get()) != length) {
    throw Error(name + " ends inside of its header");
  }
  const NpyArray array = parse_npy_header(name, header);
  const NpyHeader found{array.type, array.count, static_cast<Index>(offset + length)};
  if (fseeko(file.get(), 0, SEEK_END) == 0) check_bytes(path, ftello(file.get()) - found.data_offset, found);
  return found;
}

void read_npy_data(const std::string& path, const NpyHeader& header, void* data) {
  const detail::InputFile file = detail::open_input(path);
  Index done = 0;  // bytes
  const auto read = [&](void* to, Index count) {
    const auto bytes = static_cast<std::size_t>(count * header.type.file_bytes);
    const std::size_t got = std::fread(to, 1, bytes, file.get());
    done += static_cast<Index>(got);
    if (got != bytes) check_bytes(path, done, header);
  };
  if (fseeko(file.get(), header.data_offset, SEEK_SET) != 0) {
    throw Error(concat("cannot read '", path, "': ", std::strerror(errno)));
  }
  if (file_form_is_own(header.type)) return read(data, header.count);
  std::vector<std::byte> block(block_bytes);
  auto* to = static_cast<std::byte*>(data);
  in_blocks(header.type, header.count, [&](Index count) {
    read(block.data(), count);
    from_file_form(header.type, block.data(), static_cast<std::size_t>(count), to);
    to += count * header.type.bytes;
  });
}

void write_npy(const std::string& path, const ElementType& type, const void* data, Index count) {
  std::string header = concat("{'descr': '", type.descr, "', 'fortran_order': False, 'shape': (", count, ",), }");
  const std::size_t start = magic.size() + 4;
  header.append(63 - (start + header.size()) % 64, ' ');
  header += '\n';
  std::string head(magic);
  head += {'\1', '\0', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  head += header;
  detail::OutputFile file(path);
  file.write(head);
  const Index bytes = detail::multiply(count, type.file_bytes, "bytes of the file");
  if (file_form_is_own(type)) {
    file.write(data, static_cast<std::size_t>(bytes));
  } else {
    std::vector<std::byte> block(block_bytes);
    const auto* from = static_cast<const std::byte*>(data);
    in_blocks(type, count, [&](Index some) {
      to_file_form(type, from, static_cast<std::size_t>(some), block.data());
      file.write(block.data(), static_cast<std::size_t>(some * type.file_bytes));
      from += some * type.bytes;
    });
  }
  file.commit();
}

}  // namespace weft::sort
