import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { expect, it } from 'vitest';

const { exactNamesPlugin } = (await import(new URL('./exact-names.js', import.meta.url).href)) as {
  readonly exactNamesPlugin: object;
};
const config = [
  {
    files: ['**/*.ts'],
    plugins: { 'exact-names': exactNamesPlugin },
    rules: { 'exact-names/hold': 'error' },
    languageOptions: { parser: tseslint.parser },
  },
];

it.each([
  ["page.getByText('Saved');", "page.getByText('Saved', { exact: true });"],
  ['form.getByLabel(name).first();', 'form.getByLabel(name, { exact: true }).first();'],
  [
    'page.getByRole(`link`, { name: `Replica ${name}` });',
    'page.getByRole(`link`, { name: `Replica ${name}`, exact: true });',
  ],
  ["page.getByRole('link', { name });", "page.getByRole('link', { name, exact: true });"],
  ["page.getByText('Saved', { exact: false });", undefined],
  ['page.getByText(/Saved/);', undefined],
  ["page.getByRole('row', { name: /web-01|db-01/ });", undefined],
])('finds a part of a text: %s', (code, fixed) => {
  expect(new Linter().verify(code, config as never, 'x.ts')).toHaveLength(1);
  if (fixed !== undefined) expect(new Linter().verifyAndFix(code, config as never, 'x.ts').output).toBe(fixed);
});

it.each([
  "page.getByText('Saved', { exact: true });",
  'page.getByText(/^Save \\d+ files/);',
  'page.getByText(/ files saved$/i);',
  "page.getByRole('heading', { level: 1 });",
  "page.getByRole('link', { name: 'Ledger', exact: true });",
  'page.getByLabel(new RegExp(`^${label}$`));',
  "page.getByTestId('x');",
])('lets through %s', (code) => expect(new Linter().verify(code, config as never, 'x.ts')).toEqual([]));
