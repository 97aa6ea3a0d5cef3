import { z } from 'zod';
import { CausewayError, isErrorCode } from '../../../../shared/model/causeway-error.ts';
import type { GuestDiff, GuestDossier, GuestStep, ScriptOutput } from '../../../../shared/model/guest-preparation.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { MorphOutcome } from '../morph-linux-guest.ts';
import type { Fetched, MorphOptions, MorphStepEvent, UserScript } from '../options.ts';
import { readFile } from 'node:fs/promises';
import {
  compareVersions,
  discArchitectures,
  discDrivers,
  discFolders,
  requiredDrivers,
  storageDrivers,
} from './disc-folders.ts';
import { initAgentConfiguration, initAgentFolder } from './init-agent.ts';
import { agentWishes } from './offline-guest.ts';
import { powershellFile, type PowershellFile } from './powershell-files.ts';
import {
  dhcpValues,
  emulatedDiskValues,
  hasSourceServices,
  hypervValues,
  registryDiff,
  registryValues,
  stayingTools,
  stopAtBlueScreens,
  usbDoubt,
  virtioDiskValues,
  withoutSourceDrivers,
  type GuestPlatform,
} from './service-values.ts';
import { denials, oldPlatformSchema, settleOldPlatform } from './old-platform.ts';
import { interfacesSchema } from './ipv6-settings.ts';
import { fixedInterfaces, staticCards } from './static-network.ts';
import { isXenAlone } from './windows-mode.ts';
import { loginByWinrm, type WinrmLoginOptions } from './winrm-login.ts';
import type { WinrmConnection, WinrmTarget } from '../../transport/winrm/winrm-connection.ts';

/**
 * By its serial; or by its LUN and its size, where disks have no serials. Where they have neither, a guest's disks are all that are not the
 * worker's own: `among` counts those of one size. Which of them is which does not matter.
 */
export type WindowsDisk =
  | { readonly serial: string }
  | { readonly lun: number; readonly sizeBytes: number }
  | { readonly among: number; readonly sizeBytes: number };

export interface WinrmMorphRequest {
  /** The Windows worker. */
  readonly target: WinrmTarget;
  /** How the worker knows the VM's disks, the boot disk first. */
  readonly disks: readonly WindowsDisk[];
  readonly options: MorphOptions;
  readonly onStep?: (event: MorphStepEvent) => void;
  readonly onLog?: (line: string) => void;
  readonly signal: AbortSignal;
  readonly login?: WinrmLoginOptions;
}

const minute = 60_000;
const timeouts: Readonly<Partial<Record<PowershellFile, number>>> = {
  'open-guest': 15 * minute,
  'add-drivers': 90 * minute,
  'install-agent': 30 * minute,
};

