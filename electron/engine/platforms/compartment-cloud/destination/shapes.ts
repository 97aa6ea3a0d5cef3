import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { resolve, resolvedOrThrow } from '../../../cloud-resources/resolve-reference.ts';
import type { MachineNeeds } from '../../../cloud-resources/instance-type.ts';
import type { OciShape } from '../client/compute.ts';
import type { OciSession, Place } from './session.ts';

/** Processors and memory of an instance of a flexible shape. */
export interface ShapeConfig {
  readonly ocpus: number;
  readonly memoryInGBs: number;
}

/** @throws `cloud.name-unknown` */
export async function shapeOf(
  session: OciSession,
  { compartmentId, domain }: Pick<Place, 'compartmentId' | 'domain'>,
  parameter: string,
  name: string,
  signal: AbortSignal,
): Promise<OciShape> {
  const shapes = (await session.compute.shapes(compartmentId, domain, signal)).map((shape) => ({
    ...shape,
    id: shape.shape,
    name: shape.shape,
  }));
  return resolvedOrThrow('shape', parameter, name, resolve(shapes, name));
}

export const isFlexible = (shape: OciShape): boolean =>
  shape.isFlexible === true || (shape.ocpuOptions !== undefined && shape.ocpuOptions !== null);
export const isArm = ({ shape, processorDescription }: OciShape): boolean =>
  /\b(?:ampere|arm)\b/i.test(processorDescription ?? '') || /\.A\d+\./.test(shape);

/** What workers get of a flexible shape; nothing to say for a fixed one. */
export function smallestConfig(shape: OciShape): { readonly shapeConfig?: ShapeConfig } {
  return isFlexible(shape) ? { shapeConfig: fitted(shape, 1, 8) } : {};
}

/**
 * Processors and memory of a migrated VM in a flexible shape. An OCPU is a core with two threads, except on ARM, where it is a core: the VM gets
 * as many threads as it had.
 */
export function configFor(shape: OciShape, vm: MachineNeeds): { readonly shapeConfig?: ShapeConfig } {
  if (!isFlexible(shape)) return {};
  const ocpus = Math.max(1, Math.ceil((vm.vcpus ?? 1) / (isArm(shape) ? 1 : 2)));
  return { shapeConfig: fitted(shape, ocpus, Math.max(1, Math.ceil((vm.memory_mb ?? 8192) / 1024))) };
}

/** The wish within what the shape has; never less. @throws `general.invalid-input` when the shape is too small */
function fitted(shape: OciShape, wantedOcpus: number, wantedMemory: number): ShapeConfig {
  const { ocpuOptions: cpu, memoryOptions: memory } = shape;
  const most = memory?.maxPerOcpuInGBs ?? Number.POSITIVE_INFINITY;
  // Where the memory is more than so many processors can have, more processors are taken.
  const ocpus = Math.max(cpu?.min ?? 1, wantedOcpus, Math.ceil(wantedMemory / most));
  const memoryInGBs = Math.max(memory?.minInGBs ?? 1, (memory?.minPerOcpuInGBs ?? 0) * ocpus, wantedMemory);
  if (ocpus > (cpu?.max ?? Number.POSITIVE_INFINITY) || memoryInGBs > (memory?.maxInGBs ?? Number.POSITIVE_INFINITY)) {
    throw new CausewayError(
      'general.invalid-input',
      `shape ${shape.shape} has at most ${cpu?.max ?? '?'} OCPUs and ${memory?.maxInGBs ?? '?'} GB of memory: ${ocpus} OCPUs and ${memoryInGBs} GB are needed`,
      {
        details: { parameter: 'shape_name', shape: shape.shape, ocpus, memoryInGBs },
      },
    );
  }
  return { ocpus, memoryInGBs };
}

/** Processors as threads and memory in MiB, of what an instance of a shape would have. */
export function sizeOf(
  shape: OciShape,
  config: { readonly shapeConfig?: ShapeConfig },
): { readonly name: string; readonly vcpus: number; readonly ram: number } {
  const ocpus = config.shapeConfig?.ocpus ?? shape.ocpus ?? 0;
  return {
    name: shape.shape,
    vcpus: ocpus * (isArm(shape) ? 1 : 2),
    ram: (config.shapeConfig?.memoryInGBs ?? shape.memoryInGBs ?? 0) * 1024,
  };
}

/** How many VNICs an instance can have. */
export function vnicLimit(shape: OciShape, config: { readonly shapeConfig?: ShapeConfig }): number {
  const options = shape.maxVnicAttachmentOptions;
  if (config.shapeConfig === undefined || options === undefined || options === null)
    return shape.maxVnicAttachments ?? 1;
  const byProcessors = Math.floor((options.defaultPerOcpu ?? 1) * config.shapeConfig.ocpus);
  return Math.min(options.max ?? byProcessors, Math.max(options.min ?? 2, byProcessors));
}
