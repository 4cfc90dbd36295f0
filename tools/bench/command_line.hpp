// What a program can be told. The library that reads command lines, CLI11, is known to command_line.cpp alone: its
// headers take many times longer to compile than a program.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weft/index.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace weft::tools {

class CommandLine {
 public:
  /// One option, while more is said of it; and later, whether it was given.
  class Option {
   public:
    Option required() const;
    /// So many values; each option takes one, and those of vectors take any number.
    Option values(int least, int most) const;
    Option values(int count) const { return values(count, count); }
    /// Values may be joined by this.
    Option delimiter(char character) const;
    /// What `help` calls the value; without it, the name of its type.
    Option type(const std::string& name) const;
    /// The heading of `help` that it comes under.
    Option group(const std::string& heading) const;
    Option shows_default() const;
    Option excludes(const Option& other) const;
    /// What is allowed.
    Option range(Index least, Index most) const;
    Option range(double least, double most) const;
    Option range(int least, int most) const { return range(Index{least}, Index{most}); }
    Option one_of(const std::vector<std::string>& words) const;

    bool given() const;
    /// "--name"
    std::string name() const;

   private:
    friend class CommandLine;
    explicit Option(CLI::Option* option) : option_(option) {}
    CLI::Option* option_;
  };

  CommandLine(const std::string& program, const std::string& description);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();

  /// "--name", several with commas between, or "name" for a value by its place. The value stays as it is without the
  /// option.
  Option option(const std::string& names, std::string& value, const std::string& help);
  Option option(const std::string& names, int& value, const std::string& help);
  Option option(const std::string& names, Index& value, const std::string& help);
  Option option(const std::string& names, std::uint64_t& value, const std::string& help);
  Option option(const std::string& names, double& value, const std::string& help);
  Option option(const std::string& names, std::vector<std::string>& values, const std::string& help);
  Option option(const std::string& names, std::vector<Index>& values, const std::string& help);
  Option option(const std::string& names, std::vector<double>& values, const std::string& help);
  /// `take` gets the value; its Errors are those of the command line.
  Option option(const std::string& names, std::function<void(const std::string&)> take, const std::string& help);
  /// True if it is given.
  Option flag(const std::string& names, bool& value, const std::string& help);

  /// False if nothing but help is asked for. Error for a bad command line.
  bool parse(int argc, const char* const* argv);
  std::string help() const;

 private:
  std::string unknown_option() const;

  std::unique_ptr<CLI::App> app_;
};

}  // namespace weft::tools
