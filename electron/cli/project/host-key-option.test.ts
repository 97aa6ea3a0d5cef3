import { describe, expect, it } from 'vitest';
import { UsageError } from '../command-context.ts';
import { hostKeyOption, readHostKeyOptions } from './host-key-option.ts';

const fingerprint = `SHA256:${'Ab+/'.repeat(10)}xyz`;

describe('the option --host-key', () => {
  it.each([
    [`host.example=${fingerprint}`, { host: 'host.example', port: 22, fingerprint }],
    [`10.0.0.5:2222=${fingerprint}`, { host: '10.0.0.5', port: 2222, fingerprint }],
    [`[2001:db8::1]=${fingerprint}`, { host: '2001:db8::1', port: 22, fingerprint }],
    [`[2001:db8::1]:2222=${fingerprint}`, { host: '2001:db8::1', port: 2222, fingerprint }],
  ])('%s is one server and its key', (text, read) => {
    expect(readHostKeyOptions([text])).toEqual([read]);
    expect(hostKeyOption(read)).toBe(text);
  });

  it('is refused without a server, with the form that is expected', () => {
    expect(() => readHostKeyOptions([fingerprint])).toThrow(
      /names no server: give HOST=SHA256:… or HOST:PORT=SHA256:…/,
    );
  });

  it.each([
    `host:0=${fingerprint}`,
    `host:70000=${fingerprint}`,
    'host=SHA256:short',
    `host=MD5:${'aa:'.repeat(15)}aa`,
    `2001:db8::1=${fingerprint}`,
    `=${fingerprint}`,
  ])('%s is refused', (text) => {
    expect(() => readHostKeyOptions([`other=${fingerprint}`, text])).toThrow(UsageError);
  });
});
