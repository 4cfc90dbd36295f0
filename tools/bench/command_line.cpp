#include "command_line.hpp"

#undef exit  // SimGrid's SMPI makes it a macro, and CLI11 has functions of that name

#include <CLI/CLI.hpp>
#include <utility>

#include "weft/error.hpp"

namespace weft::tools {

using Option = CommandLine::Option;

CommandLine::CommandLine(const std::string& program, const std::string& description)
    : app_(std::make_unique<CLI::App>(description, program)) {
  app_->get_formatter()->column_width(34);
}

CommandLine::~CommandLine() = default;

Option CommandLine::option(const std::string& names, std::string& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::option(const std::string& names, int& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::option(const std::string& names, Index& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::option(const std::string& names, std::uint64_t& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::option(const std::string& names, double& value, const std::string& help) {
  return Option(app_->add_option(names, value, help));
}
Option CommandLine::option(const std::string& names, std::vector<std::string>& values, const std::string& help) {
  return Option(app_->add_option(names, values, help));
}
Option CommandLine::option(const std::string& names, std::vector<Index>& values, const std::string& help) {
  return Option(app_->add_option(names, values, help));
}
Option CommandLine::option(const std::string& names, std::vector<double>& values, const std::string& help) {
  return Option(app_->add_option(names, values, help));
}
Option CommandLine::option(const std::string& names, std::function<void(const std::string&)> take,
                           const std::string& help) {
  return Option(app_->add_option_function<std::string>(names, std::move(take), help));
}
Option CommandLine::flag(const std::string& names, bool& value, const std::string& help) {
  return Option(app_->add_flag(names, value, help));
}

bool CommandLine::parse(int argc, const char* const* argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ParseError& error) {
    throw Error(error.what());
  }
  return true;
}

std::string CommandLine::help() const { return app_->help(); }

Option Option::required() const { return Option(option_->required()); }
Option Option::values(int least, int most) const { return Option(option_->expected(least, most)); }
Option Option::delimiter(char character) const { return Option(option_->delimiter(character)); }
Option Option::type(const std::string& name) const { return Option(option_->type_name(name)); }
Option Option::group(const std::string& heading) const { return Option(option_->group(heading)); }
Option Option::shows_default() const { return Option(option_->capture_default_str()); }
Option Option::excludes(const Option& other) const { return Option(option_->excludes(other.option_)); }
Option Option::one_of(const std::vector<std::string>& words) const {
  return Option(option_->check(CLI::IsMember(words)));
}
// Help says what is allowed in words of its own, if it must.
Option Option::range(Index least, Index most) const {
  return Option(option_->check(CLI::Range(least, most).description("")));
}
Option Option::range(double least, double most) const {
  return Option(option_->check(CLI::Range(least, most).description("")));
}

bool Option::given() const { return option_->count() > 0; }
std::string Option::name() const { return option_->get_name(); }

}  // namespace weft::tools
