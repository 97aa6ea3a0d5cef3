import { expect, test } from 'vitest';
import { parseXml } from '../client/xml.ts';
import type { VimSession } from '../client/session.ts';
import { vm } from '../client/request.ts';
import { changedAreas } from './changed-areas.ts';

const signal = new AbortController().signal;
const MIB = 2 ** 20;

/** A server whose answers cover what they say; `asked` has the offsets. */
function answering(
  answers: readonly { readonly length: number; readonly areas?: readonly (readonly [number, number])[] }[],
) {
  const asked: number[] = [];
  const session = {
    async callFor(_method: string, _target: unknown, parts: readonly string[]) {
      const start = Number(/<startOffset>(\d+)</.exec(parts.join(''))?.[1]);
      const { length, areas = [] } = answers[asked.length] ?? { length: 0 };
      asked.push(start);
      return parseXml(
        `<returnval><startOffset>${start}</startOffset><length>${length}</length>${areas.map(([from, bytes]) => `<changedArea><start>${from}</start><length>${bytes}</length></changedArea>`).join('')}</returnval>`,
      );
    },
  } as unknown as VimSession;
  return {
    asked,
    areas: () =>
      changedAreas(
        session,
        { vm: vm('vm-1'), snapshotId: 's', deviceKey: 2000, sizeBytes: 10 * MIB, changeId: 'u/1' },
        signal,
      ),
  };
}

test('asks until the end of the disk is reached, and joins areas that touch', async () => {
  const server = answering([
    {
      length: 4 * MIB,
      areas: [
        [MIB, MIB],
        [3 * MIB, MIB],
      ],
    },
    { length: 5 * MIB, areas: [[4 * MIB, 512]] },
    { length: MIB },
  ]);
  expect(await server.areas()).toEqual([
    { offset: MIB, length: MIB, kind: 'data' },
    { offset: 3 * MIB, length: MIB + 512, kind: 'data' },
  ]);
  expect(server.asked).toEqual([0, 4 * MIB, 9 * MIB]);
});

test('an answer that covers nothing is an error, never the end of the list', async () => {
  await expect(answering([{ length: 4 * MIB, areas: [[0, 512]] }, { length: 0 }]).areas()).rejects.toMatchObject({
    code: 'source.tracking-incomplete',
  });
});

test('areas come in any order and form: whole sectors within the disk', async () => {
  const server = answering([
    {
      length: 10 * MIB,
      areas: [
        [5 * MIB + 100, 10],
        [100, 1000],
        [10 * MIB - 512, 4096],
        [20 * MIB, 512],
      ],
    },
  ]);
  expect(await server.areas()).toEqual([
    { offset: 0, length: 1536, kind: 'data' },
    { offset: 5 * MIB, length: 512, kind: 'data' },
    { offset: 10 * MIB - 512, length: 512, kind: 'data' },
  ]);
});
