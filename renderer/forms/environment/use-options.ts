import { useMemo } from 'react';
import { z } from 'zod';
import { isJsonObject } from '../../../shared/model/json.ts';
import type { PluginId, Side } from '../../../shared/model/plugin-id.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { describeFields, type FieldDescriptor } from '../field-descriptor.ts';
import type { Catalog } from '../../../shared/model/catalog.ts';
import { useQuery } from '../../app/workbench-context.tsx';
import { bytesText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import type { DraftView, Option } from './draft-context.tsx';

/** Kinds of resources that the fields of a side offer choices of, the machine's own not included. */
export function optionKinds(fields: readonly FieldDescriptor[]): string[] {
  const kinds = fields.flatMap((field): string[] => [
    ...(field.meta.optionsFrom === undefined ? [] : [field.meta.optionsFrom]),
    ...optionKinds(field.members ?? []),
    ...(field.pair === undefined ? [] : optionKinds(field.pair)),
  ]);
  return [...new Set(kinds)].filter((kind) => !kind.startsWith('vm.'));
}

export type Freshness =
  | { readonly kind: 'asking' | 'fresh' | 'none' }
  /** What was last known; of now when the destination has answered, if it is still being asked. */
  | { readonly kind: 'old'; readonly capturedAt: string; readonly isAsking: boolean };

const nothing: readonly Option[] = [];

export interface Choices {
  readonly optionsOf: DraftView['optionsOf'];
  readonly freshness: Freshness;
  /** What the rules compare names with: as it is now, else as it was last seen. */
  readonly catalog: Catalog | undefined;
}

/**
 * Choices from the destination as it is now; from its last catalog when it can't be asked. The catalog itself is asked for
 * too, so that names are compared and the next time without a network knows of today.
 */
export function useOptions(
  endpointId: string,
  vm: Vm | undefined,
  source?: { readonly id: string; readonly plugin: PluginId },
): Choices {
  const captured = useQuery('catalog.capture', { endpoint: endpointId });
  const last = useQuery('catalog.last', { endpoint: endpointId });
  const kinds = useMemo(
    () =>
      source === undefined
        ? []
        : optionKinds(describeFields(plugins[source.plugin].source?.schema ?? z.object({}), `${source.plugin}/source`)),
    [source],
  );
  const fromSource = useQuery('options.list', {
    endpoint: source?.id ?? endpointId,
    side: 'source',
    names: kinds,
  }).data;
  const catalog = captured.data ?? last.data?.catalog;
  const freshness = useMemo((): Freshness => {
    if (captured.data !== undefined) return { kind: 'fresh' };
    const at = last.data?.catalog?.['captured_at'];
    const isAsking = captured.error === undefined;
    if (typeof at === 'string') return { kind: 'old', capturedAt: at, isAsking };
    return { kind: isAsking ? 'asking' : 'none' };
  }, [captured.data, captured.error, last.data]);
  const optionsOf = useMemo(() => {
    const own = machineOptions(vm);
    const known = new Map(Object.keys(catalog ?? {}).map((kind) => [kind, catalogOptions(catalog, kind)]));
    const ofSource = new Map(
      Object.entries(fromSource ?? {}).map(([kind, list]) => [
        kind,
        list.map(({ id, name }) => ({ value: name, id, label: name === id ? name : `${name} · ${id}` })),
      ]),
    );
    return (side: Side, kind: string | undefined): readonly Option[] => {
      if (kind === undefined) return nothing;
      return (kind.startsWith('vm.') ? own : side === 'source' ? ofSource : known).get(kind) ?? nothing;
    };
  }, [catalog, vm, fromSource]);
  return { optionsOf, freshness, catalog };
}

/** What the machine itself has: the left side of mappings. */
function machineOptions(vm: Vm | undefined): ReadonlyMap<string, readonly Option[]> {
  if (vm === undefined) return new Map();
  const plain = (values: readonly string[]): Option[] => [...new Set(values)].map((value) => ({ value, label: value }));
  return new Map([
    ['vm.networks', plain(vm.nics.map(({ network }) => network))],
    [
      'vm.storage_backends',
      plain(vm.disks.map((disk) => disk.storage_backend).filter((backend) => backend !== undefined)),
    ],
    [
      'vm.disks',
      vm.disks.map((disk) => ({ value: disk.id, label: text.configure.diskOf(disk.id, bytesText(disk.size_bytes)) })),
    ],
  ]);
}

/** Names where a name means one thing only, else IDs. */
function catalogOptions(catalog: Catalog | undefined, kind: string): readonly Option[] {
  const list = catalog?.[kind];
  if (!Array.isArray(list)) return [];
  const resources = (list as readonly unknown[]).filter((one) =>
    isJsonObject(one as never),
  ) as unknown as readonly Record<string, unknown>[];
  const counts = Map.groupBy(resources, ({ name }) => name);
  return resources.map((resource) => {
    const id = String(resource['id'] ?? resource['name'] ?? '');
    const name = typeof resource['name'] === 'string' ? resource['name'] : id;
    const isUnique = counts.get(name)?.length === 1;
    return {
      value: isUnique ? name : id,
      id,
      label: [name, isUnique ? '' : id, detailOf(resource)].filter((part) => part !== '').join(' · '),
    };
  });
}

/** The few facts by which people choose: sizes of machine types, ranges of networks. */
function detailOf(resource: Record<string, unknown>): string {
  const { vcpus, memory_mb: memory, cidrs, description } = resource;
  if (typeof vcpus === 'number' && typeof memory === 'number')
    return text.forms.machineSize(vcpus, bytesText(memory * 1024 ** 2));
  if (Array.isArray(cidrs)) return cidrs.join(', ');
  return typeof description === 'string' ? description : '';
}
