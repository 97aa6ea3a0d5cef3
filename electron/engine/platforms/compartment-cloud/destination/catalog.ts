import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Catalog } from '../../../../../shared/model/catalog.ts';
import type { Option, OptionList } from '../../../ports/platform-common.ts';
import { attachmentTypes, type OciShape } from '../client/compute.ts';
import type { OciImage } from '../client/images.ts';
import type { Subnet } from '../client/network.ts';
import type { Scope } from './environment.ts';
import { compartmentId, domainName, type OciSession } from './session.ts';
import { isFlexible, sizeOf } from './shapes.ts';
import { subnetsOf } from './worker-plan.ts';

/** Where to look while an environment is still half filled in: the tenancy itself where it names no compartment. */
interface Where {
  readonly compartmentId: string;
  readonly networkCompartmentId: string;
  readonly domain: string | undefined;
}

async function whereOf(session: OciSession, scope: Scope, signal: AbortSignal): Promise<Where> {
  const compartment =
    scope.compartment === undefined
      ? await session.tenancy(signal)
      : await compartmentId(session, 'compartment', scope.compartment, signal);
  return {
    compartmentId: compartment,
    networkCompartmentId:
      scope.vcn_compartment === undefined
        ? compartment
        : await compartmentId(session, 'vcn_compartment', scope.vcn_compartment, signal),
    domain:
      scope.availability_domain === undefined
        ? undefined
        : await domainName(session, scope.availability_domain, signal),
  };
}

const named = ({
  id,
  displayName,
}: {
  readonly id: string;
  readonly displayName?: string | null | undefined;
}): { readonly id: string; readonly name: string } => ({ id, name: displayName ?? id });

/** More than these are not asked one after the other for what an environment without a compartment could mean. */
const mostCompartments = 50;

/** What some compartments have, each thing once. One that the user may not see into has nothing. */
async function inEach<T extends { readonly id: string }>(
  compartments: readonly string[],
  list: (compartment: string) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const all = await Promise.all(
    compartments.map((id) =>
      list(id).catch((error: unknown) => {
        if (
          compartments.length > 1 &&
          error instanceof CausewayError &&
          ['cloud.not-found', 'cloud.permission-denied'].includes(error.code)
        )
          return [];
        throw error;
      }),
    ),
  );
  return [...new Map(all.flat().map((one) => [one.id, one])).values()];
}

/** What the compartment offers, as the offline validation reads it later; where none is named, what all of them do. */
export async function readCatalog(
  session: OciSession,
  scope: Scope,
  capturedAt: Date,
  signal: AbortSignal,
): Promise<Catalog> {
  const where = await whereOf(session, scope, signal);
  const compartments = await session.compartments(signal);
  const everywhere = compartments.slice(0, mostCompartments).map(({ id }) => id);
  const own = scope.compartment === undefined ? everywhere : [where.compartmentId];
  const ofNetworks =
    scope.compartment === undefined && scope.vcn_compartment === undefined
      ? everywhere
      : [...new Set([where.networkCompartmentId, ...own])];
  const [subnets, images, shapes, groups, domains] = await Promise.all([
    inEach(ofNetworks, (id) => session.network.subnets(id, signal)),
    inEach(own, (id) => session.images.list(id, signal)),
    session.compute.shapes(where.compartmentId, where.domain, signal),
    inEach(ofNetworks, (id) => session.network.groups(id, signal)),
    session.domains(signal),
  ]);
  return {
    captured_at: capturedAt.toISOString(),
    plugin: 'compartment-cloud',
    networks: subnets.map((subnet) => ({
      ...named(subnet),
      cidrs: cidrsOf(subnet),
      ...(typeof subnet.virtualRouterIp === 'string' ? { gateway: subnet.virtualRouterIp } : {}),
    })),
    subnets: subnets.map((subnet) => ({ ...named(subnet), cidrs: cidrsOf(subnet) })),
    images: images.map((image) => ({ ...named(image), os: systemOf(image) })),
    machine_types: shapes.map((shape) => {
      const { name, vcpus, ram } = sizeOf(shape, largest(shape));
      return { id: name, name, vcpus, memory_mb: ram };
    }),
    volume_types: attachmentTypes.map((type) => ({ id: type, name: type })),
    attachment_types: attachmentTypes.map((type) => ({ id: type, name: type })),
    security_groups: groups.map(named),
    availability_zones: domains.map(({ name }) => ({ id: name, name })),
    compartments: compartments.map(({ id, name }) => ({ id, name })),
  };
}

