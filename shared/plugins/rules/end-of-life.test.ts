import { expect, test } from 'vitest';
import { retiredImage } from './end-of-life.ts';

const sku = (offer: string, name: string) => ({ publisher: 'P', offer, sku: name, version: 'latest' });

test.each([
  ['bionic', 'Ubuntu 18.04'],
  ['Ubuntu 18.04', 'Ubuntu 18.04'],
  ['ubuntu-18.04-server-cloudimg', 'Ubuntu 18.04'],
  ['ubuntu1604', 'Ubuntu 16.04'],
  ['Ubuntu Server 14.04 LTS', 'Ubuntu 14.04 or older'],
  ['ubuntu-20.04', 'Ubuntu 20.04'],
  ['Debian 10', 'Debian 10 or older'],
  ['CentOS-7-x86_64', 'CentOS Linux'],
  ['/Compute-a488347/me@example.com/Windows_2012_R2', 'Windows Server 2012'],
  ['Windows Server 2016', 'Windows Server 2016'],
  ['win2008r2', 'Windows Server 2008 or older'],
])('%s is %s', (image, what) => expect(retiredImage(image)?.what).toBe(what));

test('a marketplace image is told by offer and SKU', () => {
  expect(retiredImage(sku('UbuntuServer', '16.04.0-LTS'))?.what).toBe('Ubuntu 16.04');
  expect(retiredImage(sku('0001-com-ubuntu-server-focal', '20_04-lts-gen2'))?.what).toBe('Ubuntu 20.04');
  expect(retiredImage(sku('WindowsServer', '2016-Datacenter-Server-Core'))?.what).toBe('Windows Server 2016');
  expect(retiredImage(sku('WindowsServer', '2022-datacenter-g2'))).toBeUndefined();
});

test.each([
  'Ubuntu 24.04',
  'ubuntu-22.04',
  'Debian 12',
  'debian-11',
  'CentOS Stream 9',
  'Windows Server 2019',
  'Windows Server 2022 (build 20162)',
  'worker-2016-06-01',
  'linux-worker',
  '63d8f1a4-3192-4edc-b113-0d099b4bc458',
  'img-18.04',
  '',
])('%j is not called retired', (image) => expect(retiredImage(image)).toBeUndefined());

test.each([null, 1, true, [], { sku: 1 }])('%j is no image at all', (value) =>
  expect(retiredImage(value)).toBeUndefined(),
);
