import ipaddr from 'ipaddr.js';
import {
  amountOf,
  usedQuotas,
  type QuotaLoad,
  type UsedQuota,
} from '../../../../shared/inventory/destination-quotas.ts';
import type { Wave } from '../../../../shared/environment/layers.ts';
import type { Replica } from '../../../../shared/model/replica.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import { instantOf } from '../../../../shared/model/wall-time.ts';
import type { MemberEstimate, WaveEstimate } from '../../../../shared/model/wave-estimate.ts';
import type { WaveDetail } from '../../../../shared/model/wave.ts';
import type { WaveAction } from '../../../../shared/model/wave-action.ts';
import { simulateWave, type SimulatedMember } from '../../waves/simulate-wave.ts';
import { waveOrder } from '../../../../shared/model/wave-order.ts';
import type { CoreContext } from '../core-context.ts';
import { defaultsFiles } from '../../project-files/defaults-files.ts';
import { lastCatalog } from '../last-catalogs.ts';
import { projectFolderOf, replicaEnvironments } from '../replica-environments.ts';
import { forOnePass } from '../trust/accepted-endpoints.ts';
import { listedMachines } from './listed-machines.ts';
import { measuredReplica, median, newestVm, type Measured } from './measured-replica.ts';

export interface EstimateRequest {
  readonly action: WaveAction;
  readonly atOnce: number;
  /** Of the link, for all members together. */
  readonly bytesPerSecond?: number | undefined;
}

/** A replica with what is known of its VM. */
interface Sized {
  readonly replica: Replica;
  readonly vm: Vm | undefined;
}

interface Known extends Sized {
  readonly measured: Measured;
  /** Of the VM, as a list of the project names them. */
  readonly owner: string | undefined;
}

/** From what the project's store and the last catalogs have; nothing is contacted. @param now milliseconds since 1970 */
export function estimateWave(
  core: CoreContext,
  wave: Wave,
  { action, atOnce, bytesPerSecond }: EstimateRequest,
  now: number,
): WaveEstimate {
  const replicas = core.store.replicas.list().filter((replica) => replica.wave === wave.name);
  const known = knownOf(core, replicas);
  const window = wave.plan?.window;
  const opens = window === undefined ? now : instantOf(window.date, window.time, window.zone).at;
  const startsAt = Math.max(now, opens);
  const estimates = memberEstimates(known, action, startsAt, bytesPerSecond);
  const order = waveOrder(
    replicas.map(({ id, name }) => ({ id, name, seconds: secondsOf(estimates.get(id)!.work) })),
    wave.plan,
  ).members;
  const members = order.map(({ id, name, group, after }) => ({ ...estimates.get(id)!, name, group, after }));
  const times = simulateWave(
    members.map(({ work, group, after, estimate }): SimulatedMember => ({
      ...work,
      id: estimate.replicaId,
      group,
      after,
    })),
    { atOnce, bytesPerSecond },
  );
  const memberList = members.map(({ estimate, name }): MemberEstimate => {
    const time = estimate.basis === 'unknown' ? undefined : times.get(estimate.replicaId);
    return { ...estimate, name, ...(time === undefined ? {} : { startSeconds: time.start, endSeconds: time.end }) };
  });
  const isKnown = memberList.length > 0 && memberList.every(({ endSeconds }) => endSeconds !== undefined);
  const seconds = isKnown ? Math.max(...memberList.map(({ endSeconds }) => endSeconds ?? 0)) : undefined;
  const closes = window === undefined ? Infinity : opens + window.hours * 3_600_000;
  const isOver = closes <= now;
  const windowSeconds = window === undefined || isOver ? undefined : (closes - startsAt) / 1000;
  const downtimes = memberList.flatMap(({ downtimeSeconds }) => downtimeSeconds ?? []);
  const needs = needsOf([...known.values()]);
  return {
    action,
    startsAt: new Date(startsAt).toISOString(),
    atOnce,
    ...(bytesPerSecond === undefined ? {} : { bytesPerSecond }),
    ...(seconds === undefined ? {} : { seconds }),
    ...(windowSeconds === undefined ? {} : { windowSeconds }),
    ...(isOver ? { windowEndedAt: new Date(closes).toISOString() } : {}),
    ...(seconds === undefined || windowSeconds === undefined ? {} : { fits: seconds <= windowSeconds }),
    ...(downtimes.length === 0 ? {} : { downtimeSeconds: Math.max(...downtimes) }),
    bytesToSend: members.reduce((sum, { work }) => sum + work.bytes, 0),
    memberList,
    needs,
    networks: networksOf(core, [...known.values()]),
    quotas: quotaNeeds(core, [...known.values()]).map(({ members: _members, ...quota }) => quota),
  };
}

