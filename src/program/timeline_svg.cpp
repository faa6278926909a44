// SPDX-License-Identifier: BSD-3-Clause
// The timeline as SVG.
#include "timeline_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace accrue::program {

namespace {

constexpr double left = 90;
constexpr double width = 1000;
constexpr double right = 40;
constexpr double row_height = 18;
constexpr double row_gap = 4;
constexpr double panel_gap = 62;

// Colours that differ in lightness too, for those who see no hue.
const char* colour_of(phase p) {
  switch (p) {
    case phase::preparing: return "#c9ced6";
    case phase::computing: return "#2f6db3";
    case phase::waiting: return "#f4d35e";
    case phase::merging: return "#c8553d";
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
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      default: out += c;
    }
  }
  return out;
}

class document {
 public:
  void text(double x, double y, const std::string& what, const char* anchor = "start", int size = 14, const char* weight = "normal") {
    body_ += fmt::format("<text x='{:.1f}' y='{:.1f}' font-size='{}' font-weight='{}' text-anchor='{}'>{}</text>\n", x, y, size, weight, anchor,
                         escaped(what));
  }
  void box(double x, double y, double w, double h, const char* colour, const std::string& tip = {}) {
    body_ += fmt::format("<rect x='{:.2f}' y='{:.1f}' width='{:.2f}' height='{:.1f}' fill='{}'>", x, y, w, h, colour);
    if (!tip.empty()) body_ += "<title>" + escaped(tip) + "</title>";
    body_ += "</rect>\n";
  }
  void line(double x1, double y1, double x2, double y2) {
    body_ += fmt::format("<line x1='{:.1f}' y1='{:.1f}' x2='{:.1f}' y2='{:.1f}' stroke='#808080' stroke-width='1'/>\n", x1, y1, x2, y2);
  }
  [[nodiscard]] std::string finish(double height) const {
    const double w = left + width + right;
    return fmt::format("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' height='{1:.0f}' "
                       "font-family='sans-serif' fill='#202020'>\n<rect width='100%' height='100%' fill='white'/>\n{2}</svg>\n",
                       w, height, body_);
  }

 private:
  std::string body_;
};

}  // namespace

std::string timeline_svg(const std::string& title, const std::vector<timeline_panel>& panels) {
  double end_s = 0;
  for (const auto& p : panels) {
    for (const auto& t : p.report.timelines) {
      for (const auto& i : t) end_s = std::max(end_s, i.end_s);
    }
  }
  if (end_s <= 0) end_s = 1e-6;
  const double scale = width / end_s;

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
    svg.text(left, y, fmt::format("{}: {:.3f} ms; in all threads {:.3f} ms computing, {:.3f} ms waiting ({:.3f} ms of it before merging), {:.3f} ms merging",
                                  p.title, p.report.elapsed_s * 1e3, p.report.total_s(phase::computing) * 1e3, p.report.total_s(phase::waiting) * 1e3,
                                  p.report.idle_before_merging_s() * 1e3, p.report.total_s(phase::merging) * 1e3));
    y += 10;
    for (std::size_t t = 0; t < p.report.timelines.size(); ++t) {
      svg.text(left - 8, y + row_height - 5, fmt::format("thread {}", t), "end", 12);
      for (const auto& i : p.report.timelines[t]) {
        svg.box(left + i.begin_s * scale, y, std::max((i.end_s - i.begin_s) * scale, 0.3), row_height, colour_of(i.what),
                fmt::format("{} {:.4f} to {:.4f} ms", to_string(i.what), i.begin_s * 1e3, i.end_s * 1e3));
      }
      y += row_height + row_gap;
    }
    svg.line(left, y, left + width, y);
    const double step = tick_step(end_s * 1e3);
    for (int k = 0; k * step <= end_s * 1e3 * 1.0001; ++k) {
      const double at = left + k * step * 1e-3 * scale;
      svg.line(at, y, at, y + 5);
      svg.text(at, y + 18, fmt::format("{:g}{}", k * step, k == 0 ? " ms" : ""), "middle", 12);
    }
    y += panel_gap;
  }
  return svg.finish(y - panel_gap + 40);
}

}  // namespace accrue::program
