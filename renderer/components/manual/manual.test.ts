import { expect, test } from 'vitest';
import { manualAnchors, manualPages } from '../../../shared/manual/addresses.ts';
import { errorCatalogue } from '../../../shared/model/errors/catalogue.ts';
import { pluginIds, sides } from '../../../shared/model/plugin-id.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { fieldsOf } from '../../../shared/plugins/schema-fields.ts';
import { findingAreas } from '../../../shared/validation/finding-texts.ts';
import { linkTarget, manualNames, manualPage, parsePage, plainText } from './manual-pages.ts';
import { searchManual } from './manual-search.ts';

const anchorsOf = (name: string): Set<string> => new Set(manualPage(name)?.sections.map(({ anchor }) => anchor));

test('every field, finding and error has the section that its link leads to', () => {
  const missing = pluginIds
    .flatMap((id) => [
      ...Object.keys(plugins[id].connection.shape).map(
        (key) => [manualPages.connection(id), manualAnchors.key(key)] as const,
      ),
      ...fieldsOf(plugins[id].connection).map(
        ({ path }) => [manualPages.connection(id), manualAnchors.key(path.join('.').replaceAll('.*', '[]'))] as const,
      ),
      ...sides.flatMap((side) =>
        Object.keys(plugins[id][side]?.schema.shape ?? {}).map(
          (key) => [manualPages.environment(id, side), manualAnchors.key(key)] as const,
        ),
      ),
    ])
    .concat(
      Object.keys(errorCatalogue).map((code) => [manualPages.failures, manualAnchors.error(code)] as const),
      Object.values(findingAreas)
        .flatMap((rows) => Object.keys(rows))
        .map((name) => [manualPages.failures, manualAnchors.finding(name)] as const),
    )
    .filter(([page, anchor]) => !anchorsOf(page).has(anchor));
  expect(missing).toEqual([]);
});

test('every link on every page leads to a page and a section', () => {
  const links = (tokens: readonly object[]): string[] =>
    tokens.flatMap((token): string[] => [
      ...('type' in token && token.type === 'link' && 'href' in token ? [String(token.href)] : []),
      ...Object.values(token).flatMap((value) =>
        Array.isArray(value)
          ? links(value.flat(2).filter((one): one is object => typeof one === 'object' && one !== null))
          : [],
      ),
    ]);
  const broken = manualNames.flatMap((name) =>
    manualPage(name)!
      .sections.flatMap(({ blocks }) => links(blocks))
      .filter((href) => {
        const target = linkTarget(name, href);
        return (
          target === undefined ||
          manualPage(target.page) === undefined ||
          (target.anchor !== undefined && !anchorsOf(target.page).has(target.anchor))
        );
      })
      .map((href) => `${name}: ${href}`),
  );
  expect(broken).toEqual([]);
});

test('a page is read into sections; anchors in front of headings count, comments do not', () => {
  const { title, sections } = parsePage(
    'x',
    '# Title\n\nLead.\n\n<!-- no -->\n\n## Of `it`\n\n<a id="key.a"></a>\n\n#### `a`\n\n- One & <b>two</b>\n',
  );
  expect(title).toBe('Title');
  expect(
    sections.map(({ anchor, level, title: heading, blocks }) => [anchor, level, heading, plainText(blocks)]),
  ).toEqual([
    ['', 1, '', 'Lead.'],
    ['of-it', 2, 'Of it', ''],
    ['key.a', 4, 'a', 'One & two'],
  ]);
});

test.each([
  ['plugins/a', 'b.md', { page: 'plugins/b', anchor: undefined }],
  ['plugins/a', '../c.md#d', { page: 'c', anchor: 'd' }],
  ['c', '#d', { page: 'c', anchor: 'd' }],
  ['c', 'plugins/a.md', { page: 'plugins/a', anchor: undefined }],
  ['c', 'https://example.com/x', undefined],
  ['c', 'javascript:alert(1)', undefined],
])('on %s, %s leads to %o', (from, href, expected) => expect(linkTarget(from, href)).toEqual(expected));

test('the search finds keys, error codes and words of the text, the heading first', () => {
  expect(searchManual('migr_worker_volume_size')[0]).toMatchObject({ anchor: 'migr_worker_volume_size' });
  expect(searchManual('transport.unreachable')[0]).toMatchObject({
    page: manualPages.failures,
    anchor: 'transport.unreachable',
  });
  expect(searchManual('point of no return').map(({ page }) => page)).toContain('cut-over-night');
  expect(searchManual('european network_map')[0]).toMatchObject({
    page: 'plugins/european-cloud-destination',
    anchor: 'network_map',
  });
  expect(searchManual('no such wordlike thing')).toEqual([]);
  expect(searchManual('  ')).toEqual([]);
});
