// Which files of other processes are opened.
#include "base/shared_mapping.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/buffer.hpp"

namespace {

using namespace weft::detail;

constexpr std::int64_t length = 4096;

Invitation to(int file) {
  struct stat status {};
  EXPECT_EQ(fstat(file, &status), 0);
  return {getpid(),       file, static_cast<std::int64_t>(status.st_dev), static_cast<std::int64_t>(status.st_ino),
          status.st_size, 0};
}

int anonymous_file() {
  const int file = memfd_create("weft-test", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(file, length), 0);
  return file;
}

bool opens(const Invitation& invitation) {
  const int file = open_invited(invitation);
  if (file >= 0) close(file);
  return file >= 0;
}

TEST(SharedMapping, OpensTheFileThatIsMeant) {
  const int file = anonymous_file(), other = anonymous_file();
  const Invitation good = to(file);
  EXPECT_TRUE(opens(good));
  EXPECT_FALSE(opens({}));
  const auto spoiled = [&](const std::function<void(Invitation&)>& spoil) {
    Invitation bad = good;
    spoil(bad);
    return opens(bad);
  };
  EXPECT_FALSE(spoiled([](Invitation& i) { i.process = 1 << 30; })) << "there is no such process";
  EXPECT_FALSE(spoiled([&](Invitation& i) { i.file = other; })) << "as long, but another file";
  EXPECT_FALSE(spoiled([](Invitation& i) { ++i.inode; }));
  EXPECT_FALSE(spoiled([](Invitation& i) { ++i.device; }));
  EXPECT_FALSE(spoiled([](Invitation& i) { ++i.bytes; }));
  close(other);
  close(file);
  EXPECT_FALSE(opens(good)) << "it is closed";
}

TEST(SharedMapping, OpensNoPipes) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(opens(to(ends[0])));
  close(ends[0]);
  close(ends[1]);
}

TEST(SharedMapping, OpensNoFilesOfOtherUsers) {
  if (geteuid() != 0) GTEST_SKIP() << "only root could: others are refused by Linux";
  const int file = anonymous_file();
  ASSERT_TRUE(opens(to(file)));
  ASSERT_EQ(fchown(file, 65534, 65534), 0);
  EXPECT_FALSE(opens(to(file)));
  close(file);
}

TEST(SharedMapping, HugePagesHoldWhatWasThere) {
  constexpr std::int64_t bytes = 3 * huge_page_bytes + 4096;
  const int file = memfd_create("weft-test", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, bytes), 0);
  // Only where both begin with one are huge pages of a file those of a process.
  const auto map = [&] {
    void* const room = mmap(nullptr, bytes + huge_page_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const auto begin = round_up(reinterpret_cast<std::int64_t>(room), huge_page_bytes);
    return static_cast<std::byte*>(
        mmap(reinterpret_cast<void*>(begin), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0));
  };
  std::byte *const mine = map(), *const theirs = map();
  ASSERT_NE(mine, MAP_FAILED);
  ASSERT_NE(theirs, MAP_FAILED);
  const auto value = [](std::int64_t i) { return static_cast<std::byte>(i * 7 / 4096); };
  for (std::int64_t i = 0; i < bytes; i += 1024) mine[i] = value(i);
  // Parts of pages at both ends, less than one page, and nothing.
  use_huge_pages(mine + 100, bytes - 200);
  use_huge_pages(mine + 4096, 4096);
  use_huge_pages(mine, 0);
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < bytes; ++i) {
    const std::byte expected = i % 1024 == 0 ? value(i) : std::byte{0};
    wrong += mine[i] == expected && theirs[i] == expected ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
  munmap(mine, bytes);
  munmap(theirs, bytes);
  close(file);
}

}  // namespace