/** A flexible shape fits whatever fits its largest size. */
const largest = (shape: OciShape): Parameters<typeof sizeOf>[1] =>
  isFlexible(shape)
    ? {
        shapeConfig: {
          ocpus: shape.ocpuOptions?.max ?? shape.ocpus ?? 1,
          memoryInGBs: shape.memoryOptions?.maxInGBs ?? shape.memoryInGBs ?? 1,
        },
      }
    : {};

const cidrsOf = ({ cidrBlock }: Subnet): string[] => (typeof cidrBlock === 'string' ? [cidrBlock] : []);

export const systemOf = ({ operatingSystem }: OciImage): string =>
  /windows/i.test(operatingSystem) ? 'windows' : 'linux';

type Lister = (session: OciSession, where: Where, signal: AbortSignal) => Promise<OptionList>;

function described(
  option: { readonly id: string; readonly name: string },
  ...parts: readonly (string | null | undefined | false)[]
): Option {
  const description = parts.filter((part) => typeof part === 'string' && part !== '').join(' · ');
  return { ...option, ...(description === '' ? {} : { description }) };
}

const subnets: Lister = async (session, where, signal) =>
  (await subnetsOf(session, where, signal)).map((subnet) =>
    described(named(subnet), subnet.cidrBlock, subnet.prohibitPublicIpOnVnic === true && 'no public addresses'),
  );

const listers: Readonly<Record<string, Lister>> = {
  networks: subnets,
  subnets,
  images: async (session, { compartmentId: id }, signal) =>
    (await session.images.list(id, signal)).map((image) =>
      described(
        named(image),
        `${image.operatingSystem} ${image.operatingSystemVersion ?? ''}`.trim(),
        image.timeCreated?.slice(0, 10),
      ),
    ),
  machine_types: async (session, { compartmentId: id, domain }, signal) =>
    (await session.compute.shapes(id, domain, signal)).map((shape) => {
      const { name, vcpus, ram } = sizeOf(shape, {});
      return described(
        { id: name, name },
        isFlexible(shape) ? 'flexible' : `${vcpus} vCPU`,
        !isFlexible(shape) && `${ram / 1024} GiB`,
        shape.processorDescription,
      );
    }),
  volume_types: async () => attachmentTypes.map((type) => ({ id: type, name: type })),
  attachment_types: async () => attachmentTypes.map((type) => ({ id: type, name: type })),
  security_groups: async (session, { networkCompartmentId }, signal) =>
    (await session.network.groups(networkCompartmentId, signal)).map((group) => named(group)),
  availability_zones: async (session, _where, signal) =>
    (await session.domains(signal)).map(({ name }) => ({ id: name, name })),
  compartments: async (session, _where, signal) =>
    (await session.compartments(signal)).map(({ id, name }) => ({ id, name })),
  regions: async ({ connection }) => [{ id: connection.region, name: connection.region }],
};

/** Choices for form fields; a kind that this platform does not have is left out. */
export async function readOptions(
  session: OciSession,
  names: readonly string[],
  scope: Scope,
  signal: AbortSignal,
): Promise<Readonly<Record<string, OptionList>>> {
  const known = [...new Set(names)].filter((name) => Object.hasOwn(listers, name));
  const where = await whereOf(session, scope, signal);
  const lists = await Promise.all(
    known.map(async (name) => [name, (await listers[name]?.(session, where, signal)) ?? []] as const),
  );
  return Object.fromEntries(lists);
}
