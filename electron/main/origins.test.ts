import { describe, expect, it } from 'vitest';
import { isOutsideLink, isOwnPage } from './origins.ts';

describe('which page is our own', () => {
  it.each(['causeway://app/', 'causeway://app/index.html#/validation'])('%s is', (url) => {
    expect(isOwnPage(url)).toBe(true);
  });

  it.each([
    'https://example.invalid/?next=causeway://app',
    'causeway://app.example.invalid/',
    'causeway://other/',
    'causeway://user@app/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'about:blank',
    'data:text/html,causeway://app',
    '',
  ])('%s is not', (url) => {
    expect(isOwnPage(url)).toBe(false);
  });
});

describe('which links go to the system browser', () => {
  it('takes https and nothing else', () => {
    const links = [
      'https://example.invalid/x',
      'http://example.invalid',
      'file:///x',
      'javascript:1',
      'https://u:p@example.invalid/',
    ];
    expect(links.filter(isOutsideLink)).toEqual(['https://example.invalid/x']);
  });
});
