// SPDX-License-Identifier: BSD-3-Clause
// The timeline as SVG.
#include "timeline_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace accrue::program {

namespace {

constexpr double left = 90;
constexpr double width = 1000;
constexpr double right = 40;
constexpr double row_height = 18;
constexpr double row_gap = 4;

// Colours that differ in lightness too, for those who see no hue.
const char* colour_of(phase p) {
  switch (p) {
    case phase::preparing:
      return "#c9ced6";
    case phase::computing:
      return "#2f6db3";
    case phase::waiting:
      return "#f4d35e";
    case phase::merging:
      return "#c8553d";
  }
  return "#000000";
}

/// A round step that gives the axis five to ten ticks.
double tick_step(double span) {
  const double raw = span / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double m : {5.0, 2.0, 1.0}) {
    if (m * power <= raw) return m * power;
  }
  return power;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

class document {
 public:
  void text(double x, double y, const std::string& what, const char* anchor = "start", int size = 14,
            const char* weight = "normal") {
    body_ += fmt::format("<text x='{:.1f}' y='{:.1f}' font-size='{}' font-weight='{}' text-anchor='{}'>{}</text>\n", x, y, size,
                         weight, anchor, escaped(what));
  }
  void box(double x, double y, double w, double h, const char* colour, const std::string& tip = {}) {
    body_ += fmt::format("<rect x='{:.2f}' y='{:.1f}' width='{:.2f}' height='{:.1f}' fill='{}'>", x, y, w, h, colour);
    if (!tip.empty()) body_ += "<title>" + escaped(tip) + "</title>";
    body_ += "</rect>\n";
  }
  void line(double x1, double y1, double x2, double y2) {
    body_ +=
        fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='#808080' stroke-width='1'/>\n", x1, y1, x2, y2);
  }
  [[nodiscard]] std::string finish(double height) const {
    const double w = left + width + right;
    return fmt::format(
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' height='{1:.0f}' "
        "font-family='sans-serif' fill='#202020'>\n<rect width='100%' height='100%' fill='white'/>\n{2}</svg>\n",
        w, height, body_);
  }

 private:
  std::string body_;
};

/// Rows for the threads and a time axis, for the part of the report between two times. Returns where it ends.
double draw_rows(document& svg, double y, const accumulation_report& report, double from_s, double to_s) {
  const double scale = width / std::max(to_s - from_s, 1e-9);
  for (std::size_t t = 0; t < report.timelines.size(); ++t) {
    svg.text(left - 8, y + row_height - 5, fmt::format("thread {}", t), "end", 12);
    for (const auto& i : report.timelines[t]) {
      const double begin = std::max(i.begin_s, from_s);
      const double end = std::min(i.end_s, to_s);
      if (end <= begin) continue;
      svg.box(left + (begin - from_s) * scale, y, (end - begin) * scale, row_height, colour_of(i.what),
              fmt::format("{} {:.4f} to {:.4f} ms", to_string(i.what), i.begin_s * 1e3, i.end_s * 1e3));
    }
    y += row_height + row_gap;
  }
  svg.line(left, y, left + width, y);
  const double step = tick_step((to_s - from_s) * 1e3);
  for (double k = std::ceil(from_s * 1e3 / step); k * step <= to_s * 1e3 * (1 + 1e-9); ++k) {
    const double at = left + (k * step * 1e-3 - from_s) * scale;
    svg.line(at, y, at, y + 5);
    svg.text(at, y + 18, fmt::format("{:g}", k * step), "middle", 12);
  }
  svg.text(left + width, y + 34, "milliseconds", "end", 12);
  return y + 40;
}

/// From the first thread's arrival at the critical section to the last one's leaving it.
std::pair<double, double> section_of(const accumulation_report& report) {
  double from = report.elapsed_s;
  double to = 0;
  for (const auto& t : report.timelines) {
    for (const auto& i : t) {
      if (i.what == phase::computing) from = std::min(from, i.end_s);
      if (i.what != phase::merging) continue;
      to = std::max(to, i.end_s);
      break;
    }
  }
  return {from, to};
}

}  // namespace

std::string timeline_svg(const std::string& title, const std::vector<timeline_panel>& panels) {
  document svg;
  svg.text(left, 28, title, "start", 18, "bold");
  double x = left;
  for (const phase p : all_phases) {
    svg.box(x, 42, 16, 14, colour_of(p));
    svg.text(x + 22, 54, std::string(to_string(p)));
    x += 130;
  }
  double y = 92;
  for (const auto& p : panels) {
    const auto& report = p.report;
    svg.text(left, y, fmt::format("{}: {:.3f} ms", p.title, report.elapsed_s * 1e3), "start", 15, "bold");
    svg.text(left, y + 18,
             fmt::format(
                 "all threads together: computing {:.3f} ms, waiting {:.3f} ms, of it before merging {:.3f} ms, merging {:.3f} ms",
                 report.total_s(phase::computing) * 1e3, report.total_s(phase::waiting) * 1e3, report.idle_before_merging_s() * 1e3,
                 report.total_s(phase::merging) * 1e3),
             "start", 13);
    y = draw_rows(svg, y + 28, report, 0, report.elapsed_s) + 22;
    if (report.merge_s > 0 && report.threads > 1) {
      const auto [from, to] = section_of(report);
      svg.text(left, y, "the same, from the first arrival at the critical section to the last departure", "start", 13);
      y = draw_rows(svg, y + 10, report, from, to) + 30;
    } else {
      y += 8;
    }
  }
  return svg.finish(y - 10);
}

}  // namespace accrue::program
