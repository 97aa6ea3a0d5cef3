import type { CommandContext, ProjectOptions } from '../command-context.ts';
import { printable, printableLines } from './printable.ts';

/** Prints values as JSON lines when asked to, else the text that is made for people. */
export function print(
  context: CommandContext,
  options: ProjectOptions,
  values: readonly unknown[],
  text: () => string,
): void {
  if (options.json === true) for (const value of values) context.stdout.write(`${JSON.stringify(value)}\n`);
  else context.stdout.write(printableLines(text()));
}

/** Rows in columns of equal width, two blanks between them; a heading in capitals. Empty when there are no rows. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string {
  if (rows.length === 0) return '';
  const cells = [
    headings.map((heading) => heading.toUpperCase()),
    ...rows.map((row) => row.map((cell) => (cell === undefined ? '-' : printable(String(cell))))),
  ];
  const widths = headings.map((_, column) => Math.max(...cells.map((row) => width(row[column] ?? ''))));
  return cells
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - width(cell)))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

/** Names and values, one a line. */
export function pairs(values: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(values).filter((entry) => entry[1] !== undefined);
  const widest = Math.max(...given.map(([name]) => width(name)), 0);
  return given.map(([name, value]) => `${name}${' '.repeat(widest - width(name))}  ${String(value)}\n`).join('');
}

function width(text: string): number {
  return [...text].length;
}

/** Seconds as 42 s, 3:07 min or 1:20 h. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  if (whole < 3600) return `${Math.floor(whole / 60)}:${two(whole % 60)} min`;
  return `${Math.floor(whole / 3600)}:${two(Math.floor((whole % 3600) / 60))} h`;
}

/** A moment without its fractions, in local time. */
export function moment(iso: string | undefined): string | undefined {
  if (iso === undefined) return undefined;
  const date = new Date(iso);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
