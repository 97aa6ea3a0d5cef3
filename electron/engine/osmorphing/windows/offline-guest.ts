import { readFile } from 'node:fs/promises';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { agentWish, commonWishes, morphByProgram, type MorphOutcome, type MorphRequest } from '../morph-linux-guest.ts';
import type { InspectOptions } from '../inspection.ts';
import type { Fetched, MorphOptions } from '../options.ts';
import type { WorkerProgram } from '../worker-program.ts';
import { initAgentConfiguration, type InitAgentWishes } from './init-agent.ts';
import { isXenAlone } from './windows-mode.ts';
import { powershellFile } from './powershell-files.ts';

/**
 * Prepares a Windows installation from outside, on a Linux worker: drivers, driver database, services, guest
 * initialization agent and first-boot scripts through ntfs-3g and hivex. No Windows is needed for it.
 *
 * @throws `osmorphing.*`, `transport.*`, or the signal's reason
 */
export function morphWindowsOffline(request: MorphRequest): Promise<MorphOutcome> {
  return morphByProgram(request, { mount: 'windows-mount', prepare: 'windows-prepare', wishes });
}

async function wishes(program: WorkerProgram, options: MorphOptions, signal: AbortSignal): Promise<JsonObject> {
  const { windows } = options;
  if (windows === undefined || (windows.virtioDisc === undefined && !isXenAlone(options.diskBuses)))
    throw new CausewayError('osmorphing.drivers-missing', 'no VirtIO driver ISO was given');
  return {
    ...commonWishes(options),
    ...(await texts(options)),
    ...(windows.virtioDisc === undefined
      ? {}
      : { virtioDisc: await bring(program, 'virtio.iso', windows.virtioDisc, signal) }),
    ...(await agentWish(program, options, signal)),
    ...(windows.initAgent === undefined
      ? {}
      : {
          initAgent: await bring(program, 'init-agent.zip', windows.initAgent, signal),
        }),
  };
}

/** What is written into a guest whatever else it is prepared with. */
async function texts(options: MorphOptions): Promise<JsonObject> {
  return {
    firstBootScripts: {
      network: await powershellFile('first-boot-network'),
      drivers: await powershellFile('first-boot-drivers'),
      sourceTools: await powershellFile('first-boot-source-tools'),
      hyperv: await powershellFile('first-boot-hyperv'),
      networkProfile: await powershellFile('first-boot-network-profile'),
      runner: await powershellFile('first-boot-runner'),
      oldCards: await powershellFile('first-boot-old-cards'),
      clock: await powershellFile('first-boot-clock'),
      packages: await powershellFile('first-boot-packages'),
      crashes: await powershellFile('first-boot-crashes'),
    },
    agentConfiguration: initAgentConfiguration(agentWishes(options)),
  };
}

/** What the plan of a preparation needs besides the request of an inspection. */
export async function windowsPlanRequest(options: InspectOptions): Promise<JsonObject> {
  return { ...(await texts({ ...options, nics: [] })), hypervisor: options.hypervisor ?? 'kvm' };
}

/** With the defaults of the specification. */
export function agentWishes({
  retainUserCredentials = false,
  setDhcp = true,
  preserveHostname = true,
  datasources,
}: MorphOptions): InitAgentWishes {
  return { retainUserCredentials, setDhcp, preserveHostname, datasources };
}

async function bring(program: WorkerProgram, name: string, wanted: Fetched, signal: AbortSignal): Promise<JsonObject> {
  if ('url' in wanted) return { ...wanted };
  const bytes = await readFile(wanted.file).catch((error: unknown) => {
    throw new CausewayError('general.invalid-input', `${wanted.file} cannot be read`, { cause: error });
  });
  return { path: await program.putFile(name, bytes, signal) };
}
