import type { TextLocation } from '../schema/finding.ts';

export interface IniEntry {
  readonly key: string;
  /** As written, without the blanks around it and without a pair of quotes; continuation lines are joined by a blank. */
  readonly value: string;
  readonly location: TextLocation;
}

export interface IniSection {
  readonly name: string;
  readonly location: TextLocation;
  readonly entries: readonly IniEntry[];
}

export interface IniFault {
  readonly message: string;
  readonly location: TextLocation;
}

/**
 * Reads an INI file as the services' own configuration readers do: `key = value` or `key: value`, comments on their own
 * lines only (`#`, `;`), an indented line continues the value above it. Unlike the usual INI packages it keeps `#`, `;`
 * and `.` inside values and names (URLs, Base64), and knows the line of everything.
 */
export function readIni(text: string): {
  readonly sections: readonly IniSection[];
  readonly faults: readonly IniFault[];
} {
  const sections: {
    name: string;
    location: TextLocation;
    entries: { key: string; value: string; location: TextLocation }[];
  }[] = [];
  const faults: IniFault[] = [];
  let open: { value: string } | undefined;
  const lines = text.split(/\r\n|\n|\r/);
  for (const [index, line] of lines.entries()) {
    const trimmed = line.trim();
    const location = { line: index + 1, column: line.length - line.trimStart().length + 1 };
    if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith(';')) {
      if (trimmed === '') open = undefined;
      continue;
    }
    if (/^\s/.test(line) && open !== undefined) {
      open.value = `${open.value} ${trimmed}`.trim();
      continue;
    }
    open = undefined;
    if (trimmed.startsWith('[')) {
      if (/^\[[^[\]]+\]$/.test(trimmed)) sections.push({ name: trimmed.slice(1, -1).trim(), location, entries: [] });
      else faults.push({ message: 'Write a section as [name]', location });
      continue;
    }
    const separator = trimmed.search(/[=:]/);
    if (separator < 1) {
      faults.push({ message: 'Expected a section, a comment, or a key with a value', location });
      continue;
    }
    const section = sections.at(-1);
    if (section === undefined) {
      faults.push({ message: 'The key is before the first section', location });
      continue;
    }
    const entry = { key: trimmed.slice(0, separator).trim(), value: trimmed.slice(separator + 1).trim(), location };
    section.entries.push(entry);
    open = entry;
  }
  for (const { entries } of sections) for (const entry of entries) entry.value = unquoted(entry.value);
  return { sections, faults };
}

function unquoted(value: string): string {
  const first = value[0];
  return value.length > 1 &&
    (first === '"' || first === "'") &&
    value.endsWith(first) &&
    !value.slice(1, -1).includes(first)
    ? value.slice(1, -1)
    : value;
}