const version = z.tuple([z.int(), z.int(), z.int()]);
const texts = z.preprocess(
  (value) => (value === null || value === undefined ? [] : Array.isArray(value) ? value : [value]),
  z.array(z.string()),
);
const interfaceKey = z.string().regex(/^\{[0-9A-Fa-f-]{36}\}$/);
const openedSchema = z.object({
  drive: z.string().regex(/^[A-Z]:$/),
  device: z.string(),
  uuid: z.string(),
  name: z.string(),
  version,
  server: z.boolean(),
  architecture: z.string(),
  hostname: z.string(),
  uefi: z.boolean(),
  services: z.record(z.string(), z.int()),
  worker: version,
  interfaces: z
    .array(
      z.object({
        guid: interfaceKey.optional(),
        name: z.string().default(''),
        suffix: z.string().default(''),
        addresses: texts,
        masks: texts,
        gateways: texts,
        servers: texts,
      }),
    )
    .default([]),
  withServers: z.preprocess(
    (value) => (value === null || value === undefined ? [] : Array.isArray(value) ? value : [value]),
    z.array(interfaceKey),
  ),
  filters: z
    .array(
      z.object({
        key: z.string().regex(/^Control\\Class\\[^\\]+$/),
        name: z.enum(['UpperFilters', 'LowerFilters']),
        values: texts,
      }),
    )
    .default([]),
  wasPrivate: z.boolean().default(false),
  isRegistered: z.boolean().default(false),
  crashes: z.object({ restarts: z.int(), kept: z.boolean() }).default({ restarts: 0, kept: false }),
});
type Opened = z.infer<typeof openedSchema>;
const addedSchema = z.object({ added: texts, laidDown: texts.default([]), doubts: texts.default([]) });
const copiedSchema = z.object({ copied: texts, failed: texts, shown: z.boolean().default(false) });
const laidDownSchema = z.object({ laidDown: z.boolean(), why: z.string() });
const setSchema = z.object({
  set: z
    .array(
      z.object({
        hive: z.enum(['SYSTEM', 'SOFTWARE']).default('SYSTEM'),
        key: z.string(),
        name: z.string(),
        before: z.string().nullable(),
        after: z.string().nullable(),
      }),
    )
    .default([]),
});
const writtenSchema = z.object({ changed: z.array(z.object({ path: z.string(), existed: z.boolean() })).default([]) });
const ranSchema = z.object({ exitCode: z.int(), output: z.string() });
const refusedSchema = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

/**
 * Prepares the Windows installation on the disks of a Windows worker: drivers by DISM, agent and services through its
 * registry, first-boot scripts. In any case its disks are released afterwards (unless `keepMountedOnFailure`).
 *
 * @throws `osmorphing.*`, `transport.*`, or the signal's reason
 */
export async function morphWindowsByWinrm(request: WinrmMorphRequest): Promise<MorphOutcome> {
  const startedAt = performance.now();
  const connection = await loginByWinrm(request.target, request.login ?? {}, request.signal);
  let isKept = false;
  try {
    return {
      ...(await new WindowsWorker(connection, request).prepare()),
      seconds: (performance.now() - startedAt) / 1000,
    };
  } catch (error) {
    isKept = request.options.keepMountedOnFailure === true && !request.signal.aborted;
    const isLost = error instanceof CausewayError && error.code === 'transport.lost';
    if (!isKept && !isLost)
      await closeGuest(connection, request.disks).catch((left: unknown) => request.onLog?.(String(left)));
    throw error;
  } finally {
    await connection.close();
  }
}

/** Not stopped by the caller's signal: what was opened must be closed, especially after a cancel. */
async function closeGuest(connection: WinrmConnection, disks: readonly WindowsDisk[]): Promise<void> {
  await ask(
    connection,
    'close-guest',
    { disks: [...disks] },
    z.object({ closed: z.literal(true) }),
    AbortSignal.timeout(5 * minute),
  );
}

class WindowsWorker {
  readonly #connection: WinrmConnection;
  readonly #request: WinrmMorphRequest;
  readonly #steps: GuestStep[] = [];
  readonly #warnings: string[] = [];
  readonly #scripts: ScriptOutput[] = [];
  #fixedAddresses: MorphOutcome['fixedAddresses'] = [];

  constructor(connection: WinrmConnection, request: WinrmMorphRequest) {
    this.#connection = connection;
    this.#request = request;
  }

