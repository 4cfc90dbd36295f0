#include "operator/engine.hpp"

#include <array>
#include <exception>

#include "base/text.hpp"
#include "plan/options.hpp"

namespace weft::detail {

namespace {

std::string describe_arguments(const OperatorData& data) {
  const Problem& problem = data.problem;
  std::string lengths;
  for (std::size_t axis = 0; axis < problem.shape.size(); ++axis) lengths += text(" %.17g", problem.lengths[axis]);
  return concat("shape=", to_string(problem.shape), " modes=", to_string(problem.kept_modes()),
                " points=", to_string(problem.points), " kind=", to_string(problem.kind),
                " precision=", to_string(problem.precision), " batch=", problem.batch,
                " normalization=", to_string(problem.normalization), " lengths=", lengths, " at=", to_string(data.at),
                " inputs=", data.inputs, " outputs=", data.outputs, describe_options(data.options),
                " input=", describe_layout(data.options.input), " output=", describe_layout(data.options.output),
                describe_ghosts(data.options));
}

/// What a rank may call, as long as the others call the same: where the function may fail, that is agreed upon, too.
constexpr std::array<const char*, 3> calls{"an execution of a function that may fail",
                                           "an execution of a function that never fails", "the end of an execution"};

Problem of_passes(const Problem& problem) {
  return {.shape = problem.shape, .kind = problem.kind, .precision = problem.precision};
}

}  // namespace

OperatorEngine::OperatorEngine(const Problem& problem, At at, Index inputs, Index outputs, bool overwrites,
                               const std::string& wrong, MPI_Comm comm, Options options)
    : communicators_(Communicator::duplicate(comm)) {
  const MPI_Comm all = communicators_.all();
  all_or_none(all, [&] {
    if (!wrong.empty()) throw Error(wrong);
    options.apply_environment();
    check_options(options, Operation::transform, communicators_.size());
  });
  communicators_.find_nodes(options);
  all_or_none(all, [&] {
    data_ =
        make_operator(problem, at, inputs, outputs, overwrites, options, communicators_.size(), communicators_.rank());
    plan_.emplace(data_);
  });
  options = data_->options;
  require_same(all, describe_arguments(*data_), "the arguments of an operator");
  watchers_.emplace(
      communicators_, options,
      concat("operator ", to_string(problem.shape), ' ', to_string(problem.kind), ' ', to_string(problem.precision)));
  const std::shared_ptr<const Route> route(data_, &data_->route);
  engine_.emplace(std::vector<NamedRoutes>{{"operator", {route}}}, of_passes(problem), options, communicators_,
                  *watchers_);
  const Index batch = problem.batch;
  parts_.emplace(std::array<PartsArrays::End, 2>{{
                     {data_->parts[0], data_->input, data_->input_array.element_bytes, inputs * batch, true, false},
                     {data_->parts[1], data_->output, data_->output_array.element_bytes, outputs * batch, false, true},
                 }},
                 problem.real_bytes(), options.sum_ghosts, all, &*watchers_, engine_->statistics());
  agreement_.emplace(communicators_, options.check, *watchers_, engine_->statistics());
}

void OperatorEngine::execute(const void* in, void* out, Number number, const void* function, bool sure) {
  const auto agree = [&](std::int64_t call, const auto& check) {
    (*agreement_)(engine_->number(0), std::array{common_call(call, calls)}, check);
  };
  agree(sure ? 1 : 0, [&] {
    const Number needed = data_->real_ends() ? Number::real : Number::complex;
    if (number != needed) {
      const auto name = [](Number one) { return one == Number::real ? "real" : "complex"; };
      throw Error(concat("the operator was given ", name(number), " arrays; at ",
                         data_->at == At::points ? "spectra" : "fields in space", " of kind ",
                         to_string(data_->problem.kind), " it needs ", name(needed), " ones"));
    }
    const Index batch = data_->problem.batch;
    if (data_->options.in_place) {
      if (in != out) throw Error("the operator was given two arrays; with in_place it takes the same one twice");
      if (in == nullptr && data_->route.input.bytes(batch) > 0) {
        throw Error(concat("in is null on rank ", communicators_.rank()));
      }
    } else {
      check_arrays(in, data_->input_array.bytes(batch), out, data_->output_array.bytes(batch), communicators_.rank());
    }
  });
  PointCall call;
  call.function = function;
  UserArrays arrays;
  arrays.input = static_cast<const std::byte*>(parts_->read(0, in, engine_->number(0)));
  arrays.output = static_cast<std::byte*>(parts_->written(1, out));
  arrays.call = &call;
  engine_->execute(0, arrays);
  parts_->give(1, out, engine_->number(0));
  if (sure) return;
  agree(2, [&] {
    if (!call.failure) return;
    try {
      std::rethrow_exception(call.failure);
    } catch (const std::exception& error) {
      throw Error(concat("the operator's function failed on rank ", communicators_.rank(), ": ", error.what()));
    } catch (...) {
      throw Error(concat("the operator's function failed on rank ", communicators_.rank()));
    }
  });
}

void OperatorEngine::raise_any(const std::string& message) {
  (*agreement_)(engine_->number(0), std::array{common_call({}, calls)}, [&] {
    if (!message.empty()) throw Error(message);
  });
}

void OperatorEngine::reset_statistics() {
  engine_->reset_statistics();
  watchers_->clear();
}

}  // namespace weft::detail
