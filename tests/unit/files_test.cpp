// Files that are read and written: what is none is refused, and nothing is ever half there.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "base/input_file.hpp"
#include "base/output_file.hpp"
#include "base/text.hpp"
#include "weft/error.hpp"

namespace {

namespace fs = std::filesystem;
using weft::Error;
using weft::detail::OutputFile;
using weft::detail::read_file;
using weft::detail::read_if_there;

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("weft-files-" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string complaint(const std::string& path) {
    try {
      read_file(path);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }

  fs::path folder_;
};

TEST_F(Files, ComeBackAsTheyWereWritten) {
  const std::string text("a\0b\n", 4);
  OutputFile file(path("a"));
  file.write(text);
  EXPECT_FALSE(fs::exists(path("a")));
  file.commit();
  EXPECT_EQ(read_file(path("a")), text);
  EXPECT_EQ(read_if_there(path("none")), std::nullopt);
  EXPECT_EQ(read_if_there(path("a") + "/below"), std::nullopt);
}

TEST_F(Files, ThatAreNoneAreNotWaitedFor) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  fs::create_symlink(path("loop"), path("loop"));
  std::ofstream(path("sparse")) << "x";
  fs::resize_file(path("sparse"), std::uintmax_t{1} << 40);
  for (const auto& [name, words] : {std::pair{path("pipe"), "it is no regular file"},
                                    {"/dev/zero", "it is no regular file"},
                                    {folder_.string(), "it is a folder"},
                                    {path("loop"), "oo many"},
                                    {path("none"), "No such file"},
                                    {path(std::string(5000, 'x')), "too long"},
                                    {path("sparse"), "it has 1099511627776 bytes; at most"}}) {
    EXPECT_NE(complaint(name).find("cannot read '" + name + "': "), std::string::npos) << complaint(name);
    EXPECT_NE(complaint(name).find(words), std::string::npos) << complaint(name);
  }
}

TEST_F(Files, HaveNamesThatAreNoValuesOfOptions) {
  for (const char* name : {"trace.json", "a b", "./true", "out/1", "truely", "nano", "infile", "\xff", "4x4"}) {
    EXPECT_TRUE(weft::detail::is_file_name(name)) << name;
  }
  for (const char* name :
       {"", " ", "True", "false", "ON", "yes", "none", "NULL", "1", "-1", "2.5", "nan", "out/", "a\nb"}) {
    EXPECT_FALSE(weft::detail::is_file_name(name)) << name;
    EXPECT_THROW(OutputFile{name}, Error) << name;
  }
}

TEST(Text, IsUtf8WhateverFilesAreCalled) {
  EXPECT_EQ(weft::detail::printable("a\xc3\xa9\xe2\x82\xac"), "a\xc3\xa9\xe2\x82\xac");
  EXPECT_EQ(weft::detail::printable("a\xff\xc3"), "a\xef\xbf\xbd\xef\xbf\xbd");
}

}  // namespace
