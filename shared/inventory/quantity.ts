import { sizeUnits, type SizeUnit } from './import-fields.ts';

/** A number as people and spreadsheets write it: 1200, 1,200, 1.200,5, 1 200. */
export function parseNumber(text: string): number | undefined {
  const plain = text.replaceAll(/[\s'’\u00a0\u202f]/g, '');
  if (/^\d{1,3}(,\d{3})+(\.\d+)?$/.test(plain)) return Number(plain.replaceAll(',', ''));
  if (/^\d{1,3}(\.\d{3})+,\d+$/.test(plain)) return Number(plain.replaceAll('.', '').replace(',', '.'));
  if (/^\d+,\d+$/.test(plain)) return Number(plain.replace(',', '.'));
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : undefined;
}

/** A size in bytes; a unit in the text goes before the given one. */
export function parseSize(text: string, unit: SizeUnit): number | undefined {
  const match = /^(.*?)\s*([kmgt])?(i?b|bytes?)?$/i.exec(text.trim());
  const value = match?.[1] === undefined ? undefined : parseNumber(match[1]);
  if (value === undefined) return undefined;
  const own = match?.[2]?.toLowerCase();
  const factor =
    own !== undefined
      ? 1024 ** (['k', 'm', 'g', 't'].indexOf(own) + 1)
      : match?.[3] !== undefined
        ? 1
        : sizeUnits[unit];
  return Math.round(value * factor);
}

/** The parts of a cell that lists several things. */
export function listParts(text: string, separator = /[;|\n]/): string[] {
  return text
    .split(separator)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
