import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOci, type Oci } from '../../electron/engine/platforms/compartment-cloud/client/open-oci.ts';
import { closeAll } from '../rigs/closing.ts';
import { startCompartmentCloud, type CompartmentCloud } from '../rigs/compartment-cloud/start.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';

/** The simulated compartment cloud, asked by the product's client: what is signed, repeated, refused, and what volumes and instances do to each other. */

const signal = new AbortController().signal;
let cloud: CompartmentCloud;
let oci: Oci;
const connection = (more: object = {}): object => ({
  region: cloud.region,
  tenancy: cloud.tenancy,
  user: cloud.user,
  private_key_data: cloud.privateKey,
  fingerprint: cloud.fingerprint,
  service_url: cloud.url,
  ...more,
});
const open = (more: object = {}): Oci =>
  openOci(connection(more), { clock: hurriedClock(4), timing: { requestMs: 5_000 } });

beforeAll(async () => {
  cloud = await startCompartmentCloud({ transitionMs: 2 });
  oci = open();
});
afterAll(() =>
  closeAll(
    () => oci.close(),
    () => expect([...new Set(cloud.violations)]).toEqual([]),
    () => cloud.close(),
  ),
);

async function until<T>(read: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  for (let look = 0; ; look += 1) {
    const value = await read();
    if (isThere(value)) return value;
    if (look > 2_000) throw new Error(`still ${JSON.stringify(value)}`);
    await new Promise((resolve) => {
      setTimeout(resolve, 2);
    });
  }
}

const domain = 'Uocm:EU-FRANKFURT-1-AD-1';
const volume = (displayName: string, more: object = {}) => ({
  compartmentId: cloud.compartment,
  availabilityDomain: domain,
  displayName,
  sizeInGBs: 50,
  freeformTags: { a: 'b' },
  ...more,
});

describe('requests', () => {
  it('are refused with another key, with a fingerprint of another one, and with a clock that is off', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2048,
      publicKeyEncoding: { type: 'spki', format: 'pem' },
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    for (const wrong of [{ private_key_data: privateKey }, { fingerprint: '00:00' }]) {
      const other = open(wrong);
      await expect(other.identity.compartments(cloud.tenancy, signal)).rejects.toMatchObject({
        code: 'cloud.authentication-failed',
      });
      other.close();
    }
    const late = openOci(connection(), { clock: { ...hurriedClock(4), wallTime: () => Date.now() - 3_600_000 } });
    await expect(late.identity.compartments(cloud.tenancy, signal)).rejects.toMatchObject({
      code: 'cloud.authentication-failed',
      details: { clockAheadMs: expect.any(Number) as number },
    });
    late.close();
  });

  it('that create are repeated with one token, and make one resource', async () => {
    cloud.faults.add({ operation: 'BlockstorageClient.createVolume', effect: '502-after' });
    const made = await oci.volumes.create(volume('twice'), signal);
    expect((await oci.volumes.list(cloud.compartment, signal)).map(({ id }) => id)).toEqual([made.id]);
    await until(
      () => oci.volumes.get(made.id, signal),
      (now) => now?.lifecycleState === 'AVAILABLE',
    );
    await oci.volumes.delete(made.id, signal);
  });

  it('that change demand the state that was read', async () => {
    const made = await oci.volumes.create(volume('changed'), signal);
    cloud.faults.add({ operation: 'BlockstorageClient.updateVolume', effect: 'connection-reset-after' });
    expect((await oci.volumes.change(made.id, { freeformTags: { c: 'd' } }, signal)).freeformTags).toEqual({
      a: 'b',
      c: 'd',
    });
  });

  it('for lists go through all pages', async () => {
    const world = cloud.world;
    const [sample] = [...world.groups.values()];
    for (let index = 0; index < 1_005; index += 1)
      world.groups.set(`g${index}`, {
        ...sample!,
        id: `g${index}`,
        compartmentId: cloud.networkCompartment,
        displayName: 'many',
      });
    expect(
      (await oci.network.groups(cloud.networkCompartment, signal)).filter(({ displayName }) => displayName === 'many'),
    ).toHaveLength(1_005);
    for (let index = 0; index < 1_005; index += 1) world.groups.delete(`g${index}`);
  });

  it('say by their codes what a compartment may not have, and what a host has no room for', async () => {
    await expect(
      oci.volumes.create(volume('huge', { sizeInGBs: 32_000, compartmentId: 'ocid1.compartment.oc1..none' }), signal),
    ).rejects.toMatchObject({ code: 'cloud.not-found' });
    cloud.world.setup.limits = { ...cloud.world.setup.limits, 'block-storage/total-storage-gb': 10 };
    await expect(oci.volumes.create(volume('more'), signal)).rejects.toMatchObject({ code: 'cloud.quota-exceeded' });
    cloud.world.setup.limits = { ...cloud.world.setup.limits, 'block-storage/total-storage-gb': 10_000 };
    cloud.world.withoutCapacity.add('VM.Standard2.1');
    const launch = {
      compartmentId: cloud.compartment,
      availabilityDomain: domain,
      displayName: 'none',
      shape: 'VM.Standard2.1',
      sourceDetails: { sourceType: 'image' as const, imageId: cloud.idOf('image', 'Debian-12') },
      createVnicDetails: { subnetId: cloud.idOf('subnet', 'workers'), assignPublicIp: true },
      freeformTags: {},
    };
    const refused = oci.compute.launch(launch, signal);
    await expect(refused).rejects.toMatchObject({
      code: 'cloud.operation-failed',
      message: expect.stringContaining('Out of host capacity') as string,
    });
    await expect(refused).rejects.not.toMatchObject({ details: { ambiguous: true } });
    cloud.world.withoutCapacity.clear();
  });
});

