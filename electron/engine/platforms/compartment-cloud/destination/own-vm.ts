import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { CloudCalls } from '../../../cloud-resources/cloud-api.ts';
import { ownVmAccess, unusable } from '../../../cloud-resources/own-vm.ts';
import { textIn } from '../../../cloud-resources/vm-hints.ts';
import type { OwnVmAccess } from '../../../ports/own-vm.ts';
import { cloudCalls } from './cloud-calls.ts';
import { readEnvironment, readScope } from './environment.ts';
import { getInstance } from './remove-resource.ts';
import { nowhere, placeOf, type OciSession } from './session.ts';

/** Volumes are attached to the instance that an engine runs on, by the names that its image keeps for them. */
export function ownVm(session: OciSession): OwnVmAccess {
  const isNamed = (environment: JsonObject): boolean => readScope(environment).compartment !== undefined;
  const cloudOf = async (environment: JsonObject, signal: AbortSignal): Promise<CloudCalls> =>
    cloudCalls(session, isNamed(environment) ? await placeOf(session, readEnvironment(environment), signal) : nowhere);
  return ownVmAccess((environment, _vmId, signal) => cloudOf(environment, signal), {
    async hints(here, signal) {
      const id = textIn(
        await here.metadata('/opc/v2/instance/', { authorization: 'Bearer Oracle' }, signal),
        'id',
        /^ocid1\.instance\.[\w.-]{1,200}$/,
      );
      return id === undefined ? [] : [{ vmId: id, by: 'metadata-service' }];
    },
    async room(environment, vmId, signal) {
      const instance = await getInstance(session, vmId, signal);
      if (isNamed(environment)) {
        const { compartmentId, domain } = await placeOf(session, readEnvironment(environment), signal);
        const name = instance?.displayName ?? vmId;
        if (instance?.availabilityDomain !== domain)
          throw unusable(
            `instance ${name} is in availability domain ${instance?.availabilityDomain ?? 'unknown'}, and volumes of ${domain} can't be attached to it`,
            vmId,
          );
        if (instance.compartmentId !== compartmentId)
          throw unusable(
            `instance ${name} is in another compartment than the volumes (${instance.compartmentId}, ${compartmentId})`,
            vmId,
          );
      }
      const { length } = await session.compute.devices(vmId, signal);
      if (length > 0) return length;
      const isTaken = (
        await session.compute.attachments({ compartmentId: instance?.compartmentId ?? '', instanceId: vmId }, signal)
      ).some(({ device }) => typeof device === 'string');
      if (isTaken) return 0;
      throw unusable(
        `the image of instance ${instance?.displayName ?? vmId} has no consistent device paths, by which volumes are distinguished from the instance's own`,
        vmId,
      );
    },
    async deviceOf({ environment }, vmId, { id, sizeBytes }, signal) {
      const { compartmentId } = await placeOf(session, readEnvironment(environment), signal);
      const own = (await session.compute.attachments({ compartmentId, instanceId: vmId, volumeId: id }, signal)).find(
        ({ volumeId }) => volumeId === id,
      );
      if (typeof own?.device === 'string' && own.device !== '')
        return { kind: 'by-path', path: own.device.replace(/^\/dev\//, ''), sizeBytes };
      throw unusable(`volume ${id} got no device name at instance ${vmId}`, vmId);
    },
  });
}
