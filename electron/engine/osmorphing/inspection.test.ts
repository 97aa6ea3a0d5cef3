import { expect, test } from 'vitest';
import { inspectionRequest } from './inspection.ts';

test('images are inspected without NICs, and without an agent of a platform', () => {
  expect(inspectionRequest({})).toEqual({
    luksKeys: [],
    setDhcp: true,
    retainUserCredentials: false,
    nics: [],
    macAddressesAtBoot: false,
  });
});

test('a replica is inspected with the NICs of its source, and with what its platform does for servers', () => {
  const agent = { url: 'https://agents.example/a.deb', architecture: 'x86_64' };
  const nics = [
    { sourceMacAddress: '00:50:56:00:00:01', addresses: ['10.0.0.5'] },
    { sourceMacAddress: undefined, addresses: [] },
  ];
  expect(inspectionRequest({ nics, macAddressesAtBoot: true, platformAgent: agent })).toMatchObject({
    nics: [
      { sourceMacAddress: '00:50:56:00:00:01', addresses: ['10.0.0.5'] },
      { sourceMacAddress: null, addresses: [] },
    ],
    macAddressesAtBoot: true,
    platformAgent: agent,
  });
});