describe('volumes and instances', () => {
  const launch = (displayName: string, sourceDetails: Parameters<Oci['compute']['launch']>[0]['sourceDetails']) =>
    oci.compute.launch(
      {
        compartmentId: cloud.compartment,
        availabilityDomain: domain,
        displayName,
        shape: 'VM.Standard.E4.Flex',
        shapeConfig: { ocpus: 1, memoryInGBs: 8 },
        sourceDetails,
        createVnicDetails: { subnetId: cloud.idOf('subnet', 'workers'), assignPublicIp: true },
        freeformTags: {},
      },
      signal,
    );
  const running = (id: string) =>
    until(
      () => oci.compute.get(id, signal),
      (now) => now?.lifecycleState === 'RUNNING',
    );

  it('a boot volume outlives the instance that it was made with, and is attached to another one as data', async () => {
    const first = await launch('first', {
      sourceType: 'image',
      imageId: cloud.idOf('image', 'Oracle-Linux-9'),
      bootVolumeSizeInGBs: 60,
    });
    await running(first.id);
    const [boot] = await oci.compute.bootAttachments(
      { compartmentId: cloud.compartment, availabilityDomain: domain, instanceId: first.id },
      signal,
    );
    await expect(oci.volumes.delete(boot?.bootVolumeId ?? '', signal)).rejects.toMatchObject({
      code: 'cloud.conflict',
    });
    await oci.compute.terminate(first.id, true, signal);
    await until(
      () => oci.compute.get(first.id, signal),
      (now) => now?.lifecycleState === 'TERMINATED',
    );
    expect(await oci.volumes.get(boot?.bootVolumeId ?? '', signal)).toMatchObject({
      lifecycleState: 'AVAILABLE',
      sizeInGBs: 60,
    });
    const second = await launch('second', { sourceType: 'image', imageId: cloud.idOf('image', 'Oracle-Linux-9') });
    await running(second.id);
    const [device] = await oci.compute.devices(second.id, signal);
    expect(device).toBe('/dev/oracleoci/oraclevdb');
    const attached = await oci.compute.attach(
      { type: 'iscsi', instanceId: second.id, volumeId: boot?.bootVolumeId ?? '', useChap: true },
      signal,
    );
    expect(attached).toMatchObject({ attachmentType: 'iscsi', port: 3260, chapUsername: expect.any(String) as string });
    await until(
      () => oci.compute.attachment(attached.id, signal),
      (now) => now?.lifecycleState === 'ATTACHED',
    );
    await oci.compute.terminate(second.id, false, signal);
    await until(
      () => oci.compute.get(second.id, signal),
      (now) => now?.lifecycleState === 'TERMINATED',
    );
    await oci.volumes.delete(boot?.bootVolumeId ?? '', signal);
  });

  it('a launch that comes to nothing leaves the reason in its work request', async () => {
    cloud.faults.add({ operation: 'ComputeClient.launchInstance', effect: 'status-error' });
    const failed = await launch('failed', { sourceType: 'image', imageId: cloud.idOf('image', 'Debian-12') });
    await until(
      () => oci.compute.get(failed.id, signal),
      (now) => now?.lifecycleState === 'TERMINATED',
    );
    expect(await oci.workRequests.failureOf(cloud.compartment, failed.id, signal)).toContain('InternalError');
  });

  it('a source is kept as long as a clone of it is filled', async () => {
    const source = await oci.volumes.create(volume('source'), signal);
    await until(
      () => oci.volumes.get(source.id, signal),
      (now) => now?.lifecycleState === 'AVAILABLE',
    );
    cloud.world.ground.transitions.defaultMs = 30;
    const clone = await oci.volumes.create({ ...volume('clone'), sourceId: source.id }, signal);
    await expect(oci.volumes.delete(source.id, signal)).rejects.toMatchObject({ code: 'cloud.conflict' });
    cloud.world.ground.transitions.defaultMs = 2;
    await until(
      () => oci.volumes.get(clone.id, signal),
      (now) => now?.isHydrated === true,
    );
    await oci.volumes.delete(source.id, signal);
    expect((await oci.volumes.get(clone.id, signal))?.lifecycleState).toBe('AVAILABLE');
  });
});
