import { z } from 'zod';
import type { Labels } from '../../../cloud-resources/labels.ts';
import type { ComputeApi } from './compute-api.ts';
import { describedLabels, objectName, tagsOf } from './object-names.ts';

const ipNetworkSchema = z.looseObject({
  name: z.string(),
  ipAddressPrefix: z.string(),
  description: z.string().nullish(),
});
const reservationSchema = z.looseObject({
  name: z.string(),
  ipAddress: z.string().nullish(),
  tags: z.array(z.string()).nullish(),
});
const describedSchema = z.looseObject({ name: z.string(), description: z.string().nullish() });
const associationSchema = z.looseObject({
  name: z.string(),
  vcable: z.string().nullish(),
  ip: z.string().nullish(),
  reservation: z.string().nullish(),
});
const vnicSchema = z.looseObject({ name: z.string(), macAddress: z.string().nullish() });

export type IpNetwork = z.infer<typeof ipNetworkSchema>;
export type AddressReservation = z.infer<typeof reservationSchema>;
/** An object that has no tags: a security list, a list of addresses, an application, a rule. */
export type Described = z.infer<typeof describedSchema>;

/** What lets somebody in on the shared network, by the part of the interface that it is in. */
export const securityKinds = ['seclist', 'seciplist', 'secapplication', 'secrule'] as const;
export type SecurityKind = (typeof securityKinds)[number];

/** The application of the platform for SSH. */
export const sshApplication = '/oracle/public/ssh';
/** Gives an instance on the shared network a public address for as long as it lives. */
export const temporaryAddress = 'ippool:/oracle/public/ippool';

export interface Network {
  ipNetworks(signal: AbortSignal): Promise<readonly IpNetwork[]>;
  /** Public addresses for IP networks. */
  reservations(signal: AbortSignal): Promise<readonly AddressReservation[]>;
  reservation(name: string, signal: AbortSignal): Promise<AddressReservation | undefined>;
  reserve(
    reservation: { readonly name: string; readonly labels: Labels },
    signal: AbortSignal,
  ): Promise<AddressReservation>;
  releaseReservation(name: string, signal: AbortSignal): Promise<void>;
  /** MAC addresses of VNICs, by their names. */
  macAddresses(signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
  /** The public address of an instance on the shared network, once it has one. */
  publicAddress(vcable: string, signal: AbortSignal): Promise<string | undefined>;
  security(kind: SecurityKind, signal: AbortSignal): Promise<readonly Described[]>;
  findSecurity(kind: SecurityKind, name: string, signal: AbortSignal): Promise<Described | undefined>;
  createSecurity(
    kind: SecurityKind,
    object: { readonly name: string; readonly labels: Labels } & Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Described>;
  deleteSecurity(kind: SecurityKind, name: string, signal: AbortSignal): Promise<void>;
}

export function networkOf(
  api: ComputeApi,
  { account, user }: { readonly account: string; readonly user: string },
): Network {
  const container = `${account}/`;
  const reservationPath = '/network/v1/ipreservation';
  return {
    ipNetworks: (signal) => api.list(ipNetworkSchema, 'IP networks', '/network/v1/ipnetwork', container, signal),
    reservations: (signal) => api.list(reservationSchema, 'address reservations', reservationPath, container, signal),
    reservation: (name, signal) => api.get(reservationSchema, 'address reservation', reservationPath, name, signal),
    reserve: ({ name, labels }, signal) =>
      api.create(
        reservationSchema,
        `address reservation ${name}`,
        reservationPath,
        {
          name: objectName(user, name),
          description: 'Causeway',
          ipAddressPool: '/oracle/public/public-ippool',
          tags: tagsOf(labels),
        },
        signal,
      ),
    releaseReservation: (name, signal) => api.delete('address reservation', reservationPath, name, signal),
    async macAddresses(signal) {
      const all = await api.list(vnicSchema, 'VNICs', '/network/v1/vnic', container, signal);
      return new Map(
        all.flatMap(({ name, macAddress }) =>
          typeof macAddress === 'string' && macAddress !== '' ? [[name, macAddress.toLowerCase()] as const] : [],
        ),
      );
    },
    async publicAddress(vcable, signal) {
      const own = (
        await api.list(associationSchema, 'address associations', '/ip/association', container, signal)
      ).find((each) => each.vcable === vcable);
      return typeof own?.ip === 'string' && own.ip !== '' ? own.ip : undefined;
    },
    security: (kind, signal) => api.list(describedSchema, `${kind} objects`, `/${kind}`, container, signal),
    findSecurity: (kind, name, signal) => api.get(describedSchema, kind, `/${kind}`, objectName(user, name), signal),
    createSecurity: (kind, { name, labels, ...more }, signal) =>
      api.create(
        describedSchema,
        `${kind} ${name}`,
        `/${kind}`,
        { ...more, name: objectName(user, name), description: describedLabels(labels) },
        signal,
      ),
    deleteSecurity: (kind, name, signal) => api.delete(kind, `/${kind}`, name, signal),
  };
}
