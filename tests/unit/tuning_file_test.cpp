// Tuning files: what is kept, what a damaged one does, and that nothing is lost.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "entries.hpp"
#include "files.hpp"
#include "weft/tuner.hpp"

namespace {

namespace fs = std::filesystem;
using weft::Error;
using weft::TuningFile;
using weft::tuner::Json;

class TuningFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("weft-tuning-" + std::to_string(getpid()));
    fs::remove_all(folder_);
    path_ = (folder_ / "deep" / "tuning.json").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  static Json entry(int problem, const std::string& effort = "measure",
                    const std::string& when = "2026-01-01T00:00:00Z", const std::string& strategy = "shared") {
    return {{"key", {{"problem", problem}, {"ranks", 2}}},
            {"options", {{"strategy", strategy}}},
            {"seconds", 1.0},
            {"default_seconds", 2.0},
            {"sureness", 0.9},
            {"effort", effort},
            {"when", when}};
  }
  void keep(const Json& entry, const std::string& path) {
    weft::tuner::change_entries(path, [&](Json& entries) { weft::tuner::put(entries, entry); }, warnings_);
  }
  Json entries() { return Json::parse(TuningFile(path_).entries(warnings_)); }
  void write(const std::string& text) {
    fs::create_directories(fs::path(path_).parent_path());
    std::ofstream(path_) << text;
  }

  fs::path folder_;
  std::string path_;
  std::vector<std::string> warnings_;
};

TEST_F(TuningFiles, KeepsWhatItIsGiven) {
  EXPECT_EQ(entries(), Json::array());
  keep(entry(1), path_);
  keep(entry(2), path_);
  ASSERT_EQ(entries().size(), 2U);
  EXPECT_EQ(entries()[1], entry(2));
  EXPECT_TRUE(warnings_.empty());
}

TEST_F(TuningFiles, OfTheSameProblemHigherEffortStaysThenTheLater) {
  keep(entry(1, "patient", "2026-01-02T00:00:00Z", "rma"), path_);
  keep(entry(1, "measure", "2026-01-03T00:00:00Z", "padded"), path_);
  EXPECT_EQ(entries()[0]["options"]["strategy"], "rma");
  keep(entry(1, "patient", "2026-01-01T00:00:00Z", "padded"), path_);
  EXPECT_EQ(entries()[0]["options"]["strategy"], "rma");
  keep(entry(1, "patient", "2026-01-04T00:00:00Z", "shared"), path_);
  ASSERT_EQ(entries().size(), 1U);
  EXPECT_EQ(entries()[0]["options"]["strategy"], "shared");
}

TEST_F(TuningFiles, FindsAtLeastTheEffortThatIsAsked) {
  Json all = Json::array({entry(1)});
  // In whatever order a person has written the key.
  const Json key{{"ranks", 2}, {"problem", 1}};
  EXPECT_EQ(weft::tuner::find(all, key, weft::Effort::estimate), all[0]);
  EXPECT_EQ(weft::tuner::find(all, key, weft::Effort::measure), all[0]);
  EXPECT_TRUE(weft::tuner::find(all, key, weft::Effort::patient).is_null());
  EXPECT_TRUE(weft::tuner::find(all, {{"problem", 1}, {"ranks", 3}}, weft::Effort::estimate).is_null());
}

TEST_F(TuningFiles, DamagedOnesAreSetAsideWithAWarning) {
  for (const std::string text :
       {"", "{", "[]", R"({"weft_tuning": 1})", R"({"weft_tuning": 1, "entries": [{}]})",
        R"({"weft_tuning": 1, "entries": [{"key": {}, "options": {"strategy": "no such"},)"
        R"("effort": "measure", "when": "", "seconds": 1, "default_seconds": 1, "sureness": 1}]})"}) {
    SCOPED_TRACE(text);
    warnings_.clear();
    write(text);
    EXPECT_EQ(entries(), Json::array());
    ASSERT_EQ(warnings_.size(), 1U);
    EXPECT_NE(warnings_[0].find(path_), std::string::npos);
    EXPECT_FALSE(fs::exists(path_));
  }
  EXPECT_TRUE(fs::exists(path_ + ".damaged-6"));
  keep(entry(1), path_);
  EXPECT_EQ(entries().size(), 1U);
}

TEST_F(TuningFiles, ThoseOfAnotherFormatAreLeftAlone) {
  write(R"({"weft_tuning": 99, "entries": []})");
  EXPECT_THROW(entries(), Error);
  EXPECT_THROW(keep(entry(1), path_), Error);
  EXPECT_EQ(weft::tuner::read_text(path_), R"({"weft_tuning": 99, "entries": []})");
}

TEST_F(TuningFiles, MergesAndForgets) {
  const std::string other = (folder_ / "other.json").string();
  keep(entry(1), path_);
  keep(entry(1, "patient"), other);
  keep(entry(2), other);
  TuningFile file(path_);
  EXPECT_EQ(file.merge(other, warnings_), 2);
  EXPECT_EQ(file.merge(other, warnings_), 0);
  EXPECT_EQ(entries().size(), 2U);
  EXPECT_EQ(entries()[0]["effort"], "patient");
  EXPECT_THROW(file.merge(other + "x", warnings_), Error);
  EXPECT_THROW(file.forget({2}, warnings_), Error);
  EXPECT_THROW(file.forget({-1}, warnings_), Error);
  EXPECT_EQ(entries().size(), 2U);
  file.forget({0}, warnings_);
  ASSERT_EQ(entries().size(), 1U);
  EXPECT_EQ(entries()[0]["key"]["problem"], 2);
}

TEST_F(TuningFiles, ManyWritersLoseNothing) {
  std::vector<std::thread> writers;
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&, writer] {
      std::vector<std::string> warnings;
      for (int i = 0; i < 10; ++i) {
        weft::tuner::change_entries(path_, [&](Json& all) { weft::tuner::put(all, entry(10 * writer + i)); }, warnings);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(entries().size(), 40U);
  for (const auto& file : fs::directory_iterator(fs::path(path_).parent_path())) {
    EXPECT_NE(file.path().extension(), ".tmp");
  }
}

TEST_F(TuningFiles, NoneIsNoFile) {
  EXPECT_THROW(TuningFile("none"), Error);
  EXPECT_EQ(TuningFile(path_).path(), path_);
}

}  // namespace
