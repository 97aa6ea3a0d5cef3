import { parse } from 'yaml';
import { z } from 'zod';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';

/** A `vm.yaml` beside images: makes one VM of them and says what they can't say themselves. */
const vmYamlSchema = z.strictObject({
  name: z.string().min(1).optional(),
  os_type: z.enum(['linux', 'windows']).optional(),
  firmware: z.enum(['bios', 'uefi']).optional(),
  secure_boot: z.boolean().optional(),
  vcpus: z.int().positive().optional(),
  memory_mb: z.int().positive().optional(),
  /** File names in the same folder, in the order of the disks; the first is the one that boots. Unset: all images. */
  disks: z.array(z.string().min(1)).min(1).optional(),
  /** With the addresses that the guest has configured, they can be kept. */
  nics: z
    .array(
      z.strictObject({
        network: z.string().min(1),
        mac_address: z.string().optional(),
        ip_addresses: z.array(z.union([z.ipv4(), z.ipv6()])).optional(),
      }),
    )
    .optional(),
});

export type VmYaml = z.infer<typeof vmYamlSchema>;
export const VM_YAML = 'vm.yaml';
export const MAX_VM_YAML_BYTES = 256 * 1024;

/** @throws CausewayError source.description-invalid */
export function parseVmYaml(source: string): VmYaml {
  let value: unknown;
  try {
    value = parse(source, { maxAliasCount: 10 });
  } catch (error) {
    throw new CausewayError(
      'source.description-invalid',
      `${VM_YAML}: ${error instanceof Error ? error.message.split('\n', 1)[0] : ''}`,
    );
  }
  const result = vmYamlSchema.safeParse(value ?? {});
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new CausewayError(
    'source.description-invalid',
    `${VM_YAML}: ${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'invalid'}`,
  );
}
