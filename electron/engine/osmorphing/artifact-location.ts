import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isProtectedUrl } from '../../../shared/plugins/shapes/values.ts';
import type { Fetched } from './options.ts';

/**
 * A place as people write it: a path on this machine, or a URL, which may end with `#sha256=` and the digest that what is
 * fetched must have.
 *
 * @throws `general.invalid-input` for such an ending that is no digest
 */
export function artifactLocation(place: string): Fetched {
  if (!/^https?:\/\//i.test(place)) return { file: place };
  const [url = '', ending] = place.split('#', 2);
  if (ending === undefined || ending === '') return { url };
  const sha256 = /^sha256=([0-9a-f]{64})$/i.exec(ending)?.[1]?.toLowerCase();
  if (sha256 === undefined)
    throw new CausewayError(
      'general.invalid-input',
      `#${ending.slice(0, 100)} at the end of a URL is not sha256= and 64 hexadecimal digits`,
    );
  return { url, sha256 };
}

/**
 * The same for a program that the guest will run as root.
 *
 * @throws `general.invalid-input` also for http:// without a digest: anyone in between could replace the program
 */
export function programLocation(place: string): Fetched {
  const fetched = artifactLocation(place);
  if ('url' in fetched && fetched.sha256 === undefined && !isProtectedUrl(fetched.url)) {
    throw new CausewayError(
      'general.invalid-input',
      `${fetched.url.slice(0, 300)} is not encrypted: use https://, or end the URL with #sha256= and the digest of the download`,
    );
  }
  return fetched;
}
