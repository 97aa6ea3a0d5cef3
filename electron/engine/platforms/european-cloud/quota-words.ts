import type { QuotaWords } from '../../cloud-resources/quota-needs.ts';

export const quotaWords: QuotaWords = {
  volumes: 'volumes', gigabytes: 'GiB of volumes', vcpu: 'vCPUs', ram: 'MiB of memory', nics: 'NICs', publicIps: 'public IPs',
  securityGroups: 'security groups', securityGroupRules: 'security group rules', snapshots: 'snapshots',
};
