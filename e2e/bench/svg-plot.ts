/** A line of a plot: its name, and a value for each x. */
export interface PlotLine {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Plot {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly PlotLine[];
}

const [width, height, left, right, top, bottom] = [900, 260, 70, 180, 30, 40];
const colours = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd', '#ff7f0e', '#7f7f7f'];

/** Plots below each other, as one SVG document that needs nothing else. */
export function svgOf(plots: readonly Plot[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${plots.length * height}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    ...plots.map((plot, index) => `<g transform="translate(0 ${index * height})">${plotted(plot)}</g>`),
    '</svg>\n',
  ].join('\n');
}

/** Bars in groups, each with a value for some of the series. */
export interface BarChart {
  readonly title: string;
  readonly unit: string;
  readonly groups: readonly {
    readonly name: string;
    readonly bars: readonly { readonly series: string; readonly value: number }[];
  }[];
}

const [barHeight, labelWidth, valueWidth] = [14, 330, 60];

/** Horizontal bars, as one SVG document: names of groups are long. */
export function svgOfBars({ title, unit, groups }: BarChart): string {
  const series = [...new Set(groups.flatMap(({ bars }) => bars.map((bar) => bar.series)))];
  const most = Math.max(...groups.flatMap(({ bars }) => bars.map(({ value }) => value)));
  const colourOf = (name: string): string => colours[series.indexOf(name) % colours.length]!;
  const legendTop = 30;
  const lines: string[] = [];
  let y = legendTop + 14 * series.length + 10;
  for (const { name, bars } of groups) {
    lines.push(
      `<text x="${labelWidth - 10}" y="${y + (barHeight * bars.length) / 2 + 4}" text-anchor="end">${escaped(name)}</text>`,
    );
    for (const { series: of, value } of bars) {
      const wide = (value / most) * (width - labelWidth - valueWidth);
      lines.push(
        `<rect x="${labelWidth}" y="${y}" width="${wide.toFixed(1)}" height="${barHeight - 2}" fill="${colourOf(of)}"/><text x="${(labelWidth + wide + 5).toFixed(1)}" y="${y + 10}" font-size="11">${short(value)}</text>`,
      );
      y += barHeight;
    }
    y += 10;
  }
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${y + 10}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="10" y="18" font-weight="bold">${escaped(title)}, ${escaped(unit)}</text>`,
    ...series.map(
      (name, index) =>
        `<rect x="${labelWidth}" y="${legendTop + 14 * index - 8}" width="10" height="10" fill="${colourOf(name)}"/><text x="${labelWidth + 16}" y="${legendTop + 14 * index + 1}">${escaped(name)}</text>`,
    ),
    ...lines,
    '</svg>\n',
  ].join('\n');
}

function plotted({ title, x, y, lines }: Plot): string {
  const all = lines.flatMap(({ points }) => points);
  const [mostX, mostY] = [
    Math.max(...all.map(([at]) => at), 1),
    roundUp(Math.max(...all.map(([, value]) => value), 1)),
  ];
  const atX = (value: number): number => left + (value / mostX) * (width - left - right);
  const atY = (value: number): number => height - bottom - (value / mostY) * (height - top - bottom);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return [
    `<text x="${left}" y="18" font-weight="bold">${escaped(title)}</text>`,
    ...ticks.map(
      (part) =>
        `<line x1="${left}" x2="${width - right}" y1="${atY(part * mostY)}" y2="${atY(part * mostY)}" stroke="#ddd"/><text x="${left - 6}" y="${atY(part * mostY) + 4}" text-anchor="end">${short(part * mostY)}</text>`,
    ),
    ...ticks.map(
      (part) =>
        `<text x="${atX(part * mostX)}" y="${height - bottom + 16}" text-anchor="middle">${short(part * mostX)}</text>`,
    ),
    `<text x="${(left + width - right) / 2}" y="${height - 8}" text-anchor="middle">${escaped(x)}</text>`,
    `<text transform="translate(14 ${height / 2}) rotate(-90)" text-anchor="middle">${escaped(y)}</text>`,
    ...lines.map(({ name, points }, index) => {
      const colour = colours[index % colours.length]!;
      const path = points.map(([at, value]) => `${atX(at).toFixed(1)},${atY(value).toFixed(1)}`).join(' ');
      return `<polyline fill="none" stroke="${colour}" stroke-width="1.2" points="${path}"/><text x="${width - right + 10}" y="${top + 14 * (index + 1)}" fill="${colour}">${escaped(name)}</text>`;
    }),
  ].join('\n');
}

function roundUp(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return Math.ceil(value / power) * power;
}

function short(value: number): string {
  return value >= 10 || value === 0 ? String(Math.round(value)) : value.toFixed(1);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
