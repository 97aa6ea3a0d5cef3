import { isJsonObject, type JsonValue } from '../../model/json.ts';
import type { Rule } from '../rule.ts';
import { expand } from './environment-view.ts';

interface Retired {
  readonly pattern: RegExp;
  readonly what: string;
  readonly when: string;
}

/** Operating systems of worker images whose standard support has ended or ends within months. */
const retired: readonly Retired[] = [
  {
    pattern: /ubuntu\D{0,24}1[024][._]?04(?!\d)|\b(?:precise|trusty)\b/i,
    what: 'Ubuntu 14.04 or older',
    when: 'reached the end of standard support in 2019',
  },
  {
    pattern: /ubuntu\D{0,24}16[._]?04(?!\d)|\bxenial\b/i,
    what: 'Ubuntu 16.04',
    when: 'reached the end of standard support in April 2021',
  },
  {
    pattern: /ubuntu\D{0,24}18[._]?04(?!\d)|\bbionic\b/i,
    what: 'Ubuntu 18.04',
    when: 'reached the end of standard support in May 2023',
  },
  {
    pattern: /ubuntu\D{0,24}20[._]?04(?!\d)|\bfocal\b/i,
    what: 'Ubuntu 20.04',
    when: 'reached the end of standard support in May 2025',
  },
  {
    pattern: /debian\D{0,3}(?:[6-9]|10)(?!\d)|\b(?:jessie|stretch|buster)\b/i,
    what: 'Debian 10 or older',
    when: 'reached the end of long-term support in June 2024',
  },
  {
    pattern: /centos(?!\D{0,3}stream)\D{0,10}[5-8](?!\d)/i,
    what: 'CentOS Linux',
    when: 'has had no updates since June 2024',
  },
  {
    pattern: /win\D{0,30}(?:2003|2008)(?!\d)|\b2008[-_ ]?r2/i,
    what: 'Windows Server 2008 or older',
    when: 'reached the end of extended support in January 2020',
  },
  {
    pattern: /win\D{0,30}2012(?!\d)|\b2012[-_ ]?r2/i,
    what: 'Windows Server 2012',
    when: 'reached the end of extended support in October 2023',
  },
  {
    pattern: /win\D{0,30}2016(?!\d)/i,
    what: 'Windows Server 2016',
    when: 'reaches the end of extended support in January 2027',
  },
];

/** The end-of-life operating system that an image name refers to. */
export function retiredImage(image: JsonValue): Retired | undefined {
  const name = isJsonObject(image)
    ? `${text(image['publisher'])} ${text(image['offer'])} ${text(image['sku'])}`
    : text(image);
  return name.trim() === '' ? undefined : retired.find(({ pattern }) => pattern.test(name));
}

const text = (value: JsonValue | undefined) => (typeof value === 'string' ? value : '');

/**
 * Worker images past the end of their life, as far as their names tell.
 *
 * @param isSpecified whether an image is the one that the interface itself names or uses by default: then this is only information
 */
export function noRetiredImages(
  plugin: string,
  patterns: readonly (readonly string[])[],
  isSpecified: (image: JsonValue) => boolean = () => false,
): Rule {
  return {
    id: `${plugin}/retired-image`,
    *check({ environment }) {
      for (const pattern of patterns) {
        for (const { path, value } of expand(environment, pattern)) {
          const found = retiredImage(value);
          if (found === undefined) continue;
          yield {
            severity: isSpecified(value) ? 'info' : 'warning',
            at: path,
            message: `${found.what} ${found.when}.`,
            suggestion:
              'Use an image with a supported version. The OS of the worker must be the same version as the guest or newer.',
          };
        }
      }
    },
  };
}
