import { expect, test } from 'vitest';
import { plugins } from './registry.ts';
import { tlsAddresses } from './tls-addresses.ts';

test('names every server that is reached over TLS, and none that is not', () => {
  const cloud = plugins['open-source-cloud'].connection;
  expect(tlsAddresses(cloud, { auth_url: 'https://cloud.example.com:5000/v3', username: 'https' })).toEqual([
    'cloud.example.com:5000',
  ]);
  expect(tlsAddresses(cloud, { auth_url: 'https://cloud.example.com/identity' })).toEqual(['cloud.example.com:443']);
  expect(tlsAddresses(cloud, { auth_url: 'http://cloud.example.com:5000/v3' })).toEqual([]);
  expect(tlsAddresses(cloud, { auth_url: 'https://[2001:db8::1]:5000' })).toEqual(['[2001:db8::1]:5000']);
  expect(tlsAddresses(cloud, { auth_url: 'https://' })).toEqual([]);
});

test('takes a host with its port, or with the port that the platform usually has', () => {
  const hypervisor = plugins['virtualization-platform'].connection;
  expect(tlsAddresses(hypervisor, { host: 'vcenter.example.com' })).toEqual(['vcenter.example.com:443']);
  expect(tlsAddresses(hypervisor, { host: 'vcenter.example.com', port: 8443 })).toEqual(['vcenter.example.com:8443']);
  expect(tlsAddresses(hypervisor, { host: 'fe80::1', port: '8443' })).toEqual(['[fe80::1]:8443']);
  expect(tlsAddresses(plugins['disk-images'].connection, { path: '/images' })).toEqual([]);
});
