#include "command_line.hpp"

#undef exit  // SimGrid's SMPI makes it a macro, and CLI11 has functions of that name

#include <CLI/CLI.hpp>
#include <utility>

#include "base/text.hpp"
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
  std::string wrong;
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    return false;
  } catch (const CLI::ConversionError& error) {
    wrong = error.what();
    // "Could not convert: --seed = x"
    const std::size_t name = wrong.find("--"), value = wrong.find(" = ");
    if (name < value && value != wrong.npos) {
      wrong = wrong.substr(name, value - name) + " is '" + wrong.substr(value + 3) + "'; a number is needed";
    }
  } catch (const CLI::ParseError& error) {
    wrong = error.what();
  } catch (const Error& error) {
    wrong = error.what();
  }
  // First of all what does not exist: for want of --shap, --shape is missing.
  const std::string unknown = unknown_option();
  throw Error(unknown.empty() ? wrong : unknown);
}

/// What to say of the first option that there is none of; empty if all are known.
std::string CommandLine::unknown_option() const {
  std::vector<std::string> names;
  for (const CLI::Option* option : std::as_const(*app_).get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  for (const std::string& word : app_->remaining()) {
    const std::size_t begin = word.find_first_not_of('-');
    if (begin == 0 || begin == word.npos || (begin == 1 && word.find_first_of(".0123456789") == 1)) continue;
    const std::string name = word.substr(begin, word.find('=') - begin);
    const std::string meant = detail::nearest(name, names);
    return "there is no option " + word.substr(0, begin) + name +
           (meant.empty() ? "" : "; did you mean --" + meant + "?");
  }
  return {};
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