/** How long each replica's part of an action is expected to take alone, in seconds; of what is unknown, the order of sizes. */
export function expectedSeconds(
  core: CoreContext,
  replicas: readonly Replica[],
  action: WaveAction,
  now: number,
): ReadonlyMap<string, number> {
  const estimates = memberEstimates(knownOf(core, replicas), action, now, undefined);
  return new Map([...estimates].map(([id, { work }]) => [id, secondsOf(work)]));
}

function knownOf(core: CoreContext, replicas: readonly Replica[]): ReadonlyMap<string, Known> {
  const listed = listedMachines(core);
  return new Map(
    replicas.map((replica) => {
      const measured = measuredReplica(core.store, replica.id);
      const machine = listed(replica);
      return [
        replica.id,
        { replica, measured, vm: measured.vm ?? machine?.vm, owner: machine?.labels?.owner } satisfies Known,
      ];
    }),
  );
}

function memberEstimates(
  known: ReadonlyMap<string, Known>,
  action: WaveAction,
  startsAt: number,
  link: number | undefined,
): ReadonlyMap<string, ReturnType<typeof memberEstimate>> {
  const others = typical([...known.values()].map(({ measured }) => measured));
  return new Map([...known].map(([id, one]) => [id, memberEstimate(one, others, action, startsAt, link)]));
}

function secondsOf({
  beforeSeconds,
  bytes,
  mostBytesPerSecond,
  afterSeconds,
}: Pick<SimulatedMember, 'beforeSeconds' | 'bytes' | 'mostBytesPerSecond' | 'afterSeconds'>): number {
  return beforeSeconds + bytes / mostBytesPerSecond + afterSeconds;
}

/** What others of the wave tell of a member that has no executions of its own. */
function typical(all: readonly Measured[]): Measured {
  const of = (key: Exclude<keyof Measured, 'executions' | 'vm'>): number | undefined =>
    median(all.flatMap((measured) => measured[key] ?? []));
  return {
    executions: 0,
    changeBytesPerSecond: of('changeBytesPerSecond'),
    sentShare: of('sentShare'),
    sentPerSecond: of('sentPerSecond'),
    overheadSeconds: of('overheadSeconds'),
    deploySeconds: of('deploySeconds'),
  };
}

/** Where nobody tells what changes, all could. Where nobody tells how it shrinks, it does not. */
function memberEstimate(
  { replica, measured, vm, owner }: Known,
  others: Measured,
  action: WaveAction,
  startsAt: number,
  link: number | undefined,
) {
  const own = <K extends 'changeBytesPerSecond' | 'sentShare' | 'sentPerSecond' | 'overheadSeconds' | 'deploySeconds'>(
    key: K,
  ): number | undefined => measured[key] ?? others[key];
  const disks =
    replica.disks.length > 0
      ? replica.disks.map(({ sizeBytes }) => sizeBytes)
      : (vm?.disks ?? []).map(({ size_bytes: size }) => size);
  const size = disks.reduce((sum, bytes) => sum + bytes, 0);
  const change = own('changeBytesPerSecond');
  const share = Math.min(1, own('sentShare') ?? 1);
  const synchronisedTo = replica.disks.flatMap((disk) => disk.synchronisedTo ?? []).sort()[0] ?? replica.lastSuccess;
  const lagSeconds =
    synchronisedTo === undefined ? undefined : Math.max(0, (startsAt - Date.parse(synchronisedTo)) / 1000);
  const copies = action !== 'rehearse';
  const passBytes = !copies
    ? 0
    : lagSeconds === undefined || change === undefined
      ? size
      : Math.min(size, change * lagSeconds);
  const rate = Math.min(own('sentPerSecond') ?? Infinity, link ?? Infinity);
  const overhead = own('overheadSeconds') ?? 0;
  const deploys = action !== 'synchronise';
  const passSeconds = overhead + (Number.isFinite(rate) && rate > 0 ? (passBytes * share) / rate : 0);
  const lastPassBytes = action === 'cut-over' ? Math.min(size, (change ?? 0) * passSeconds) : undefined;
  const deploySeconds = deploys ? own('deploySeconds') : 0;
  const isKnown = deploySeconds !== undefined && (!copies || (size > 0 && Number.isFinite(rate)));
  const isMeasured =
    measured.executions > 0 &&
    (!copies || measured.sentPerSecond !== undefined) &&
    (!deploys || measured.deploySeconds !== undefined);
  const lastSeconds =
    lastPassBytes === undefined
      ? 0
      : overhead + (rate > 0 && Number.isFinite(rate) ? (lastPassBytes * share) / rate : 0);
  const estimate: Omit<MemberEstimate, 'name'> = {
    replicaId: replica.id,
    ...(owner === undefined ? {} : { owner }),
    basis: isMeasured ? 'measured' : isKnown ? 'others' : 'unknown',
    executions: measured.executions,
    ...(measured.changeBytesPerSecond === undefined ? {} : { changeBytesPerSecond: measured.changeBytesPerSecond }),
    ...(measured.sentShare === undefined ? {} : { sentShare: measured.sentShare }),
    passBytes,
    ...(lastPassBytes === undefined ? {} : { lastPassBytes }),
    ...(action === 'cut-over' && isKnown ? { downtimeSeconds: lastSeconds + deploySeconds } : {}),
  };
  return {
    estimate,
    work: {
      beforeSeconds: copies ? overhead : 0,
      bytes: (passBytes + (lastPassBytes ?? 0)) * share,
      mostBytesPerSecond: Number.isFinite(rate) ? Math.max(rate, 1) : 1,
      afterSeconds: (action === 'cut-over' ? overhead : 0) + (deploySeconds ?? 0),
    },
  };
}

