// Real NATS servers: descriptions of a project that several computers change.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { Kvm } from '@nats-io/kv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  descriptionBucket,
  descriptionExchange,
  type DescriptionExchange,
} from '../../electron/fleet/description-exchange.ts';
import { closeAll } from '../rigs/closing.ts';
import { startNats, type NatsCluster } from '../rigs/nats-cluster.ts';

const unchanged = { taken: [], conflicts: [], notShared: [] };

describe('the descriptions of a project in a fleet', () => {
  let nats: NatsCluster;
  let connection: NatsConnection;
  const folder = mkdtempSync(join(tmpdir(), 'causeway-files-'));
  const file = (side: string, path: string): string => join(folder, side, path);
  const put = (side: string, path: string, content: string): void => writeFileSync(file(side, path), content);
  const read = (side: string, path: string): string | undefined =>
    existsSync(file(side, path)) ? readFileSync(file(side, path), 'utf8') : undefined;
  let one: DescriptionExchange;
  let two: DescriptionExchange;
  const open = (side: string): Promise<DescriptionExchange> =>
    descriptionExchange(connection, { project: 'dc1', replicas: 1 }, join(folder, side), join(folder, `${side}.json`));

  beforeAll(async () => {
    nats = await startNats({ servers: 1 });
    connection = await connect({ servers: [...nats.urls] });
    for (const side of ['one', 'two']) mkdirSync(file(side, 'replicas'), { recursive: true });
    [one, two] = [await open('one'), await open('two')];
  });
  afterAll(() =>
    closeAll(
      () => connection?.close(),
      () => nats?.stop(),
      () => rmSync(folder, { recursive: true }),
    ),
  );

  it('reach the others, with changes and deletions, also after another start', async () => {
    put('one', 'replicas/web.yaml', 'name: web');
    put('one', 'replicas/db.yaml', 'name: db');
    put('one', 'causeway.yaml', 'name: not shared');
    await one.turn();
    expect(await two.turn()).toEqual({ ...unchanged, taken: ['replicas/db.yaml', 'replicas/web.yaml'] });
    expect([read('two', 'replicas/web.yaml'), read('two', 'causeway.yaml')]).toEqual(['name: web', undefined]);
    put('two', 'replicas/web.yaml', 'name: web\nwave: first');
    rmSync(file('two', 'replicas/db.yaml'));
    two = await open('two');
    await two.turn();
    await one.turn();
    expect([read('one', 'replicas/web.yaml'), read('one', 'replicas/db.yaml')]).toEqual([
      'name: web\nwave: first',
      undefined,
    ]);
    expect(await two.turn()).toEqual(unchanged);
  });

  it('are left as they are where two people changed the same file, until one decides', async () => {
    put('one', 'replicas/web.yaml', 'wave: second');
    put('two', 'replicas/web.yaml', 'wave: third');
    await one.turn();
    const {
      taken,
      conflicts: [conflict],
    } = await two.turn();
    expect([taken, conflict]).toEqual([
      [],
      {
        file: 'replicas/web.yaml',
        revision: expect.any(Number) as number,
        mine: 'wave: third',
        theirs: 'wave: second',
      },
    ]);
    expect(read('two', 'replicas/web.yaml')).toBe('wave: third');
    // The first one changes it once more while the second one still reads the difference.
    put('one', 'replicas/web.yaml', 'wave: second\nurgent: true');
    await one.turn();
    await expect(two.resolve('replicas/web.yaml', 'mine', conflict!.revision)).rejects.toThrow(
      expect.objectContaining({ code: 'fleet.changed-meanwhile' }) as Error,
    );
    const {
      conflicts: [newer],
    } = await two.turn();
    expect(newer?.theirs).toBe('wave: second\nurgent: true');
    await two.resolve('replicas/web.yaml', 'mine', newer!.revision);
    expect(await two.turn()).toEqual(unchanged);
    expect(await one.turn()).toEqual({ ...unchanged, taken: ['replicas/web.yaml'] });
    put('one', 'replicas/web.yaml', 'wave: fourth');
    put('two', 'replicas/web.yaml', 'wave: fifth');
    await two.turn();
    const {
      conflicts: [last],
    } = await one.turn();
    expect([last?.mine, last?.theirs]).toEqual(['wave: fourth', 'wave: fifth']);
    await one.resolve('replicas/web.yaml', 'theirs', last!.revision);
    expect(read('one', 'replicas/web.yaml')).toBe('wave: fifth');
    expect(await one.turn()).toEqual(unchanged);
  });

  it('write nothing that is no description, whatever is in the bucket', async () => {
    const kv = await new Kvm(connection).open(descriptionBucket('dc1'));
    for (const path of [
      '../outside.yaml',
      'replicas/../../outside.yaml',
      '.causeway/fleet.json',
      '/etc/outside.yaml',
      'replicas/x.sh',
      'replicas/a:b.json',
      'replicas/nul.json',
      'replicas/com1 .json',
    ])
      await kv.put(Buffer.from(path).toString('base64url'), 'x');
    expect(await one.turn()).toEqual(unchanged);
    expect(existsSync(join(folder, 'outside.yaml'))).toBe(false);
  });

  it('are not shared, and named, where other systems have no such file or take it for another one, or where they are too large', async () => {
    put('one', 'replicas/c:web.json', '{}');
    put('one', 'replicas/Big.json', 'x'.repeat(400_001));
    put('one', 'replicas/WEB.yaml', 'name: other');
    const notShared = [
      { file: 'replicas/c:web.json', reason: 'name' },
      { file: 'replicas/Big.json', reason: 'size' },
      { file: 'replicas/WEB.yaml', reason: 'case' },
    ];
    const turn = await one.turn();
    expect({ ...turn, notShared: turn.notShared.toSorted((a, b) => (a.reason < b.reason ? 1 : -1)) }).toEqual({
      ...unchanged,
      notShared: notShared.toSorted((a, b) => (a.reason < b.reason ? 1 : -1)),
    });
    expect(await two.turn()).toEqual(unchanged);
    for (const { file: path } of notShared) rmSync(file('one', path));
    expect(await one.turn()).toEqual(unchanged);
  });

  it('send nothing that a link in the folder leads to, and write through none', async () => {
    writeFileSync(join(folder, 'private'), 'of this computer');
    mkdirSync(join(folder, 'elsewhere'));
    writeFileSync(join(folder, 'elsewhere', 'other.yaml'), 'of another project');
    symlinkSync(join(folder, 'private'), file('one', 'replicas/link.yaml'));
    symlinkSync(join(folder, 'elsewhere'), file('one', 'waves'));
    await one.turn();
    expect(await two.turn()).toEqual(unchanged);
    mkdirSync(file('two', 'waves'));
    put('two', 'waves/first.yaml', 'name: first');
    await two.turn();
    expect(await one.turn()).toEqual(unchanged);
    expect(existsSync(join(folder, 'elsewhere', 'first.yaml'))).toBe(false);
  });
});
