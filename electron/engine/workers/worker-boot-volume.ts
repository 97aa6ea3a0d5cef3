import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { missing } from '../cloud-resources/read-environment.ts';

/**
 * GiB of a worker's boot volume: as requested if the image fits, otherwise what the cloud suggests.
 *
 * @param image its name, and the GiB that it needs
 * @param suggested GiB when none are asked; 0: neither the image nor the machine says any
 * @param machine what else could have said a size, in words
 * @param parameter the environment's name for `asked`
 * @throws `general.invalid-input`, `cloud.parameter-missing`
 */
export function bootVolumeGib(
  asked: number | undefined, image: { readonly name: string; readonly needs: number }, suggested: number, machine: string, parameter: string,
): number {
  if (asked !== undefined && asked < image.needs) {
    throw new CausewayError('general.invalid-input', `${parameter} is ${asked} GB, but image ${image.name} needs ${image.needs} GB`, {
      details: { parameter, asked, minimum: image.needs },
    });
  }
  const size = asked ?? suggested;
  return size > 0 ? size : missing(parameter, `${parameter} is not set, and neither image ${image.name} nor ${machine} specifies a size`);
}