  async prepare(): Promise<Omit<MorphOutcome, 'seconds'>> {
    const { options, disks } = this.#request;
    const hypervisor = options.hypervisor ?? 'kvm';
    const before = options.scripts?.beforeMount ?? [];
    if (before.length > 0)
      await this.#step('scripts-before-mount', 'Run scripts on the worker', () => this.#runScripts(before, ''));
    let opened: Opened | undefined;
    await this.#step('open-guest', 'Open the installation', async () => {
      opened = await this.#ask('open-guest', { disks: [...disks], root: options.root ?? null }, openedSchema);
      refuseUnfit(opened);
      return [false, [`${opened.name} on ${opened.device}`]];
    });
    if (opened === undefined) throw new CausewayError('general.bug', 'the installation was not opened');
    const guest: Opened = opened;
    const inGuest = options.scripts?.inGuest ?? [];
    if (inGuest.length > 0)
      await this.#step('scripts-in-guest', 'Run scripts in the guest', () => this.#runScripts(inGuest, guest.drive));
    let added: readonly string[] = [];
    let laidDown: readonly string[] = [];
    let set: z.infer<typeof setSchema>['set'] = [];
    if (hypervisor === 'hyperv') {
      await this.#step('install-drivers', 'Start the drivers of Hyper-V', async () => {
        ({ set } = await this.#ask(
          'install-agent',
          { drive: guest.drive, agent: null, values: hypervValues(guest.services), openRemoteDesktop: true },
          setSchema,
        ));
        return [set.length > 0, set.map((each) => `${each.key} ${each.name}`)];
      });
    } else if (isXenAlone(options.diskBuses)) {
      await this.#step('install-drivers', 'Install drivers for Xen', async () => {
        if (options.windows?.virtioDisc === undefined)
          return [false, ['no disc with drivers for Xen was given: the emulated disks and network cards are used']];
        ({ added } = await this.#ask(
          'add-drivers',
          {
            ...(await this.#bring('causeway-virtio.iso', options.windows.virtioDisc)),
            drive: guest.drive,
            whole: true,
          },
          addedSchema,
        ));
        return [added.length > 0, [...added]];
      });
    } else {
      await this.#step('install-drivers', 'Install VirtIO drivers', async () => {
        ({ added, laidDown } = await this.#addDrivers(guest));
        return [
          added.length > 0,
          [...added, ...laidDown.map((name) => `${name}, which is installed at the first boot`)],
        ];
      });
    }
    if (guest.uefi) {
      await this.#step('ensure-efi-loader', 'Provide the UEFI fallback boot loader', async () => {
        const { copied, failed, shown } = await this.#ask(
          'ensure-loader',
          { disks: [...disks], architecture: guest.architecture },
          copiedSchema,
        );
        for (const message of failed) this.#warn(message);
        return [
          copied.length > 0 || shown,
          [
            ...copied.map((path) => `copied the boot loader of Windows to ${path}`),
            ...(shown ? ['Windows shows its start on the screen'] : []),
          ],
        ];
      });
    }
    await this.#step('settle-old-platform', 'Take out settings of the old platform', async () => {
      const found = await this.#ask(
        'read-old-platform',
        { drive: guest.drive, disks: [...disks], denials: [...denials] },
        oldPlatformSchema,
      );
      const { values, notes, warnings } = settleOldPlatform(found, guest.services, options.datasources);
      for (const message of warnings) this.#warn(message);
      if (values.length === 0) return [false, []];
      const done = await this.#ask(
        'install-agent',
        { drive: guest.drive, agent: null, values: [...values] },
        setSchema,
      );
      set = [...set, ...done.set];
      return [done.set.length > 0, [...notes]];
    });
    if (options.diskBuses?.[0] === 'usb') this.#warn(usbDoubt);
    const agent = this.#agentFor(guest);
    await this.#step('install-agent', 'Install the guest initialization agent', async () => {
      const done = await this.#ask(
        'install-agent',
        {
          drive: guest.drive,
          agent: agent === undefined ? null : await this.#bring('causeway-init-agent.zip', agent),
          values: [
            ...registryValues(
              agent !== undefined,
              { platform: platformOf(options), isRegistered: guest.isRegistered },
              options.datasources,
            ),
            ...emulatedDiskValues(guest.services, options),
            ...(hypervisor === 'hyperv' || isXenAlone(options.diskBuses) ? [] : virtioDiskValues(storageDrivers)),
            ...withoutSourceDrivers(guest.filters, guest.services, platformOf(options)),
            ...(agent === undefined ? [] : stopAtBlueScreens(guest.crashes.restarts)),
            ...(options.setDhcp === false
              ? []
              : dhcpValues(
                  guest.interfaces.flatMap(({ guid }) => guid ?? []),
                  guest.withServers,
                )),
          ],
        },
        setSchema,
      );
      set = [...set, ...done.set];
      return [done.set.length > 0, done.set.map((each) => `${each.key} ${each.name}`)];
    });
    let written: z.infer<typeof writtenSchema>['changed'] = [];
    await this.#step('install-first-boot-scripts', 'Install scripts for the first boot', async () => {
      const hasPackage = await this.#layDownPackage(guest, agent !== undefined);
      const files = await this.#files(guest, {
        hasAgent: agent !== undefined,
        hasPrograms: laidDown.length > 0,
        hasPackage,
      });
      if (files.length > 0)
        ({ changed: written } = await this.#ask('write-files', { drive: guest.drive, files }, writtenSchema));
      return [
        written.length > 0,
        [
          ...(hasPackage ? ["the destination's agent is installed at the first boot"] : []),
          ...written.map(({ path }) => path),
        ],
      ];
    });
    await this.#step('close-guest', 'Release the disks', async () => {
      await closeGuest(this.#connection, disks);
      return [false, []];
    });
    return {
      dossier: dossierOf(guest),
      steps: this.#steps,
      diff: diffOf(guest, added, set, written),
      warnings: this.#warnings,
      scripts: this.#scripts,
      fixedAddresses: this.#fixedAddresses,
    };
  }

  async #addDrivers(guest: Opened): Promise<z.infer<typeof addedSchema>> {
    const { windows } = this.#request.options;
    if (windows?.virtioDisc === undefined)
      throw new CausewayError('osmorphing.drivers-missing', 'no VirtIO driver ISO was given');
    const done = await this.#ask(
      'add-drivers',
      {
        ...(await this.#bring('causeway-virtio.iso', windows.virtioDisc)),
        drive: guest.drive,
        drivers: [...discDrivers],
        required: [...requiredDrivers],
        storage: [...storageDrivers],
        needsUpdate: guest.version[0] === 6 && guest.version[1] === 1,
        folders: [...discFolders(guest.version, guest.server)],
        architecture: discArchitecture(guest),
      },
      addedSchema,
    );
    for (const doubt of done.doubts) this.#warn(doubt);
    return done;
  }

  /** The files that the agent's service finds: its configuration, and what runs on the first boot. */
  async #files(
    guest: Opened,
    { hasAgent, hasPrograms, hasPackage }: Readonly<Record<'hasAgent' | 'hasPrograms' | 'hasPackage', boolean>>,
  ): Promise<JsonObject[]> {
    const { options } = this.#request;
    const file = (path: string, text: string): JsonObject => ({
      path,
      content: Buffer.from(text.replace(/\r?\n/g, '\r\n')).toString('base64'),
    });
    const scripts = `${initAgentFolder.slice(3)}\\FirstBoot`;
    const files: JsonObject[] = [];
    const later: JsonObject[] = [];
    if (hasAgent)
      files.push(
        file(`${initAgentFolder.slice(3)}\\conf\\cloudbase-init.conf`, initAgentConfiguration(agentWishes(options))),
      );
    if (options.setDhcp === false) {
      const found = await this.#ask('read-interfaces', { drive: guest.drive }, interfacesSchema);
      const { cards, warnings } = staticCards(fixedInterfaces(guest.interfaces, found), options.nics);
      for (const warning of warnings) this.#warn(warning);
      this.#fixedAddresses = cards
        .filter(({ addresses }) => addresses.length > 0)
        .map(({ mac, addresses }) => ({
          macAddress: mac.toLowerCase(),
          addresses: addresses.map(({ address }) => address),
        }));
      if (cards.length > 0) {
        later.push(
          file(
            `${scripts}\\10-causeway-network.ps1`,
            (await powershellFile('first-boot-network')).replace('{{cards}}', () =>
              JSON.stringify(cards, undefined, 1),
            ),
          ),
        );
      }
    }
    if (hasAgent && guest.wasPrivate)
      later.push(
        file(`${scripts}\\15-causeway-network-profile.ps1`, await powershellFile('first-boot-network-profile')),
      );
    if (hasAgent && (guest.crashes.restarts !== 0 || guest.crashes.kept))
      later.push(file(`${scripts}\\29-causeway-crashes.ps1`, await powershellFile('first-boot-crashes')));
    if (hasAgent && hasPrograms)
      later.push(file(`${scripts}\\05-causeway-drivers.ps1`, await powershellFile('first-boot-drivers')));
    if (hasAgent) {
      later.push(
        file(`${scripts}\\08-causeway-old-cards.ps1`, await powershellFile('first-boot-old-cards')),
        file(`${scripts}\\25-causeway-clock.ps1`, await powershellFile('first-boot-clock')),
      );
    }
    if (hasPackage)
      later.push(file(`${scripts}\\28-causeway-packages.ps1`, await powershellFile('first-boot-packages')));
    if (
      hasAgent &&
      hasSourceServices(guest.services, { platform: platformOf(options), isRegistered: guest.isRegistered })
    ) {
      later.push(
        file(
          `${scripts}\\20-causeway-source-tools.ps1`,
          (await powershellFile('first-boot-source-tools')).replace(
            '{{staying}}',
            () => stayingTools[platformOf(options)],
          ),
        ),
      );
    }
    if (hasAgent && options.hypervisor === 'hyperv')
      later.push(file(`${scripts}\\30-causeway-serial-console.ps1`, await powershellFile('first-boot-hyperv')));
    for (const [index, { name, content }] of (options.scripts?.firstBoot ?? []).entries()) {
      const plain = name.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 80);
      later.push(
        file(
          `${scripts}\\50-${String(index).padStart(2, '0')}-${/\.(ps1|cmd|bat|py|exe)$/i.test(plain) ? plain : `${plain}.ps1`}`,
          content,
        ),
      );
    }
    if (!hasAgent && later.length > 0)
      throw new CausewayError(
        'osmorphing.init-agent-missing',
        'first-boot scripts need the guest initialization agent',
      );
    if (later.length === 0) return files;
    return [
      ...files,
      ...later,
      file(`${initAgentFolder.slice(3)}\\LocalScripts\\00-causeway.ps1`, await powershellFile('first-boot-runner')),
    ];
  }

  /** The destination's agent, if it is an installer of Windows; what a platform offers by itself is for Linux. Returns whether it is installed at the first boot. */
  async #layDownPackage(guest: Opened, hasAgent: boolean): Promise<boolean> {
    const { agent: wanted } = this.#request.options;
    if (wanted === undefined || !/\.msi$/i.test('file' in wanted ? wanted.file : new URL(wanted.url).pathname))
      return false;
    if (!hasAgent) {
      this.#warn("nothing would install the destination's agent at the first boot: install it by hand");
      return false;
    }
    const given: Fetched =
      'file' in wanted
        ? { file: wanted.file }
        : { url: wanted.url, ...(wanted.sha256 === undefined ? {} : { sha256: wanted.sha256 }) };
    const { laidDown, why } = await this.#ask(
      'lay-down-package',
      {
        ...(await this.#bring('causeway-package.msi', given)),
        drive: guest.drive,
        target: `${initAgentFolder.slice(3)}\\FirstBoot\\packages\\platform-agent.msi`,
      },
      laidDownSchema,
    );
    if (!laidDown) this.#warn(`the destination's agent is not installed: ${why}`);
    return laidDown;
  }

  #agentFor(guest: Opened): Fetched | undefined {
    const { windows, cloudInit } = this.#request.options;
    const why =
      windows?.initAgent === undefined
        ? 'no guest initialization agent was given'
        : guest.architecture.toLowerCase() === 'amd64'
          ? undefined
          : `the guest initialization agent is for x86_64, the guest is ${guest.architecture}`;
    if (why === undefined) return windows?.initAgent;
    if (cloudInit !== 'if-possible') throw new CausewayError('osmorphing.init-agent-missing', why);
    this.#warn(why);
    return undefined;
  }

  async #runScripts(scripts: readonly UserScript[], drive: string): Promise<[boolean, string[]]> {
    for (const { name, content, timeoutSeconds } of scripts) {
      const timeoutMs = (timeoutSeconds ?? 600) * 1000;
      const { exitCode, output } = await this.#ask(
        'run-script',
        { content, drive, disks: [...this.#request.disks] },
        ranSchema,
        timeoutMs,
      );
      if (exitCode !== 0) {
        throw new CausewayError(
          'osmorphing.script-failed',
          `${name} exited with ${exitCode}: ${output.trim().slice(-600)}`,
          { details: { script: name, exitCode, output } },
        );
      }
      this.#scripts.push({ script: name, exitCode, output });
    }
    return [true, scripts.map(({ name }) => `ran ${name}`)];
  }

  /** Where the worker finds something: behind a URL, or where it was put. */
  async #bring(name: string, wanted: Fetched): Promise<JsonObject> {
    if ('url' in wanted) return { ...wanted };
    const path = `C:\\Windows\\Temp\\${name}`;
    await this.#connection.upload(path, await readFile(wanted.file), this.#request.signal);
    return { path };
  }

  #ask<Schema extends z.ZodType>(
    name: PowershellFile,
    question: JsonObject,
    schema: Schema,
    timeoutMs?: number,
  ): Promise<z.infer<Schema>> {
    return ask(this.#connection, name, question, schema, this.#request.signal, timeoutMs);
  }

  #warn(message: string): void {
    this.#warnings.push(message);
    this.#request.onLog?.(message);
  }

  async #step(step: string, title: string, run: () => Promise<[boolean, string[]]>): Promise<void> {
    const startedAt = performance.now();
    const seconds = (): number => Math.round(performance.now() - startedAt) / 1000;
    this.#request.onStep?.({ step, title, state: 'running' });
    try {
      const [changed, notes] = await run();
      const done = { step, title, seconds: seconds(), changed, notes };
      this.#steps.push(done);
      this.#request.onStep?.({ ...done, state: 'done' });
    } catch (error) {
      this.#request.onStep?.({ step, title, state: 'failed', seconds: seconds() });
      throw error;
    }
  }
}

