import { z } from 'zod';
import type { QuotaWords } from '../../../cloud-resources/quota-needs.ts';
import type { Api } from './api.ts';

const quota = z.looseObject({ limit: z.number(), usage: z.number() }).optional();
const quotasSchema = z.object({
  quotas: z.object({
    volumes: quota,
    gigabytes: quota,
    vcpu: quota,
    ram: quota,
    nics: quota,
    publicIps: quota,
    securityGroups: quota,
    securityGroupRules: quota,
    snapshots: quota,
  }),
});

export type Quotas = z.infer<typeof quotasSchema>['quotas'];

export interface QuotaReader {
  read(signal: AbortSignal): Promise<Quotas>;
}

export function quotasOf(api: Api): QuotaReader {
  return {
    async read(signal) {
      return (
        await api.read(quotasSchema, { operation: 'read quotas', method: 'GET', path: `${api.prefix}/quotas` }, signal)
      ).quotas;
    },
  };
}

export const quotaWords: QuotaWords = {
  volumes: 'volumes',
  gigabytes: 'GiB of volumes',
  vcpu: 'vCPUs',
  ram: 'MiB of memory',
  nics: 'NICs',
  publicIps: 'public IPs',
  securityGroups: 'security groups',
  securityGroupRules: 'security group rules',
  snapshots: 'snapshots',
};