function needsOf(all: readonly Sized[]): WaveEstimate['needs'] {
  const sum = (of: (vm: Vm) => number | undefined): number =>
    all.reduce((total, { vm }) => total + (vm === undefined ? 0 : (of(vm) ?? 0)), 0);
  const sizes = all.map(({ replica, vm }) =>
    replica.disks.length > 0
      ? replica.disks.map(({ sizeBytes }) => sizeBytes)
      : (vm?.disks ?? []).map(({ size_bytes: size }) => size),
  );
  return {
    servers: all.length,
    volumes: sizes.reduce((total, disks) => total + disks.length, 0),
    volumeBytes: sizes.flat().reduce((total, bytes) => total + bytes, 0),
    vcpus: sum(({ vcpus }) => vcpus),
    memoryMb: sum(({ memory_mb: memory }) => memory),
    nics: sum(({ nics }) => nics.length),
    unknownVms: all.filter(({ vm }) => vm === undefined).length,
  };
}

/** By the mappings of the members: how many NICs come to a network, and which kept addresses are not in its ranges. */
function networksOf(core: CoreContext, all: readonly Sized[]): WaveEstimate['networks'] {
  const defaults = defaultsFiles(projectFolderOf(core)).all();
  const networks = new Map(
    [...new Set(all.map(({ replica }) => replica.destinationEndpointId))].map((id) => [
      id,
      lastCatalog(core, id)?.networks ?? [],
    ]),
  );
  const found = new Map<
    string,
    { network: string; nics: number; cidrs: readonly string[]; outside: { name: string; address: string }[] }
  >();
  const pass = forOnePass(core);
  for (const { replica, vm } of all) {
    if (vm === undefined) continue;
    const environment = replicaEnvironments(pass, replica, defaults).values('destination');
    const map = environment['network_map'];
    const keeps = environment['preserve_fixed_ips'] === true || environment['preserve_fixed_ips'] === 'true';
    if (typeof map !== 'object' || map === null || Array.isArray(map)) continue;
    for (const { network = '', ip_addresses: addresses = [] } of vm.nics) {
      const to: unknown = (map as Readonly<Record<string, unknown>>)[network];
      if (typeof to !== 'string') continue;
      const key = `${replica.destinationEndpointId} ${to}`;
      const cidrs =
        networks
          .get(replica.destinationEndpointId)
          ?.find(({ id, name }) => id === to || name === to)
          ?.cidrs?.filter((cidr) => ipaddr.isValidCIDR(cidr)) ?? [];
      const entry = found.get(key) ?? { network: to, nics: 0, cidrs, outside: [] };
      entry.nics += 1;
      if (keeps && cidrs.length > 0)
        entry.outside.push(
          ...addresses
            .filter((address) => !isWithin(address, cidrs))
            .map((address) => ({ name: replica.name, address })),
        );
      found.set(key, entry);
    }
  }
  return [...found.values()].map(({ cidrs, ...entry }) => ({
    ...entry,
    ...(cidrs.length === 0 || cidrs.some(hasPlenty)
      ? {}
      : { addresses: cidrs.reduce((sum, cidr) => sum + addressesIn(cidr), 0) }),
  }));
}

function isWithin(address: string, cidrs: readonly string[]): boolean {
  if (!ipaddr.isValid(address)) return true;
  const parsed = ipaddr.parse(address);
  return cidrs.some((cidr) => {
    const [range, bits] = ipaddr.parseCIDR(cidr);
    return range.kind() === parsed.kind() && parsed.match(range as never, bits as never);
  });
}

/** Nobody counts the addresses of an IPv6 range. */
function hasPlenty(cidr: string): boolean {
  return ipaddr.parseCIDR(cidr)[0].kind() === 'ipv6';
}

/** Of IPv4, without those of the network, the gateway and the broadcast. */
function addressesIn(cidr: string): number {
  return Math.max(0, 2 ** (32 - ipaddr.parseCIDR(cidr)[1]) - 3);
}

