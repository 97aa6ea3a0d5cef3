import type { z } from 'zod';
import { isJsonObject } from '../../model/json.ts';
import type { Catalog } from '../../model/catalog.ts';
import type { Rule, RuleContext } from '../rule.ts';
import { fieldsOf, unwrap } from '../schema-fields.ts';
import { expand, type Found, placeInDocument } from './environment-view.ts';
import { didYouMean, quoted, spellingsOf } from './wording.ts';

interface Resource {
  readonly id: string;
  readonly name: string;
}

/** The catalog, unless it was captured from another plugin's destination. */
export function catalogOf({ catalog }: RuleContext, plugin: string): Catalog | undefined {
  return catalog?.plugin === undefined || catalog.plugin === plugin ? catalog : undefined;
}

interface ResourceIndex {
  readonly byId: ReadonlyMap<string, Resource>;
  readonly byName: ReadonlyMap<string, readonly Resource[]>;
}

/** One catalog is used for thousands of documents, and it may list thousands of images. */
const indexes = new WeakMap<readonly Resource[], ResourceIndex>();

function indexOf(resources: readonly Resource[]): ResourceIndex {
  const known = indexes.get(resources);
  if (known !== undefined) return known;
  // kinds that the catalog's shape does not name may hold anything
  const proper = resources.filter(
    (one: unknown) => isJsonObject(one) && typeof one['id'] === 'string' && typeof one['name'] === 'string',
  );
  const byId = new Map(proper.map((resource) => [resource.id, resource]));
  const byName = Map.groupBy(proper, ({ name }) => name);
  const index = { byId, byName };
  indexes.set(resources, index);
  return index;
}

/** The resources that a name or an ID means: by ID if one has it, else all of that name. */
export function resolveResource<R extends Resource>(resources: readonly R[], nameOrId: string): readonly R[] {
  const { byId, byName } = indexOf(resources);
  const found = byId.get(nameOrId);
  return (found === undefined ? (byName.get(nameOrId) ?? []) : [found]) as readonly R[];
}

const labels: Readonly<Record<string, string>> = {
  networks: 'network',
  subnets: 'subnet',
  images: 'image',
  machine_types: 'machine type',
  volume_types: 'volume type',
  security_groups: 'security group',
  affinity_groups: 'affinity group',
  server_groups: 'server group',
  availability_zones: 'availability zone',
  keypairs: 'key pair',
  regions: 'region',
  resource_groups: 'resource group',
  storage_accounts: 'storage account',
  compartments: 'compartment',
  projects: 'project',
  templates: 'template',
  server_pools: 'server pool',
  repositories: 'repository',
  floating_ip_pools: 'floating IP pool',
};

interface Pattern {
  readonly kind: string;
  readonly keys: readonly string[];
}

/** What a platform knows of these kinds is offered, but others are taken as well. */
const suggestions: readonly string[] = ['os_types', 'clone_types', 'attachment_types'];

/** Which keys name resources, as the schema's metadata says. */
function resourcePatterns(schema: z.ZodObject): Pattern[] {
  const patterns: Pattern[] = [];
  for (const { path, inner, meta } of fieldsOf(schema)) {
    if (meta.optionsFrom === undefined || meta.optionsFrom.startsWith('vm.') || suggestions.includes(meta.optionsFrom))
      continue;
    const many = ['array', 'record'].includes(unwrap(inner).def.type);
    patterns.push({ kind: meta.optionsFrom, keys: many ? [...path, '*'] : path });
  }
  return patterns;
}

/** "pool" or "pool/subnet": the pool is what is looked up. Its own name may hold a slash. */
function lookUp(kind: string, resources: readonly Resource[], value: string): readonly Resource[] {
  const whole = resolveResource(resources, value);
  const slash = value.lastIndexOf('/');
  return kind === 'floating_ip_pools' && whole.length === 0 && slash > 0
    ? resolveResource(resources, value.slice(0, slash))
    : whole;
}

function* usesOfResources(plugin: string, patterns: readonly Pattern[], context: RuleContext) {
  const catalog = catalogOf(context, plugin);
  if (catalog === undefined) return;
  for (const { kind, keys } of patterns) {
    const resources = catalog[kind];
    if (!Array.isArray(resources)) continue;
    for (const found of expand(context.effective, keys)) {
      if (typeof found.value !== 'string' || found.value.trim() === '') continue;
      const matches = lookUp(kind, resources as Resource[], found.value);
      yield {
        found: found as Found & { value: string },
        label: labels[kind] ?? kind,
        resources: resources as Resource[],
        matches,
      };
    }
  }
}

/** Every resource that the environment names exists in the catalog, and a name means one resource only. */
export function catalogRules(plugin: string, schema: z.ZodObject): readonly Rule[] {
  const patterns = resourcePatterns(schema);
  return [
    {
      id: `${plugin}/not-in-catalog`,
      *check(context) {
        const nearestIn = new Map<unknown, (name: string) => string | undefined>();
        for (const { found, label, resources, matches } of usesOfResources(plugin, patterns, context)) {
          if (matches.length > 0) continue;
          const nearest = nearestIn.get(resources) ?? spellingsOf([...indexOf(resources).byName.keys()]);
          nearestIn.set(resources, nearest);
          yield {
            severity: 'error',
            at: placeInDocument(context.environment, found),
            message: `The destination has no ${label} with the name or ID ${quoted(found.value)}.`,
            ...didYouMean(nearest(found.value)),
          };
        }
      },
    },
    {
      id: `${plugin}/ambiguous-name`,
      *check(context) {
        for (const { found, label, matches } of usesOfResources(plugin, patterns, context)) {
          if (matches.length < 2) continue;
          yield {
            severity: 'error',
            at: placeInDocument(context.environment, found),
            message: `The destination has ${matches.length} ${label}s with the name ${quoted(found.value)}.`,
            suggestion: `Use the ID: ${matches.map(({ id }) => id).join(' or ')}.`,
          };
        }
      },
    },
  ];
}
