import { CausewayError } from '../../../shared/model/causeway-error.ts';

/** An image that is damaged, encrypted or of an unsupported variant. `why` continues "NAME: ". */
export function unreadable(name: string, why: string, cause?: unknown): CausewayError {
  return new CausewayError('source.image-unreadable', `${name}: ${why}`, cause === undefined ? {} : { cause });
}

/** An image that names a file that it must not open. */
export function refersOutside(name: string, reference: string, why: string): CausewayError {
  return new CausewayError('source.image-refers-outside', `${name} names ${shown(reference)}: ${why}`);
}

/** An image whose parent, backing file or extent is not there. */
export function partMissing(name: string, reference: string): CausewayError {
  return new CausewayError(
    'source.image-part-missing',
    `${name} names ${shown(reference)}, which is not in the folder`,
  );
}

/** Text from an image, made safe for a message. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
