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
const colours = ['#1f77b4', '#d62728', '#2ca02c', '#9467bd'];

/** Plots below each other, as one SVG document that needs nothing else. */
export function svgOf(plots: readonly Plot[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${plots.length * height}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/>`,
    ...plots.map((plot, index) => `<g transform="translate(0 ${index * height})">${plotted(plot)}</g>`),
    '</svg>\n',
  ].join('\n');
}

function plotted({ title, x, y, lines }: Plot): string {
  const all = lines.flatMap(({ points }) => points);
  const [mostX, mostY] = [Math.max(...all.map(([at]) => at), 1), roundUp(Math.max(...all.map(([, value]) => value), 1))];
  const atX = (value: number): number => left + (value / mostX) * (width - left - right);
  const atY = (value: number): number => height - bottom - (value / mostY) * (height - top - bottom);
  const ticks = [0, 0.25, 0.5, 0.75, 1];
  return [
    `<text x="${left}" y="18" font-weight="bold">${escaped(title)}</text>`,
    ...ticks.map((part) => `<line x1="${left}" x2="${width - right}" y1="${atY(part * mostY)}" y2="${atY(part * mostY)}" stroke="#ddd"/><text x="${left - 6}" y="${atY(part * mostY) + 4}" text-anchor="end">${short(part * mostY)}</text>`),
    ...ticks.map((part) => `<text x="${atX(part * mostX)}" y="${height - bottom + 16}" text-anchor="middle">${short(part * mostX)}</text>`),
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
