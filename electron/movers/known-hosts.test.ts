import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { knownHostKeys } from './known-hosts.ts';

const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOne';
const other = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAITwo';

function hashed(name: string): string {
  const salt = Buffer.from('12345678901234567890');
  return `|1|${salt.toString('base64')}|${createHmac('sha1', salt).update(name).digest('base64')}`;
}

describe('the keys of a known hosts file', () => {
  it.each([
    [`host.example.com ${key}`, 'host.example.com', 22],
    [`other.example.com,HOST.example.com ${key} a comment`, 'host.example.com', 22],
    [`[host.example.com]:2222 ${key}`, 'host.example.com', 2222],
    [`*.example.com ${key}`, 'host.example.com', 22],
    [`# a comment\n\n${hashed('host.example.com')} ${key}\n`, 'host.example.com', 22],
    [`${hashed('[host.example.com]:2222')} ${key}`, 'host.example.com', 2222],
  ])('are found: %s', (file, host, port) => {
    expect(knownHostKeys(file, host, port)).toEqual([key]);
  });

  it.each([
    [`host.example.com ${key}`, 'host.example.com', 2222],
    [`host.example.com ${key}`, 'hostxexample.com', 22],
    [`*.example.com,!host.example.com ${key}`, 'host.example.com', 22],
    [`@cert-authority *.example.com ${key}`, 'host.example.com', 22],
    [`host.example.com ${key}\n@revoked * ${key}`, 'host.example.com', 22],
    [`${hashed('other.example.com')} ${key}`, 'host.example.com', 22],
    ['host.example.com', 'host.example.com', 22],
  ])('are not found: %s', (file, host, port) => {
    expect(knownHostKeys(file, host, port)).toEqual([]);
  });

  it('may be several', () => {
    expect(knownHostKeys(`host ${key}\nhost ${other}`, 'host', 22)).toEqual([key, other]);
  });
});
