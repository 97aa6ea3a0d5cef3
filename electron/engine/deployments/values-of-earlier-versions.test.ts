import { expect, test } from 'vitest';
import { replicaValues } from '../executions/replica-graph.ts';
import { deploymentValues } from './deployment-graph.ts';

/** What earlier versions recorded as results of tasks. A resumed run repeats the tasks of those that cannot be read. */
const vm = {
  id: 'vm-1',
  name: 'web',
  os_type: 'linux',
  firmware: 'bios',
  vcpus: 2,
  memory_mb: 2048,
  disks: [{ id: 'disk-0', size_bytes: 10737418240, bus: 'scsi', bootable: true }],
  nics: [{ id: 'nic-0', network: 'default', mac_address: '52:54:00:00:00:01', ip_addresses: ['10.0.0.5'] }],
};
const volumes = [{ id: 'vol-1', diskId: 'disk-0', serial: 'vol-1', sizeBytes: 10737418240, isNew: true }];
const readVolumes = [
  { id: 'vol-1', diskId: 'disk-0', serial: 'vol-1', sizeBytes: 10737418240, isNew: true, createdByThisCall: false },
];

const ofExecutions = {
  vm,
  volumes,
  outcomes: [{ diskId: 'disk-0', bytesSent: 1024, bytesRead: 4096, seconds: 1.5 }],
  // Since there is evidence of them; a task that was completed before has none, and no other task needs them.
  digests: [{ diskId: 'disk-0', sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08' }],
};
const ofDeployments = {
  vm,
  volumes,
  deployedVolumes: volumes,
  plan: {
    machineType: 'g1.1',
    state: {
      nics: [{ sourceNicId: 'nic-0', networkId: 'net-1', prefix: '10.0.0.0/24', gateway: '10.0.0.1' }],
      securityGroupIds: [],
      keypairName: 'k',
    },
  },
  snapshots: [{ id: 'snap-1', diskId: 'disk-0', volumeId: 'vol-1' }],
  // What has no address has no key for it: undefined is nothing in JSON.
  nics: [{ id: 'port-1', sourceNicId: 'nic-0', networkId: 'net-1', macAddress: 'fa:16:3e:00:00:01' }],
  server: { id: 'server-1', name: 'web', addresses: ['10.0.0.5'] },
};

test.each([
  ['executions', replicaValues, ofExecutions],
  ['deployments', deploymentValues, ofDeployments],
] as const)('every value that an earlier version recorded for %s can be read', (_, values, recorded) => {
  const stored = Object.entries(values).flatMap(([name, kind]) =>
    'schema' in kind ? [[name, kind.schema] as const] : [],
  );
  expect(stored.map(([name]) => name).toSorted()).toEqual(Object.keys(recorded).toSorted());
  for (const [name, schema] of stored) {
    const value = (recorded as Readonly<Record<string, unknown>>)[name];
    expect(schema.parse(JSON.parse(JSON.stringify(value))), name).toEqual(value === volumes ? readVolumes : value);
  }
});
