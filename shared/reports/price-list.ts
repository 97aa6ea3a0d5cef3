import Papa from 'papaparse';
import type { WaveEstimate } from '../model/wave-estimate.ts';

/** What a price may be for: what a wave needs, in the units that clouds bill. */
export const pricedItems = ['server', 'vcpu', 'memory_gib', 'volume_gib', 'nic'] as const;
export type PricedItem = (typeof pricedItems)[number];

/** A cloud's month, as most of them bill it. */
const hoursPerMonth = 730;
const periods: Readonly<Record<string, number>> = { month: 1, hour: hoursPerMonth };

export interface PriceList {
  readonly perMonth: Partial<Readonly<Record<PricedItem, number>>>;
  readonly currency: string;
  /** What is wrong with which line; the others apply. */
  readonly problems: readonly PriceProblem[];
}

export type PriceProblem =
  | { readonly kind: 'empty' }
  | { readonly kind: 'item' | 'period' | 'price'; readonly line: number }
  | { readonly kind: 'currency'; readonly line: number; readonly currency: string };

/** In English, for the command line. */
export function priceProblemText(problem: PriceProblem): string {
  if (problem.kind === 'empty') return 'the file has no prices';
  const what = {
    item: `item must be ${pricedItems.join(', ')}`,
    period: 'per must be hour or month',
    price: 'price must be a number',
    currency: `all prices must have the currency ${problem.kind === 'currency' ? problem.currency : ''}`,
  };
  return `line ${problem.line}: ${what[problem.kind]}`;
}

export interface Cost {
  readonly item: PricedItem;
  readonly amount: number;
  readonly perMonth: number;
}

/** A CSV file with the columns `item`, `per` (`hour` or `month`), `price` and, if any, `currency`. Comma, semicolon or tab; prices as spreadsheets write them. */
export function readPriceList(csv: string): PriceList {
  const { data, meta } = Papa.parse<Record<string, string>>(csv.replace(/^\uFEFF/, ''), {
    header: true,
    skipEmptyLines: 'greedy',
    transformHeader: (name) => name.trim().toLowerCase(),
  });
  const decimal = decimalSign(
    data.map((row) => row['price']?.trim() ?? ''),
    meta.delimiter,
  );
  const perMonth: Partial<Record<PricedItem, number>> = {};
  const problems: PriceProblem[] = [];
  let currency = '';
  for (const [index, row] of data.entries()) {
    const line = index + 2;
    const item = pricedItems.find((known) => known === row['item']?.trim().toLowerCase());
    const period = periods[row['per']?.trim().toLowerCase() ?? ''];
    const price = priceOf(row['price'] ?? '', decimal);
    if (item === undefined) problems.push({ kind: 'item', line });
    else if (period === undefined) problems.push({ kind: 'period', line });
    else if (price === undefined) problems.push({ kind: 'price', line });
    else if ((row['currency'] ?? '').trim() !== '' && currency !== '' && row['currency']?.trim() !== currency)
      problems.push({ kind: 'currency', line, currency });
    else {
      perMonth[item] = (perMonth[item] ?? 0) + price * period;
      currency = row['currency']?.trim() || currency;
    }
  }
  if (data.length === 0) problems.push({ kind: 'empty' });
  return { perMonth, currency, problems };
}

/** The sign before decimals, by what can only be read in one way; else the comma where it does not separate columns. */
function decimalSign(prices: readonly string[], delimiter: string): ',' | '.' {
  const says = (decimal: ',' | '.'): boolean => {
    const other = decimal === ',' ? '.' : ',';
    return prices.some(
      (price) =>
        new RegExp(`^[^${decimal}]*\\${decimal}(\\d{1,2}|\\d{4,})?$`).test(price) ||
        new RegExp(`^0\\${decimal}\\d+$`).test(price) ||
        new RegExp(`\\${other}.*\\${decimal}`).test(price),
    );
  };
  if (says('.')) return '.';
  if (says(',')) return ',';
  return delimiter === ',' ? '.' : prices.some((price) => price.includes(',')) ? ',' : '.';
}

/** Undefined where it could be read in two ways, or is no number. */
function priceOf(written: string, decimal: ',' | '.'): number | undefined {
  const plain = written.trim().replaceAll(/[\s'’\u00a0\u202f]/g, '');
  const group = decimal === ',' ? '.' : ',';
  const ungrouped = new RegExp(`^\\d{1,3}(\\${group}\\d{3})+(\\${decimal}\\d*)?$`).test(plain)
    ? plain.replaceAll(group, '')
    : plain;
  return new RegExp(`^\\d+(\\${decimal}\\d*)?$`).test(ungrouped) ? Number(ungrouped.replace(decimal, '.')) : undefined;
}

/** What a wave's VMs cost in a month at the destination, item by item. */
export function monthlyCosts(needs: WaveEstimate['needs'], { perMonth }: Pick<PriceList, 'perMonth'>): Cost[] {
  const amounts: Readonly<Record<PricedItem, number>> = {
    server: needs.servers,
    vcpu: needs.vcpus,
    memory_gib: needs.memoryMb / 1024,
    volume_gib: needs.volumeBytes / 1024 ** 3,
    nic: needs.nics,
  };
  return pricedItems.flatMap((item) => {
    const price = perMonth[item];
    return price === undefined ? [] : [{ item, amount: amounts[item], perMonth: amounts[item] * price }];
  });
}
