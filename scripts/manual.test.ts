import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { parse } from 'yaml';
import { describe, expect, test } from 'vitest';
import { commandDefinition, problemsOf } from '../electron/cli/testing/written-command.ts';
import { text } from '../renderer/text/en/index.ts';
import { manualAnchors, manualPages } from '../shared/manual/addresses.ts';
import { errorCatalogue } from '../shared/model/errors/catalogue.ts';
import { isPluginId, pluginsWith } from '../shared/plugins/registry.ts';
import { plugins } from '../shared/plugins/registry.ts';
import { fieldsOf } from '../shared/plugins/schema-fields.ts';
import { specified } from '../shared/plugins/testing/specified-keys.ts';
import { readProviderConfiguration } from '../shared/environment/provider-configuration.ts';
import { findingAreas } from '../shared/validation/finding-texts.ts';
import { validateDocument } from '../shared/validation/validate-document.ts';

const folder = join(import.meta.dirname, '..', 'docs', 'manual');
const pages = new Map(
  globSync('**/*.md', { cwd: folder }).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
);
const written = [...pages].filter(([path]) => !path.startsWith('plugins/'));
const page = (name: string): string => pages.get(`${name}.md`) ?? '';

/** The part of a page from an anchor to the next one. */
function section(name: string, anchor: string): string {
  const [, after = ''] = page(name).split(`<a id="${anchor}"></a>`);
  return after.split('<a id="')[0]!;
}

const fences = (content: string, language: string): string[] =>
  [...content.matchAll(/^( *)```(\w+)\n([\s\S]*?)\n\1```$/gm)]
    .filter(([, , found]) => found === language)
    .map(([, indent = '', , body = '']) => body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''));

describe('every specified key', () => {
  test.each(specified)('of $plugin, $part, has its section with the right default', ({ plugin, part, keys }) => {
    const isProvider = part === 'provider configuration';
    const name = manualPages.environment(plugin, isProvider ? 'destination' : part);
    const wrong = keys.flatMap(({ key, required = false, default: builtIn, secret = false, unit }) => {
      const path = key.replaceAll('{}', '[]');
      const found = section(name, isProvider ? manualAnchors.providerKey(path) : manualAnchors.key(path));
      const expected = [
        `#### \`${path}\``,
        ...(required ? ['- Required: yes'] : []),
        ...(secret ? ['- Secret: yes'] : []),
        ...(builtIn === undefined ? [] : [`- Default: \`${JSON.stringify(builtIn)}\``]),
        ...(unit === undefined ? [] : [`, in ${unit}`]),
      ];
      return [
        ...expected.filter((line) => !found.includes(line)).map((line) => `${key}: ${line}`),
        ...(builtIn === undefined && found.includes('- Default:') ? [`${key}: a default that is not specified`] : []),
        ...(!required && found.includes('- Required:') ? [`${key}: required, which is not specified`] : []),
      ];
    });
    expect(wrong).toEqual([]);
  });
});

