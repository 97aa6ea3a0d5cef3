import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostScript } from '../../../electron/engine/platforms/windows-hypervisor/control/remote-powershell.ts';
import type { CommandAnswer, ReceivedCommand } from '../windows/winrm-stand-in/start.ts';
import { blockBytes, trackedBytes, type FrozenFile, type HypervWorld, type RigDisk, type RigVm } from './world.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'assets', 'worker', 'hyper-v');
const texts = new Map<string, string>();
const text = (name: string): string => {
  const known = texts.get(name) ?? readFileSync(join(folder, `${name}.ps1`), 'utf8');
  texts.set(name, known);
  return known;
};
const names: readonly HostScript[] = [
  'read-host',
  'read-vms',
  'read-state',
  'read-history',
  'take-checkpoint',
  'convert-checkpoint',
  'remove-checkpoint',
  'remove-reference-point',
  'changed-ranges',
  'used-blocks',
  'stop-vm',
  'run-reader',
  'find-reader',
  'remove-reader',
];
export const changingScripts: ReadonlySet<string> = new Set([
  'take-checkpoint',
  'convert-checkpoint',
  'remove-checkpoint',
  'remove-reference-point',
  'stop-vm',
  'run-reader',
  'remove-reader',
]);

type Request = Readonly<Record<string, unknown>>;

/** A script of the product, told by its whole text, and its request; nothing else is ever answered. */
export function scriptOf({
  program,
  script,
  input,
}: ReceivedCommand): { readonly name: HostScript; readonly request: Request } | undefined {
  if (program !== 'powershell.exe' || script !== `$ProgressPreference = 'SilentlyContinue'\n${text('bootstrap')}`)
    return undefined;
  const lines = input.toString('latin1').split('\n');
  const part = (mark: string): string =>
    Buffer.from(
      lines
        .filter((line) => line.startsWith(mark))
        .map((line) => line.slice(1))
        .join(''),
      'base64',
    ).toString('utf8');
  const sent = part('s');
  const name = names.find((each) => sent === `${text('common')}\n${text(each)}`);
  return name === undefined ? undefined : { name, request: JSON.parse(part('r')) as Request };
}

class Refusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Answers a script as its documented calls would on this node. `fails`: what it starts is accepted and fails afterwards. */
export function answerScript(
  world: HypervWorld,
  node: string,
  name: HostScript,
  request: Request,
  fails: boolean,
): CommandAnswer {
  try {
    return { stdout: `${JSON.stringify(outcome(world, node, name, request, fails))}\r\n` };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { stdout: `${JSON.stringify({ error: { code: error.code, message: error.message } })}\r\n`, exitCode: 3 };
  }
}

