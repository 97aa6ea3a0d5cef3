import { hasLabels, type Labels } from '../../../cloud-resources/labels.ts';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';

/**
 * Names of the platform's objects are paths: `/Compute-account/user/object`. An instance has one part more, which the platform adds.
 * The whole name is the object's id.
 */
export function objectName(user: string, name: string): string {
  return name.startsWith('/') ? name : `${user}/${name}`;
}

/** The object's own part of its name. */
export function lastPart(name: string): string {
  return name.split('/').at(-1) ?? name;
}

/** The name as a path of a request. */
export function namePath(name: string): string {
  return name
    .split('/')
    .map((part) => encodeURIComponent(part).replaceAll('%40', '@'))
    .join('/');
}

/** Objects have tags without values: a label is one tag, `key=value`. */
export function tagsOf(labels: Labels): readonly string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}

export function labelsOf(tags: readonly string[] | null | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    (tags ?? []).flatMap((tag) => {
      const at = tag.indexOf('=');
      return at < 1 ? [] : [[tag.slice(0, at), tag.slice(at + 1)]];
    }),
  );
}

/** What has no tags carries its labels in its description. */
export const describedLabels = (labels: Labels): string => tagsOf(labels).join(' ');
export const labelsIn = (description: string | null | undefined): Readonly<Record<string, string>> =>
  labelsOf((description ?? '').split(' '));

/** @param labels that all have to be there */
export function isTagged({ tags }: { readonly tags?: readonly string[] | null | undefined }, labels: Labels): boolean {
  return hasLabels({ labels: labelsOf(tags) }, labels);
}

const units: Readonly<Record<string, number>> = { '': 1, B: 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** A size as the API gives it: bytes, or a number with its unit. @throws `cloud.unexpected-answer` */
export function bytesOf(size: string | number): number {
  const [, digits = '', unit = ''] = /^(\d+)\s*([BKMGT]?)$/i.exec(String(size).trim()) ?? [];
  const bytes = Number(digits) * (units[unit.toUpperCase()] ?? Number.NaN);
  if (digits === '' || !Number.isSafeInteger(bytes))
    throw new CausewayError('cloud.unexpected-answer', `"${String(size)}" is no size`, {
      details: { size: String(size) },
    });
  return bytes;
}

/** A size as a request gives it. */
export const gibText = (gib: number): string => `${gib}G`;

/** The largest index of an attachment; the smallest is 1. */
export const mostVolumes = 10;

/** The name that the guest's kernel gives a volume: index 1 is `xvdb`. The disk of an image, which has no index, is `xvda`. */
export function deviceOfIndex(index: number): string {
  return `xvd${String.fromCharCode('a'.charCodeAt(0) + index)}`;
}
