import type { Rule } from '../rule.ts';
import { keysAreSet } from '../rules/incomplete.ts';
import { namesHaveForm } from '../rules/name-form.ts';

/** Up to 90 letters (of any script), digits, and - _ . ( ), not with a period at the end. */
const isResourceGroup = (text: string) => /^[-\p{L}\p{N}_.()]{1,90}$/u.test(text) && !text.endsWith('.');
const isNetwork = (text: string) => /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9_])$/.test(text);
const isSubnet = (text: string) => /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,78}[A-Za-z0-9_])?$/.test(text);

/** The names that source and destination share. */
export function placementNames(plugin: string, sizes: readonly (readonly string[])[]): readonly Rule[] {
  return [
    namesHaveForm(plugin, 'location-form', {
      patterns: [['location']],
      severity: 'warning',
      what: 'a valid region name: use lowercase letters and digits only, e.g. westeurope',
      isRight: (text) => /^[a-z][a-z0-9]+$/.test(text),
      correct: (text) => text.replaceAll(/[\s()_-]/g, '').toLowerCase(),
      kind: 'regions',
    }),
    namesHaveForm(plugin, 'resource-group-form', {
      patterns: [['resource_group']],
      severity: 'error',
      what: 'a valid resource group name: use letters, digits and - _ . ( ) only, at most 90 characters, without a period at the end',
      isRight: isResourceGroup,
      remedy: 'Enter the name only, without a path and without spaces.',
    }),
    namesHaveForm(plugin, 'size-form', {
      patterns: sizes,
      severity: 'error',
      what: 'a valid VM size, e.g. Standard_D2s_v5',
      isRight: (text) => /^(?:Standard|Basic)_[A-Z][A-Za-z0-9_-]*$/.test(text),
      correct: sizeOf,
      kind: 'machine_types',
    }),
  ];
}

/** `standard_d2s_v5`, `Standard D2s v5` and `D2s_v5` as the API writes them. */
function sizeOf(text: string): string | undefined {
  const words = text.trim().split(/[\s_]+/);
  const first = words[0]?.toLowerCase();
  const tier = first === 'basic' ? 'Basic' : 'Standard';
  const [series = '', ...rest] = first === 'standard' || first === 'basic' ? words.slice(1) : words;
  if (!/^[A-Za-z]+\d/.test(series)) return undefined;
  const family = /^[A-Za-z]+/.exec(series)?.[0] ?? '';
  return [
    tier,
    `${family.toUpperCase()}${series.slice(family.length).toLowerCase()}`,
    ...rest.map((word) => word.toLowerCase()),
  ].join('_');
}

export function destinationNames(plugin: string): readonly Rule[] {
  return [
    namesHaveForm(plugin, 'network-form', {
      patterns: [['network_map', '*']],
      severity: 'error',
      what: 'a valid <network>/<subnet>: use letters, digits and - _ . only in both names',
      isRight(text) {
        const [network = '', subnet = '', ...rest] = text.split('/');
        return isNetwork(network) && isSubnet(subnet) && rest.length === 0;
      },
      correct: (text) =>
        text
          .split('/')
          .map((part) => part.trim())
          .join('/'),
      kind: 'networks',
    }),
    keysAreSet(plugin, 'destination-incomplete', [
      { path: ['location'], because: 'resources are created in a region' },
      { path: ['resource_group'], because: 'resources are created in a resource group' },
      { path: ['vm_size'], because: 'the migrated VM needs a size' },
      { path: ['worker_size'], because: 'temporary workers need a size' },
    ]),
  ];
}