function outcome(world: HypervWorld, node: string, name: HostScript, request: Request, fails: boolean): unknown {
  const vms = world.vms.filter((vm) => vm.node === node);
  const vm = (): RigVm => {
    const found = vms.find(({ id }) => id === request['vmId']);
    if (found === undefined) throw new Refusal('source.vm-not-found', `${node} has no VM ${String(request['vmId'])}`);
    return found;
  };
  const known = (id: string): boolean => (request['known'] as readonly string[]).includes(id);
  switch (name) {
    case 'read-host':
      return {
        name: node,
        domain: 'WORKGROUP',
        inDomain: false,
        system: 'Microsoft Windows Server 2022 Standard',
        build: 20_348,
        powershell: '5.1.20348.1',
        hasModule: true,
        hasService: true,
        isAdministrator: true,
        isHyperVAdministrator: false,
        executionPolicy: 'Bypass',
        appLocker: [],
        firewall: [],
        time: new Date().toISOString(),
        cluster:
          world.clusterName === undefined
            ? null
            : { name: world.clusterName, nodes: world.nodes, down: world.nodesDown },
        ...world.hostFacts,
        ...world.nodeFacts.get(node),
      };
    case 'read-vms': {
      const ids = request['ids'] as readonly string[] | null;
      const asked = vms.filter(({ id }) => ids === null || ids.includes(id));
      const failed = asked.flatMap(({ id, facts: { name, problem } }) =>
        problem === undefined ? [] : [{ id, name, problem }],
      );
      return {
        host: node,
        vms: asked.filter(({ facts }) => facts.problem === undefined).map(describe),
        failed: failed.length === 1 ? failed[0] : failed,
      };
    }
    case 'read-state': {
      const one = vm();
      const status = one.merging > 0 ? 32772 : 2;
      const paths = one.disks.map((disk) => one.livePath(disk));
      one.merging = Math.max(0, one.merging - 1);
      return {
        host: node,
        time: new Date().toISOString(),
        state: 2,
        status,
        paths,
        checkpoints: one.checkpoints.map(checkpointFact),
        referencePoints: one.referencePoints,
      };
    }
    case 'read-history': {
      const { powerLosses = [], problem = '' } = world.history.get(node) ?? {};
      return { host: node, unclean: powerLosses.filter((time) => time > String(request['since'])), problem };
    }
    case 'take-checkpoint': {
      const one = vm();
      const { claim, attempt } = request;
      const unnamed = one.checkpoints.filter(
        (each) =>
          !known(each.id) &&
          !each.name.startsWith('Causeway ') &&
          (claim === null ? Number(attempt) > 1 : each.id === claim),
      );
      if (unnamed.length > 1) throw new Refusal('source.vm-busy', 'another program takes checkpoints of the VM');
      let checkpoint = one.checkpoints.find((each) => each.name === request['name']) ?? unnamed[0];
      if (checkpoint === undefined) {
        if (request['level'] === 1 && !one.facts.hasIntegrationServices)
          throw new Refusal(
            'source.quiesce-failed',
            'the checkpoint failed with 32768: the guest has no integration services',
          );
        if (fails)
          throw new Refusal(
            request['level'] === 1 ? 'source.quiesce-failed' : 'source.snapshot-failed',
            'the checkpoint failed with 32768',
          );
        checkpoint = one.takeCheckpoint(undefined, Number(request['level']));
      }
      if (checkpoint.name !== request['name'])
        [checkpoint.name, checkpoint.notes] = [String(request['name']), String(request['notes'])];
      return { host: node, checkpoint: checkpointFact(checkpoint) };
    }
    case 'convert-checkpoint': {
      const one = vm();
      if (fails) throw new Refusal('source.snapshot-failed', 'the conversion to a reference point failed with 32768');
      const before = one.referencePoints.map(({ id }) => id);
      const isConverted = one.convert(String(request['checkpointId']));
      if (isConverted)
        for (const { id } of one.referencePoints) if (!before.includes(id)) one.ownReferencePoints.add(id);
      const mayBeDone = request['mayBeDone'] === true || Number(request['attempt']) > 1;
      const points = one.referencePoints.filter(({ id }) =>
        isConverted ? !before.includes(id) : mayBeDone && !known(id),
      );
      return { referencePoint: points.length === 1 ? points[0] : null };
    }
    case 'remove-checkpoint':
      if (fails) throw new Refusal('source.request-refused', 'removing the checkpoint failed with 32768');
      vm().removeCheckpoint(String(request['checkpointId']));
      return { removed: true };
    case 'remove-reference-point':
      if (fails) throw new Refusal('source.request-refused', 'destroying the reference point failed with 32768');
      vm().removeReferencePoint(String(request['referencePointId']));
      return { removed: true };
    case 'changed-ranges': {
      const map = world.file(String(request['path']))?.changes.get(String(request['trackingId']));
      if (map === undefined) return { refused: 32773 };
      // Less than was asked for in one answer, as the call may do.
      const [offset, end] = [Number(request['offset']), Number(request['end'])];
      const next = Math.min(end, offset + 10 * 2 ** 20);
      return { next, ranges: runs(map, trackedBytes, offset, next).join(' ') };
    }
    case 'used-blocks': {
      const file = world.file(String(request['path']));
      return file === undefined
        ? { reason: 'Could not find file' }
        : { ranges: runs(file.used, blockBytes, 0, file.content.length).join(' ') };
    }
    case 'stop-vm': {
      const one = vm();
      const before = one.facts.state;
      if (request['ask'] === true) {
        if (!one.facts.hasIntegrationServices)
          throw new Refusal('source.shutdown-refused', 'the integration services of the guest do not run');
        one.facts.state = 'off';
      }
      return { state: request['ask'] === true ? before : one.facts.state };
    }
    default:
      throw new Error(`the rig has no answer to ${name}`);
  }
}

const ofDisk = ({
  identifier,
  format,
  chain,
  type,
}: RigDisk): Pick<FrozenFile, 'identifier' | 'format' | 'chain' | 'type'> => ({ identifier, format, chain, type });

function runs(map: Uint8Array, unit: number, from: number, to: number): readonly string[] {
  return Array.from(map).flatMap((marked, index) => {
    const [offset, end] = [Math.max(from, index * unit), Math.min(to, (index + 1) * unit)];
    return marked === 1 && end > offset ? [`${offset}+${end - offset}`] : [];
  });
}

function fileFact(
  path: string,
  { identifier, format, chain, type }: Pick<FrozenFile, 'identifier' | 'format' | 'chain' | 'type'>,
  sizeBytes: number,
): Request {
  // A list of one comes without brackets.
  return {
    path,
    identifier,
    sizeBytes,
    fileBytes: 4 * 2 ** 20,
    format,
    type: chain.length > 0 ? 'differencing' : type,
    chain: chain.length === 1 ? chain[0] : chain,
  };
}

function checkpointFact({ id, name, notes, createdAt, files }: RigVm['checkpoints'][number]): Request {
  // A list of one comes without brackets, and in an order of its own.
  const disks = files.map((file) => fileFact(file.path, file, file.content.length)).reverse();
  return { id, name, notes, createdAt, disks: disks.length === 1 ? disks[0] : disks };
}

function describe(vm: RigVm): Request {
  const { hasIntegrationServices: _, problem: __, drives, ...facts } = vm.facts;
  return {
    id: vm.id,
    ...facts,
    status: vm.merging > 0 ? 32772 : 2,
    processors: 2,
    memoryBytes: 2 ** 31,
    isClustered: false,
    systemVersion: '6.1',
    disks: [
      ...vm.disks.map((disk, index) => ({
        controller: 'scsi',
        number: 0,
        location: index,
        path: vm.livePath(disk),
        physicalDisk: null,
        isShared: false,
        file: fileFact(
          vm.livePath(disk),
          vm.livePath(disk) === disk.path ? disk : { ...ofDisk(disk), chain: [disk.path, ...disk.chain] },
          disk.sizeBytes,
        ),
      })),
      ...drives,
    ],
  };
}
