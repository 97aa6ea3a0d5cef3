import { z } from 'zod';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import {
  guestDeviceSchema,
  guestDossierSchema,
  guestPlanSchema,
  guestRootSchema,
  type GuestDevice,
  type GuestDossier,
  type GuestPlan,
  type GuestRoot,
} from '../../../shared/model/guest-preparation.ts';
import type { JsonObject, JsonValue } from '../../../shared/model/json.ts';
import type { GuestNic, LuksKey, MorphOptions } from './options.ts';

export type InspectOptions = Pick<
  MorphOptions,
  'root' | 'luksKeys' | 'hypervisor' | 'diskBuses' | 'setDhcp' | 'retainUserCredentials' | 'datasources'
> & {
  /** Those of the source. Their MAC addresses at the destination are set by a deployment. */
  readonly nics?: readonly Omit<GuestNic, 'macAddress'>[] | undefined;
  /** Not even a deployment knows them: the VM gets them when it first boots. */
  readonly macAddressesAtBoot?: boolean | undefined;
  /** The agent that the platform has for its servers, as a deployment would give it. Nothing is fetched. */
  readonly platformAgent?: { readonly url: string; readonly architecture: string } | undefined;
};

/** What is on the disks, without writing to them. */
export interface InspectOutcome extends GuestPlan {
  readonly dossier: GuestDossier;
  readonly candidates: readonly GuestRoot[];
  readonly devices: readonly GuestDevice[];
  /** Whether there is a way to prepare it. */
  readonly supported: boolean;
  readonly warnings: readonly string[];
}

const inspectResult = guestPlanSchema.extend({
  dossier: guestDossierSchema,
  candidates: z.array(guestRootSchema),
  devices: z.array(guestDeviceSchema),
  supported: z.boolean(),
});

/** Without the devices. */
export function inspectionRequest({
  root,
  luksKeys = [],
  hypervisor,
  diskBuses,
  setDhcp = true,
  retainUserCredentials = false,
  datasources,
  nics = [],
  macAddressesAtBoot = false,
  platformAgent,
}: InspectOptions): JsonObject {
  return {
    ...(root === undefined ? {} : { root }),
    luksKeys: luksKeys.map(luksKey),
    ...(hypervisor === undefined ? {} : { hypervisor }),
    ...(diskBuses === undefined ? {} : { diskBuses: [...diskBuses] }),
    setDhcp,
    retainUserCredentials,
    ...(datasources === undefined ? {} : { datasources: [...datasources] }),
    nics: nics.map(({ sourceMacAddress, addresses }) => ({
      sourceMacAddress: sourceMacAddress ?? null,
      addresses: [...(addresses ?? [])],
    })),
    macAddressesAtBoot,
    ...(platformAgent === undefined ? {} : { platformAgent: { ...platformAgent } }),
  };
}

export function inspectionOf(answer: JsonValue, warnings: readonly string[]): InspectOutcome {
  return { ...parsed(inspectResult, answer), warnings };
}

export function parsed<Schema extends z.ZodType>(schema: Schema, value: JsonValue): z.infer<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new CausewayError(
    'osmorphing.program-failed',
    `the response of the worker is not valid: ${z.prettifyError(result.error).slice(0, 500)}`,
  );
}

export const luksKey = ({ device, key }: LuksKey): JsonObject => ({
  key: Buffer.from(key).toString('base64'),
  ...(device === undefined ? {} : { device }),
});
