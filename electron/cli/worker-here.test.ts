// `causeway worker here`: what it asks of the engine.
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import type { OwnVmView } from '../../shared/model/own-vm.ts';
import { runProgram } from './program.ts';

let asked: [string, unknown][] = [];
const known: OwnVmView = {
  endpointId: 'end-1',
  endpointName: 'cloud',
  vmId: 'vm-given',
  vmName: 'mover',
  volumes: 12,
  inUse: 0,
};

vi.mock('./project/with-project.ts', () => ({
  withProject: async (_options: unknown, _context: unknown, work: (core: unknown) => unknown) =>
    work({
      async call(name: string, input: object) {
        asked.push([name, input]);
        return name === 'workers.setOwnVm'
          ? { ...known, ...('volumes' in input ? { volumes: input.volumes } : {}) }
          : [known];
      },
    }),
}));
afterEach(() => {
  asked = [];
});

async function here(...argv: string[]): Promise<{ status: number; out: string; err: string }> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const status = await runProgram(['worker', 'here', ...argv], {
    stdout,
    stderr,
    env: {},
    entry: import.meta.url,
    signal: new AbortController().signal,
  });
  return { status, out: String(stdout.read() ?? ''), err: String(stderr.read() ?? '') };
}
const set = () => asked.filter(([name]) => name === 'workers.setOwnVm').map(([, input]) => input);

test.each([
  ['its name', 'cloud', 'vm-given'],
  ['its id', 'end-1', 'vm-given'],
])('another number of volumes alone keeps the VM that was given, for an endpoint by %s', async (_by, endpoint, vm) => {
  expect(await here('--endpoint', endpoint, '--volumes', '3')).toMatchObject({
    status: 0,
    out: expect.stringMatching(/cloud +mover +vm-given +3/) as string,
  });
  expect(set()).toEqual([{ endpoint, vm, volumes: 3 }]);
});

test('for an endpoint that has none, the VM is searched', async () => {
  await here('--endpoint', 'other', '--volumes', '3');
  expect(set()).toEqual([{ endpoint: 'other', volumes: 3 }]);
});

test('a VM that is given, and a search without one, leave the volumes as they are usual', async () => {
  await here('--endpoint', 'cloud', '--vm', 'vm-new');
  await here('--endpoint', 'cloud');
  expect(set()).toEqual([{ endpoint: 'cloud', vm: 'vm-new' }, { endpoint: 'cloud' }]);
});

test('--destination, as it was called, is the same as --endpoint, and not to be seen', async () => {
  await here('--destination', 'cloud', '--vm', 'vm-new');
  await here('--destination', 'cloud', '--off');
  expect(asked.filter(([name]) => name !== 'workers.ownVms')).toEqual([
    ['workers.setOwnVm', { endpoint: 'cloud', vm: 'vm-new' }],
    ['workers.removeOwnVm', { endpoint: 'cloud' }],
  ]);
  expect(await here('--destination', 'cloud', '--endpoint', 'other')).toMatchObject({ status: 2 });
  expect((await here('--help')).out).not.toContain('--destination');
});
