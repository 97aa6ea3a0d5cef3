import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { CodeSpans } from './code-spans.tsx';

const shown = (words: string): string =>
  renderToStaticMarkup(<CodeSpans>{words}</CodeSpans>)
    .replaceAll(/<code[^>]*>/g, '<code>')
    .replaceAll(/<style.*?<\/style>/g, '');

test('what stands between backticks is code, the rest is text', () => {
  expect(shown('Check `ssh_host`, `ssh_port` and the network.')).toBe(
    'Check <code>ssh_host</code>, <code>ssh_port</code> and the network.',
  );
  expect(shown('`blkid` lists <them>')).toBe('<code>blkid</code> lists &lt;them&gt;');
});

test('a text without code, and a backtick alone, stay as they are', () => {
  expect(shown('Start again.')).toBe('Start again.');
  expect(shown('a ` b')).toBe('a ` b');
  expect(shown('`a` and ` b')).toBe('`a` and ` b');
});
