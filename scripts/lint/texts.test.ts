import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { expect, it } from 'vitest';

const { textsPlugin } = (await import(new URL('./texts.js', import.meta.url).href)) as { readonly textsPlugin: object };

function complaints(code: string): number {
  const config = [
    {
      files: ['**/*.tsx'],
      plugins: { texts: textsPlugin },
      rules: { 'texts/from-catalogue': 'error' },
      languageOptions: { parser: tseslint.parser, parserOptions: { ecmaFeatures: { jsx: true } } },
    },
  ];
  return new Linter().verify(code, config as never, 'x.tsx').length;
}

it.each([
  'const x = <p>Saved</p>;',
  'const x = <p>{count} VMs</p>;',
  "const x = <p>{isOpen ? 'Open' : text.closed}</p>;",
  'const x = <p>{`${count} of them`}</p>;',
  'const x = <input aria-label="Name" />;',
  "const x = <Field label={label ?? 'Name'} />;",
  'const x = <Field placeholder={`e.g. ${name}`} />;',
  "const columns = [{ id: 'name', label: 'Name' }];",
  "toast('Saved');",
])('finds a text beside the catalogue: %s', (code) => expect(complaints(code)).toBe(1));

it.each([
  'const x = <p>{text.app.saved}</p>;',
  'const x = <p>{count} · {`${from} → ${to}`} ({text.vms(count)})</p>;',
  "const x = <Field type=\"search\" size={isWide ? 'small' : 'medium'} label={text.name} />;",
  "const x = <p>{state === 'done' && 'step' in task && text.done}</p>;",
  "const columns = [{ id: 'name', label: text.name }];",
])('lets through %s', (code) => expect(complaints(code)).toBe(0));