interface QuotaNeeds {
  /** In the order of the members. */
  readonly members: readonly { readonly replica: Replica; readonly amount: number }[];
  readonly endpoint: string;
  readonly quota: UsedQuota;
  readonly needed: number;
  readonly free: number;
  readonly limit: number;
  /** When the catalog was captured. */
  readonly at?: string;
}

function loadOf({
  servers: machines,
  vcpus,
  memoryMb,
  volumes,
  volumeBytes: bytes,
  nics,
}: WaveEstimate['needs']): QuotaLoad {
  return { machines, vcpus, memoryMb, volumes, bytes, nics };
}

/** What members need of the quotas of their destinations, where the last catalog has any. Volumes that were there when it was captured are used already. */
function quotaNeeds(core: CoreContext, all: readonly Sized[]): QuotaNeeds[] {
  return [...Map.groupBy(all, ({ replica }) => replica.destinationEndpointId)].flatMap(([endpointId, members]) => {
    const catalog = lastCatalog(core, endpointId);
    const quotas = usedQuotas(catalog?.quotas ?? []);
    if (quotas.length === 0) return [];
    const at = catalog?.captured_at;
    const used = new Set(
      at === undefined
        ? []
        : core.store.ledger
            .list()
            .filter(
              (entry) =>
                entry.lifetime === 'replica' &&
                entry.endpointId === endpointId &&
                Date.parse(entry.createdAt) < Date.parse(at),
            )
            .flatMap(({ resourceId }) => resourceId ?? []),
    );
    const loads = members.map((known) => ({
      replica: known.replica,
      load: loadOf(needsOf([withoutVolumes(known, used)])),
    }));
    const endpoint = core.store.endpoints.find(endpointId)?.name ?? endpointId;
    return quotas.map(({ kind: quota, limit, free }) => {
      const each = loads.map(({ replica, load }) => ({ replica, amount: amountOf(quota, load) }));
      return {
        members: each,
        endpoint,
        quota,
        needed: Math.ceil(each.reduce((sum, { amount }) => sum + amount, 0)),
        free,
        limit,
        ...(at === undefined ? {} : { at }),
      };
    });
  });
}

function withoutVolumes({ replica, vm }: Sized, used: ReadonlySet<string>): Sized {
  const disks = replica.disks.filter(({ volumeId }) => volumeId === undefined || !used.has(volumeId));
  // A replica whose disks are known has no others.
  return disks.length === replica.disks.length
    ? { replica, vm }
    : { replica: { ...replica, disks }, vm: vm === undefined ? undefined : { ...vm, disks: [] } };
}

/** Which members a quota holds back: in their order, those for which nothing is left. As of the last catalog; nothing is contacted. */
export interface QuotaShortage extends Omit<QuotaNeeds, 'members' | 'limit'> {
  readonly replicas: readonly string[];
}

/** Destinations of replicas whose last catalog has quotas, with the moment at which it was captured. */
export function quotaCatalogs(core: CoreContext, replicas: readonly Replica[]): WaveDetail['quotaCatalogs'] {
  return [...new Set(replicas.map(({ destinationEndpointId }) => destinationEndpointId))].flatMap((endpoint) => {
    const catalog = lastCatalog(core, endpoint);
    if (usedQuotas(catalog?.quotas ?? []).length === 0) return [];
    return [
      {
        endpoint,
        name: core.store.endpoints.find(endpoint)?.name ?? endpoint,
        ...(catalog?.captured_at === undefined ? {} : { at: catalog.captured_at }),
      },
    ];
  });
}

/** @param members in their order, without those that are at the destination already */
export function quotaShortages(core: CoreContext, members: readonly Replica[]): QuotaShortage[] {
  // Most projects have no quotas: then nothing more is read.
  const endpoints = [...new Set(members.map(({ destinationEndpointId }) => destinationEndpointId))].filter(
    (id) => usedQuotas(lastCatalog(core, id)?.quotas ?? []).length > 0,
  );
  if (endpoints.length === 0) return [];
  const listed = listedMachines(core);
  const sized = members
    .filter(({ destinationEndpointId }) => endpoints.includes(destinationEndpointId))
    .map((replica) => ({ replica, vm: newestVm(core.store, replica) ?? listed(replica)?.vm }));
  return quotaNeeds(core, sized).flatMap(({ members: each, limit: _limit, ...quota }) => {
    let used = 0;
    const replicas = each.flatMap(({ replica, amount }) => {
      if (amount === 0 || used + amount <= quota.free) {
        used += amount;
        return [];
      }
      return [replica.id];
    });
    return replicas.length === 0 ? [] : [{ ...quota, replicas }];
  });
}