function platformOf({ diskBuses = [], hypervisor = 'kvm' }: MorphOptions): GuestPlatform {
  return diskBuses.includes('xen') ? 'xen' : hypervisor;
}

/** Runs one of our scripts with its request on standard input, and takes its answer, the last line that it prints. */
async function ask<Schema extends z.ZodType>(
  connection: WinrmConnection,
  name: PowershellFile,
  question: JsonObject,
  schema: Schema,
  signal: AbortSignal,
  timeoutMs = timeouts[name] ?? 10 * minute,
): Promise<z.infer<Schema>> {
  const script = `${await powershellFile('worker-functions')}\n${await powershellFile(name)}`;
  const { exitCode, stdout, stderr } = await connection.powershell(script, {
    signal,
    timeoutMs,
    input: Buffer.from(asciiJson(question)),
  });
  const answer = parsedLine(stdout);
  const refused = refusedSchema.safeParse(answer);
  if (refused.success) {
    const { code, message } = refused.data.error;
    throw new CausewayError(isErrorCode(code) ? code : 'osmorphing.command-failed', message);
  }
  if (exitCode !== 0)
    throw new CausewayError(
      'osmorphing.command-failed',
      `${name} exited with ${exitCode}: ${stderr.trim().slice(-600) || stdout.trim().slice(-300)}`,
      { details: { exitCode } },
    );
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new CausewayError(
    'osmorphing.program-failed',
    `the response to ${name} is not valid: ${z.prettifyError(parsed.error).slice(0, 500)}`,
  );
}

