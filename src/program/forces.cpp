// SPDX-License-Identifier: BSD-3-Clause
// accrue forces: Lennard-Jones forces, energy and virial of configurations, by every strategy, with the threads' timeline.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "forces_run.hpp"
#include "timeline_svg.hpp"

namespace accrue::program {

namespace {

configuration read(const forces_options& o, const std::string& name) {
  std::ifstream input(name, std::ios::binary);
  if (!input) throw error(errc::bad_input, name + ": cannot be opened");
  const configuration c = read_configuration(input, name, o.format);
  return o.copies > 1 ? replicate(c, o.copies) : c;
}

nlohmann::ordered_json to_json(const run_report& r, const forces_options& o) {
  nlohmann::ordered_json j;
  j["file"] = r.file;
  j["where"] = o.where;
  j["particles"] = r.particles;
  j["cutoff"] = o.settings.cutoff;
  j["strategy"] = to_string(r.used);
  j["threads"] = r.result.report.threads;
  j["energy"] = r.result.energy;
  j["energy_bits"] = fmt::format("{:a}", r.result.energy);
  j["energy_correction"] = r.energy_correction;
  j["virial"] = r.result.virial;
  j["virial_trace"] = r.result.virial_trace();
  if (r.volume > 0) {
    j["pressure"] = r.pressure;
    j["pressure_correction"] = r.pressure_correction;
  }
  j["force_checksum"] = fmt::format("{:016x}", r.checksum);
  if (r.worst_force_error) j["worst_force_error"] = *r.worst_force_error;
  j["neighbor_entries"] = r.entries;
  j["neighbor_list_bytes"] = r.list_bytes;
  j["time_s"] = {{"neighbor_build", r.build_s}, {"sweep_median", r.pair_s}};
  for (const phase p : all_phases) j["time_s"][std::string(to_string(p)) + "_all_threads"] = r.result.report.total_s(p);
  j["time_s"]["idle_before_merging_all_threads"] = r.result.report.idle_before_merging_s();
  if (o.steps != 0) j["time_s"]["all_steps"] = r.steps_s;
  j["workspace_bytes"] = r.result.report.workspace_bytes;
  j["merged_bytes"] = r.result.report.merged_bytes;
  for (const auto& s : r.trajectory)
    j["trajectory"].push_back({{"step", s.step}, {"potential_energy", s.potential}, {"kinetic_energy", s.kinetic}});
  return j;
}

void print(const run_report& r, const forces_options& o) {
  const auto line = [](const char* name, const std::string& value) { fmt::print("  {:<22}{}\n", name, value); };
  const auto& report = r.result.report;
  const std::string threads = fmt::format("{} thread{}", report.threads, report.threads == 1 ? "" : "s");
  fmt::print("{}: {} particles, {}, {}\n", r.file, r.particles, to_string(r.used), o.where == "host" ? threads : "on the device");
  line("energy", fmt::format("{:.15g}   ({:.10f} a particle; bits {:a})", r.result.energy,
                             r.result.energy / static_cast<double>(std::max<std::size_t>(r.particles, 1)), r.result.energy));
  line("virial, sum of r.f", fmt::format("{:.15g}", r.result.virial_trace()));
  line("xx yy zz xy xz yz", fmt::format("{:.9g}", fmt::join(r.result.virial, " ")));
  if (r.volume > 0) line("pressure", fmt::format("{:.10g}", r.pressure));
  if (r.energy_correction != 0)
    line("beyond the cut-off", fmt::format("energy {:.9g}, pressure {:.9g}", r.energy_correction, r.pressure_correction));
  line("force checksum", fmt::format("{:016x}", r.checksum));
  if (r.worst_force_error)
    line("against the file", fmt::format("forces differ by {:.2g} at most, relative to each", *r.worst_force_error));
  line("neighbour list", fmt::format("{} entries, {:.1f} a particle; {:.1f} MiB; built in {:.3f} ms", r.entries,
                                     static_cast<double>(r.entries) / static_cast<double>(std::max<std::size_t>(r.particles, 1)),
                                     static_cast<double>(r.list_bytes) / 1048576, r.build_s * 1e3));
  line("sweep", fmt::format("{:.3f} ms, {:.2f} million particles a second", r.pair_s * 1e3,
                            static_cast<double>(r.particles) / r.pair_s * 1e-6));
  std::string phases;
  for (const phase p : all_phases)
    phases += fmt::format("{}{} {:.3f} ms", phases.empty() ? "" : ", ", to_string(p), report.total_s(p) * 1e3);
  if (o.where == "host") line("threads together", phases);
  if (!r.trajectory.empty()) {
    line("all steps", fmt::format("{:.3f} s, {:.2f} million particle-steps a second", r.steps_s,
                                  static_cast<double>(r.particles) * static_cast<double>(r.trajectory.back().step) / r.steps_s * 1e-6));
    fmt::print("  {:>8}{:>22}{:>22}{:>22}{:>14}\n", "step", "potential energy", "kinetic energy", "total", "drift");
    const double start = r.trajectory.front().potential + r.trajectory.front().kinetic;
    for (const auto& s : r.trajectory) {
      fmt::print("  {:>8}{:>22.10f}{:>22.10f}{:>22.10f}{:>14.2e}\n", s.step, s.potential, s.kinetic, s.potential + s.kinetic,
                 (s.potential + s.kinetic - start) / std::fabs(start));
    }
  }
}

void print_table(const std::vector<run_report>& reports) {
  fmt::print("{:<28}{:<13}{:>8}{:>20}{:>20}{:>18}{:>10}{:>10}{:>10}{:>10}\n", "file", "strategy", "threads", "energy", "virial",
             "force checksum", "ms", "compute", "wait", "merge");
  for (const auto& r : reports) {
    const auto& report = r.result.report;
    const auto mean_ms = [&](phase p) { return report.total_s(p) * 1e3 / report.threads; };
    fmt::print("{:<28}{:<13}{:>8}{:>20.12g}{:>20.12g}{:>18}{:>10.3f}{:>10.3f}{:>10.3f}{:>10.3f}\n",
               std::filesystem::path(r.file).stem().string().substr(0, 27), to_string(r.used), report.threads, r.result.energy,
               r.result.virial_trace(), fmt::format("{:016x}", r.checksum), r.pair_s * 1e3, mean_ms(phase::computing),
               mean_ms(phase::waiting), mean_ms(phase::merging));
  }
}

void run(const forces_options& o) {
  const bool on_device = o.where == "device";
  if (on_device && run_on_device == nullptr) {
    throw error(errc::no_device, "forces: this program was built without a device; configure accrue with cuda or hip in ACCRUE_BACKENDS");
  }
  if (on_device && !o.timeline.empty()) {
    throw error(errc::invalid_argument, "forces: a timeline is of the host's threads: leave out --where");
  }
  const run_function run_there = on_device ? run_on_device : run_one<lj_system>;
  std::vector<strategy> ways{*strategy_named(o.strategy)};
  if (o.all && on_device) {
    ways.assign(std::begin(device_strategies), std::end(device_strategies));
  } else if (o.all) {
    ways.assign(std::begin(all_strategies), std::end(all_strategies));
  }
  std::vector<run_report> reports;
  std::vector<timeline_panel> panels;
  for (const auto& name : o.files) {
    const configuration c = read(o, name);
    for (const strategy s : ways) {
      reports.push_back(run_there(o, name, c, s));
      panels.push_back({fmt::format("{}, {}", std::filesystem::path(name).filename().string(), to_string(reports.back().used)),
                        reports.back().result.report});
    }
  }
  if (!o.timeline.empty()) {
    std::ofstream out(o.timeline);
    out << timeline_svg("What each thread did when", panels);
    out.close();
    if (!out) throw error(errc::bad_input, o.timeline + ": cannot be written");
  }
  if (o.json) {
    nlohmann::ordered_json j = nlohmann::ordered_json::array();
    for (const auto& r : reports) j.push_back(to_json(r, o));
    fmt::print("{}\n", j.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else if (o.all) {
    print_table(reports);
  } else {
    for (const auto& r : reports) print(r, o);
  }
}

}  // namespace

void add_forces(CLI::App& app) {
  auto* command = app.add_subcommand("forces", "Lennard-Jones forces, energy and virial of particle configurations");
  auto o = std::make_shared<forces_options>();
  std::vector<std::string> strategies{"automatic"};
  for (const strategy s : all_strategies) strategies.emplace_back(to_string(s));
  command->add_option("files", o->files, "Configurations: NIST sample, (extended) XYZ, LAMMPS data or dump")->required();
  command->add_option("-f,--format", o->format, "nist, xyz, lammps-data or lammps-dump; told from the content if left out")
      ->check(CLI::IsMember({"nist", "xyz", "lammps-data", "lammps-dump"}));
  auto* one = command->add_option("-s,--strategy", o->strategy, "How forces are accumulated")
                  ->check(CLI::IsMember(strategies))
                  ->capture_default_str();
  command->add_flag("-a,--all", o->all, "Every strategy, in one table")->excludes(one);
  command->add_option("--where", o->where, "On the host, or on the first device: atomic, gather and fixed_point run there")
      ->check(CLI::IsMember({"host", "device"}))
      ->capture_default_str();
  command->add_option("-j,--threads", o->settings.threads, "Threads; 0 for as many as OpenMP would use")
      ->check(CLI::Range(0, 1024))
      ->capture_default_str();
  command->add_option("-c,--cutoff", o->settings.cutoff, "Cut-off radius, in sigma")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("--skin", o->skin, "Skin of the neighbour list; 0.3, or less where the box asks for it, if left out");
  command->add_option("--truncation", o->end, "How the potential ends")
      ->check(CLI::IsMember({"plain", "shifted", "shifted-force"}))
      ->capture_default_str();
  command->add_option("--replicate", o->copies, "Copies of the system in each direction")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--repeat", o->repeats, "Sweeps, of which the median time is told")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_option("-n,--steps", o->steps, "Steps of velocity Verlet afterwards, at constant energy");
  command->add_option("--timestep", o->settings.timestep, "Time step")->capture_default_str();
  command->add_option("--temperature", o->temperature, "Draw initial velocities at this temperature; otherwise the file's, or none")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--seed", o->seed, "Seed of the velocities")->capture_default_str();
  command->add_flag("--json", o->json, "Print JSON");
  command->add_option("--timeline", o->timeline, "Write what each thread of the host did when, in the last sweep, as an SVG picture");
  command->callback([o] { run(*o); });
}

}  // namespace accrue::program
