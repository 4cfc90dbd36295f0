// JSON as it is written, read again by a library.
#include "base/json.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using weft::detail::Json;
using Read = nlohmann::ordered_json;

Read read(const Json& json) { return Read::parse(json.dump()); }

TEST(Json, WordsAndNumbers) {
  EXPECT_EQ(Json().dump(), "null");
  EXPECT_EQ(Json(true).dump(), "true");
  EXPECT_EQ(Json(false).dump(), "false");
  EXPECT_EQ(Json(0).dump(), "0");
  EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).dump(), "-9223372036854775808");
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).dump(), "18446744073709551615");
  EXPECT_EQ(Json(static_cast<unsigned short>(7)).dump(), "7");
}

TEST(Json, FloatingPointNumbersAreTheSameWhenReadAgain) {
  using Limits = std::numeric_limits<double>;
  for (const double value : {0.0, 1.0, -1.0, 0.1, 1.0 / 3.0, 1e5, 123456789.0, 1e22, 1e100, 2e-7, 5e-324, Limits::min(),
                             Limits::max(), Limits::lowest(), 1 + Limits::epsilon(), 4.35, 9007199254740993.0}) {
    const Read again = read(value);
    EXPECT_TRUE(again.is_number_float()) << again;
    EXPECT_EQ(again.get<double>(), value);
    EXPECT_EQ(read(-value).get<double>(), -value);
  }
  EXPECT_TRUE(std::signbit(read(-0.0).get<double>()));
  EXPECT_EQ(Json(1.0).dump(), "1.0");
  EXPECT_EQ(Json(0.25F).dump(), "0.25");
}

TEST(Json, WhatIsNoNumberIsNull) {
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) EXPECT_EQ(Json(value).dump(), "null");
}

TEST(Json, TextIsTheSameWhenReadAgain) {
  std::string all;
  for (int c = 0; c < 0x80; ++c) all += static_cast<char>(c);
  const std::string letters = "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \xef\xbf\xbf \xf4\x8f\xbf\xbf";
  for (const std::string& text : {std::string(), all, letters, std::string("\"\\/\b\f\n\r\t")}) {
    EXPECT_EQ(read(text).get<std::string>(), text);
    EXPECT_EQ(read(std::string_view(text)).get<std::string>(), text);
    EXPECT_EQ(read({{text, 1}}).begin().key(), text);
  }
  EXPECT_EQ(Json("a\"b\n").dump(), "\"a\\\"b\\n\"");
}

TEST(Json, BytesThatAreNoTextAreReplacedOneByOne) {
  const std::string bad = "\xef\xbf\xbd";
  // Alone, cut off, longer than needed, surrogates, beyond the last character.
  for (const std::string bytes : {"\x80", "\xff", "\xc3", "\xe2\x82", "\xf0\x9f\x98", "\xc0\xaf", "\xe0\x80\xaf",
                                  "\xed\xa0\x80", "\xf0\x80\x80\xaf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80"}) {
    std::string expected = "a";
    for (std::size_t i = 0; i < bytes.size(); ++i) expected += bad;
    EXPECT_EQ(read("a" + bytes + "z").get<std::string>(), expected + "z");
    EXPECT_EQ(read("a" + bytes).get<std::string>(), expected);
  }
}

TEST(Json, ObjectsKeepTheirOrder) {
  Json json{{"z", 1}, {"a", {{"y", "text"}, {"b", true}}}, {"m", std::array{1.5, 2.5}}, {"z", 2}};
  json["k"]["inner"] = true;
  json["a"]["b"] = {{"new", Json()}};
  json["list"].push_back({{"one", 1}});
  json["list"].push_back("two");
  json.update({{"m", std::vector<std::string>{"p", "q"}}, {"last", Json::list()}, {"none", Json::object()}});
  EXPECT_EQ(json.dump(), R"({"z":2,"a":{"y":"text","b":{"new":null}},"m":["p","q"],"k":{"inner":true},)"
                         R"("list":[{"one":1},"two"],"last":[],"none":{}})");
}

TEST(Json, IndentedAsTheLibraryDoes) {
  const Json json{{"a", std::vector{1, 2}},
                  {"empty", Json::list()},
                  {"none", Json::object()},
                  {"deep", {{"er", {{"x", std::vector<std::vector<int>>{{1}, {}}}}}}}};
  const Read again = read(json);
  for (const int indent : {-1, 0, 1, 2, 5}) EXPECT_EQ(json.dump(indent), again.dump(indent)) << indent;
}

TEST(Json, OnlyObjectsHaveMembersAndOnlyListsElements) {
  Json number = 1, list = Json::list(), object = Json::object();
  EXPECT_THROW(number["a"], std::logic_error);
  EXPECT_THROW(list["a"], std::logic_error);
  EXPECT_THROW(number.push_back(1), std::logic_error);
  EXPECT_THROW(object.push_back(1), std::logic_error);
}

}  // namespace