/** JSON in the characters that all code pages share. */
function asciiJson(value: JsonObject): string {
  return `${JSON.stringify(value).replace(/[\u0080-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

function parsedLine(stdout: string): unknown {
  try {
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  } catch {
    return undefined;
  }
}

function refuseUnfit(guest: Opened): void {
  const told = `${guest.name} (${guest.version.join('.')})`;
  if (compareVersions(guest.version, [6, 1, 0]) < 0)
    throw new CausewayError('osmorphing.not-supported', `${told} is older than Windows 7`);
  discArchitecture(guest);
  // DISM does not know images that are newer than itself.
  if (compareVersions(guest.worker, guest.version) < 0) {
    throw new CausewayError(
      'osmorphing.not-supported',
      `the worker is Windows ${guest.worker.join('.')}, older than the guest, ${told}; choose a newer worker image`,
    );
  }
}

function discArchitecture(guest: Opened): string {
  const found = discArchitectures[guest.architecture.toLowerCase()];
  if (found === undefined)
    throw new CausewayError('osmorphing.not-supported', `${guest.name} is for ${guest.architecture}`);
  return found;
}

function dossierOf(guest: Opened): GuestDossier {
  const device = { path: guest.device, kind: 'partition', content: 'ntfs', uuid: guest.uuid } as const;
  const written = guest.version.join('.');
  const architecture =
    { amd64: 'x86_64', x86: 'i386', arm64: 'aarch64' }[guest.architecture.toLowerCase()] ?? guest.architecture;
  return {
    distribution: 'windows',
    version: written,
    name: guest.name,
    family: 'windows',
    architecture,
    hostname: guest.hostname,
    root: { ...device, id: guest.uuid, distribution: 'windows', version: written, name: guest.name },
    mounts: { 'C:': device },
    kernels: [written],
    bootloader: 'bootmgr',
    firmware: guest.uefi ? 'uefi' : 'bios',
    init: 'windows',
    network: ['registry'],
    selinux: 'absent',
    cloudInit: 'cloudbase-init' in guest.services ? 'installed' : null,
    hypervisorTools: {},
  };
}

/** What our own steps changed. What DISM changes in driver store and registry is its own matter; its drivers are listed. */
function diffOf(
  guest: Opened,
  added: readonly string[],
  set: z.infer<typeof setSchema>['set'],
  written: z.infer<typeof writtenSchema>['changed'],
): GuestDiff {
  const none = { added: {}, removed: {}, changed: {} };
  const state = { kind: 'file', mode: '', owner: '', size: 0 } as const;
  const path = (each: { readonly path: string }): string => `/${each.path.replaceAll('\\', '/')}`;
  const starts = new Map(
    set
      .filter(({ name, after }) => name === 'Start' && after !== null)
      .map((each) => [each.key.split('\\').at(-1) ?? '', Number(each.after)]),
  );
  return {
    files: {
      added: written.filter(({ existed }) => !existed).map((each) => ({ ...state, path: path(each) })),
      removed: [],
      changed: written
        .filter(({ existed }) => existed)
        .map((each) => ({ path: path(each), before: state, after: state })),
    },
    packages: { ...none, added: Object.fromEntries(added.map((each) => [`driver ${each.split(' ')[0] ?? ''}`, each])) },
    services: {
      enabled: [...starts]
        .filter(([name, start]) => start <= 2 && (guest.services[name] ?? 4) > 2)
        .map(([name]) => name)
        .sort(),
      disabled: [...starts]
        .filter(([name, start]) => start > 2 && (guest.services[name] ?? 4) <= 2)
        .map(([name]) => name)
        .sort(),
    },
    users: none,
    sshPolicy: none,
    sshHostKeys: none,
    network: {},
    registry: registryDiff(set),
  };
}
