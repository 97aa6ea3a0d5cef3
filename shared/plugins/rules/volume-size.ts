import { bytes } from '../../model/quantities.ts';
import type { Rule } from '../rule.ts';

const gibi = 2 ** 30;

/** Volumes of the platform have whole GiB, so a disk of another size gets a larger volume. */
export function volumesHaveWholeGib(plugin: string): Rule {
  return {
    id: `${plugin}/volume-larger-than-disk`,
    *check({ vm }) {
      for (const [index, { size_bytes: size }] of (vm?.disks ?? []).entries()) {
        if (size === undefined || size <= 0 || size % gibi === 0) continue;
        yield {
          severity: 'info',
          from: 'document',
          at: ['vm', 'disks', index, 'size_bytes'],
          message: `The disk has ${bytes(size)} (${size} bytes). Its volume is rounded up to ${Math.ceil(size / gibi)} GiB.`,
        };
      }
    },
  };
}