test('every parameter of a connection has its section', () => {
  const missing = Object.values(plugins).flatMap(({ id, connection }) =>
    fieldsOf(connection)
      .map(({ path }) => path.join('.').replaceAll('.*', '[]'))
      .filter((path) => section(manualPages.connection(id), manualAnchors.key(path)) === '')
      .map((path) => `${id}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('every error code and every finding has its section, with cause and remedy', () => {
  const anchors = [
    ...Object.keys(errorCatalogue).map((code) => manualAnchors.error(code)),
    ...Object.values(findingAreas)
      .flatMap((rows) => Object.keys(rows))
      .map((name) => manualAnchors.finding(name)),
  ];
  expect(
    anchors.filter((anchor) => !/^- Cause: .+\n- Remedy: .+/m.test(section(manualPages.failures, anchor))),
  ).toEqual([]);
});

test('links lead to pages and anchors that exist', () => {
  const anchorsOf = (content: string): Set<string> =>
    new Set([
      ...[...content.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id]) => id!),
      ...[...content.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
        heading!
          .toLowerCase()
          .replaceAll(/[^\w\- ]/g, '')
          .replaceAll(' ', '-'),
      ),
    ]);
  const broken = [...pages].flatMap(([path, content]) =>
    [...content.matchAll(/\]\(([^)\s]+)\)/g)]
      .map(([, target]) => target!)
      .filter((target) => {
        const [file = '', anchor] = target.split('#');
        const to = pages.get(file === '' ? path : normalize(join(dirname(path), file)));
        return to === undefined || (anchor !== undefined && !anchorsOf(to).has(anchor));
      })
      .map((target) => `${path}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test('every page is linked from the contents', () => {
  expect([...pages.keys()].filter((path) => path !== 'README.md' && !page('README').includes(`(${path})`))).toEqual([]);
});

test('an anchor stands once on its page', () => {
  const twice = [...pages].flatMap(([path, content]) => {
    const ids = [...content.matchAll(/<a id="([^"]+)"/g)].map(([, id]) => id!);
    return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${path}: ${id}`);
  });
  expect(twice).toEqual([]);
});

describe('commands', async () => {
  const program = await commandDefinition();
  const lines = [...pages].flatMap(([path, content]) =>
    fences(content, 'sh')
      .flatMap((body) => body.split('\n'))
      .map((line) => ({ path, line: line.replace(/\s+#.*$/, '') })),
  );
  const inText = written.flatMap(([path, content]) =>
    [...content.matchAll(/`(causeway [^`]+)`/g)].map(([, line]) => ({ path, line: line! })),
  );

  test('are shown on every page but the contents', () => {
    for (const [path] of written.filter(([name]) => name !== 'README.md'))
      expect(lines.filter((one) => one.path === path).length, path).toBeGreaterThan(2);
  });

  test('of blocks exist, with their options and arguments', () => {
    expect(
      lines.flatMap(({ path, line }) =>
        (line.startsWith('causeway ') ? problemsOf(program, line, true) : [`not a command of causeway: ${line}`]).map(
          (problem) => `${path}: ${problem}`,
        ),
      ),
    ).toEqual([]);
  });

  test('in the text exist, with their options', () => {
    expect(inText.length).toBeGreaterThan(20);
    expect(
      inText.flatMap(({ path, line }) => problemsOf(program, line, false).map((problem) => `${path}: ${problem}`)),
    ).toEqual([]);
  });

  test('have the options that the text names by themselves', () => {
    const options = new Set([
      '--help',
      ...[program, ...program.commands.flatMap((command) => [command, ...command.commands])].flatMap((command) =>
        command.options.map(({ long }) => long),
      ),
    ]);
    const unknown = written.flatMap(([path, content]) =>
      [...content.matchAll(/`(--[a-z-]+)[^`]*`/g)]
        .map(([, option]) => option!)
        .filter((option) => !options.has(option))
        .map((option) => `${path}: ${option}`),
    );
    expect(unknown).toEqual([]);
  });

  test('do not mind what is wrong only in a broken page', () => {
    expect(problemsOf(program, 'causeway replica exeucte web-01', true)).not.toEqual([]);
    expect(problemsOf(program, 'causeway replica execute web-01 --fast', true)).toEqual([
      'replica execute has no --fast',
    ]);
    expect(problemsOf(program, 'causeway replica execute', true)).not.toEqual([]);
    expect(problemsOf(program, 'causeway replica execute web-01 --verify twice', true)).not.toEqual([]);
  });
});

test('words in bold are labels of the workbench', () => {
  const labels = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') labels.add(value);
    else if (typeof value === 'object' && value !== null) for (const one of Object.values(value)) collect(one);
  };
  collect(text);
  const unknown = written.flatMap(([path, content]) =>
    [...content.replaceAll(/<!-- generated[\s\S]*?<!-- end/g, '').matchAll(/\*\*([^*]+)\*\*/g)]
      .map(([, label]) => label!)
      .filter((label) => !labels.has(label))
      .map((label) => `${path}: ${label}`),
  );
  expect(unknown).toEqual([]);
});

describe('documents', () => {
  const documents = [...pages].flatMap(([path, content]) =>
    fences(content, 'yaml').map((body) => ({ path, value: parse(body) as unknown })),
  );

  test.each(
    documents.filter(
      ({ value }) => typeof value === 'object' && value !== null && ('source' in value || 'destination' in value),
    ),
  )('an environment of $path is valid', ({ path, value }) => {
    // Examples on the pages of plugins are of one VM alone, so rules about it have nothing to say.
    expect(
      validateDocument(value).filter(
        ({ severity }) => severity === 'error' || (severity === 'warning' && !path.startsWith('plugins/')),
      ),
    ).toEqual([]);
  });

  test.each(documents.filter(({ path }) => path.endsWith('-connection.md')))(
    'the connection of $path is valid',
    ({ path, value }) => {
      const id = path.replace(/^plugins\/|-connection\.md$/g, '');
      expect(isPluginId(id)).toBe(true);
      if (isPluginId(id)) expect(plugins[id].connection.safeParse(value).error).toBeUndefined();
    },
  );

  test('the connection that the first migration saves is valid', () => {
    const [connection] = fences(page('first-migration'), 'yaml');
    expect(plugins['european-cloud'].connection.safeParse(parse(connection!)).error).toBeUndefined();
  });

  test('the provider configuration is read without a finding', () => {
    const [ini] = fences(page('environment-files'), 'ini');
    expect(readProviderConfiguration(ini!, Object.values(plugins)).findings).toEqual([]);
  });
});

test('there is a page for every side of every plugin', () => {
  const expected = [
    ...pluginsWith('source').map((id) => manualPages.environment(id, 'source')),
    ...pluginsWith('destination').map((id) => manualPages.environment(id, 'destination')),
  ];
  expect(expected.filter((name) => !pages.has(`${name}.md`))).toEqual([]);
});
