import { z } from 'zod';
import { field } from '../field-meta.ts';
import { flag } from '../shapes/flag.ts';

export const source = z.strictObject({
  fallback_to_crash_consistent_snapshots: field(flag().optional(), {
    title: 'Accept crash-consistent snapshots',
    help: 'Use crash-consistent snapshots when the hypervisor enablement is not installed in the guest. Otherwise such a VM is refused.',
    group: 'Snapshot',
    example: true,
  }),
  verify_rct_server: field(flag().optional(), {
    title: 'Verify the RCT service',
    help: 'Verify the TLS certificate of the service that serves changed blocks. Set it to no for a self-signed certificate.',
    group: 'Trust',
    example: true,
  }),
});
