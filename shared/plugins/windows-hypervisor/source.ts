import { z } from 'zod';
import { field } from '../field-meta.ts';
import { flag } from '../shapes/values.ts';

export const source = z.strictObject({
  fallback_to_crash_consistent_snapshots: field(flag().optional(), {
    title: 'Accept crash-consistent snapshots',
    help: 'Use crash-consistent snapshots if the integration services are not installed in the guest. If off, such a VM is rejected.',
    group: 'Snapshot',
    example: true,
  }),
  verify_rct_server: field(flag().optional(), {
    title: 'Verify the RCT service',
    help: 'Verify the TLS certificate of the RCT service. Set to no for a self-signed certificate.',
    group: 'Trust',
    example: true,
  }),
});
