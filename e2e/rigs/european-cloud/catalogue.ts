import type { MachineType, PerformanceClass, Quotas } from './records.ts';

/** What the lab's region offers unless a test says otherwise. */
export const defaultZones: readonly string[] = ['eu01-1', 'eu01-2', 'eu01-3', 'eu01-m'];

const type = (name: string, vcpus: number, ramGB: number, description: string, extraSpecs = {}): MachineType => ({
  name,
  vcpus,
  ram: ramGB * 1024,
  disk: 0,
  description,
  extraSpecs,
});

export const defaultMachineTypes: readonly MachineType[] = [
  type('c2i.1', 1, 2, 'Compute optimised, 1 vCPU', { cpu: 'intel-icelake-generic', aggregate: 'c2i' }),
  type('c2i.2', 2, 4, 'Compute optimised, 2 vCPU', { cpu: 'intel-icelake-generic', aggregate: 'c2i' }),
  type('g1.1', 1, 4, 'General purpose, 1 vCPU', { cpu: 'intel-icelake-generic', overcommit: '1' }),
  type('g1.2', 2, 8, 'General purpose, 2 vCPU', { cpu: 'intel-icelake-generic', overcommit: '1' }),
  type('g1.4', 4, 16, 'General purpose, 4 vCPU', { cpu: 'intel-icelake-generic', overcommit: '1' }),
  type('g1r.2', 2, 8, 'General purpose, ARM, 2 vCPU', { cpu: 'arm-ampere', architecture: 'arm64' }),
  type('n1.14d.g1', 14, 120, 'GPU, 14 vCPU', { cpu: 'intel-icelake-generic', gpu: '1' }),
];

export const defaultPerformanceClasses: readonly PerformanceClass[] = [0, 1, 2, 4, 6].map((step) => ({
  name: `storage_premium_perf${step}`,
  description: `Premium block storage, level ${step}`,
  iops: step === 0 ? 250 : step * 1000,
  throughput: step === 0 ? 25 : step * 50,
}));

export const defaultQuotas: Quotas = {
  vcpu: 64,
  ram: 256 * 1024,
  volumes: 100,
  snapshots: 100,
  backups: 100,
  gigabytes: 20_000,
  backupGigabytes: 20_000,
  publicIps: 20,
  networks: 20,
  nics: 100,
  securityGroups: 50,
  securityGroupRules: 200,
};
