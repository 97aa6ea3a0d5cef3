import { isJsonObject } from '../../model/json.ts';
import type { Rule, RuleContext, RuleFinding } from '../rule.ts';
import { catalogOf, resolveResource } from './catalog-names.ts';
import { isOn, textAt, valueAt, type Path } from './environment-view.ts';

type Os = 'linux' | 'windows';
export const neededImages = (osType: Os | undefined): readonly Os[] =>
  osType === 'windows' ? ['linux', 'windows'] : ['linux'];

/**
 * A map of worker images or templates that is given covers what the VM needs: Linux always, for the disk copy; Windows
 * too for a Windows guest. Only a warning, because the plugin's own configuration may give the rest.
 */
export function workerMapCovers(plugin: string, key: string, overriddenBy?: string): Rule {
  return {
    id: `${plugin}/worker-image-missing`,
    *check({ vm, effective }) {
      if (overriddenBy !== undefined && textAt(effective, [overriddenBy]) !== undefined) return;
      const map = effective[key];
      if (!isJsonObject(map)) return;
      for (const os of neededImages(vm?.os_type)) {
        if (map[os] !== undefined) continue;
        yield {
          severity: 'warning',
          at: [key, os],
          message: `${key} has no entry for ${os}: ${os === 'linux' ? 'the disk copy worker needs it' : 'the OSMorphing worker for a Windows guest needs it'}.`,
        };
      }
    },
  };
}

interface WorkerVolume {
  readonly size: Path;
  readonly images: readonly Path[];
  readonly inUse?: (context: RuleContext) => boolean;
}

/** The workers' boot volume is at least as large as their images demand. */
export function workerVolumeHoldsImage(plugin: string, { size, images, inUse }: WorkerVolume): Rule {
  return {
    id: `${plugin}/worker-volume-too-small`,
    *check(context): Generator<RuleFinding> {
      const gigabytes = valueAt(context.effective, size);
      const catalog = catalogOf(context, plugin)?.images;
      if (typeof gigabytes !== 'number' || catalog === undefined || inUse?.(context) === false) return;
      for (const path of images) {
        const name = textAt(context.effective, path);
        const image = name === undefined ? undefined : resolveResource(catalog, name)[0];
        if (image?.min_disk_gb === undefined || image.min_disk_gb <= gigabytes) continue;
        yield {
          severity: 'error',
          at: size,
          message: `${gigabytes} GB is too small for the worker image ${image.name}, which needs ${image.min_disk_gb} GB.`,
          suggestion: `Set at least ${image.min_disk_gb}, or remove the key.`,
        };
      }
    },
  };
}

interface WorkerFlavor {
  readonly flavor: string;
  readonly images: readonly Path[];
  readonly bootFromVolume: string;
}

/** A worker that boots from an image has its disk from its flavor. */
export function workerFlavorHoldsImage(plugin: string, { flavor, images, bootFromVolume }: WorkerFlavor): Rule {
  return {
    id: `${plugin}/worker-disk-too-small`,
    *check(context): Generator<RuleFinding> {
      const name = textAt(context.effective, [flavor]);
      const catalog = catalogOf(context, plugin);
      const size = name === undefined ? undefined : resolveResource(catalog?.machine_types ?? [], name)[0]?.disk_gb;
      if (name === undefined || size === undefined || isOn(context.effective, [bootFromVolume])) return;
      if (size === 0) {
        yield {
          severity: 'warning',
          at: [flavor],
          message: `${name} has no disk, and most clouds only boot such instances from a volume.`,
          suggestion: `Set ${bootFromVolume}, or use a flavor with a disk.`,
        };
        return;
      }
      for (const path of images) {
        const wanted = textAt(context.effective, path);
        const image = wanted === undefined ? undefined : resolveResource(catalog?.images ?? [], wanted)[0];
        if (image?.min_disk_gb === undefined || image.min_disk_gb <= size) continue;
        yield {
          severity: 'error',
          at: [flavor],
          message: `${name} has a ${size} GB disk, but the worker image ${image.name} needs ${image.min_disk_gb} GB.`,
          suggestion: `Use a larger flavor, or set ${bootFromVolume}.`,
        };
        return;
      }
    },
  };
}
