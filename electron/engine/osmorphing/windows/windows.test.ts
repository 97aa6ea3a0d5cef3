import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discFolders } from './disc-folders.ts';
import { initAgentConfiguration } from './init-agent.ts';
import { powershellFile } from './powershell-files.ts';
import { hasSourceServices, hybridServices, registryValues, sourceDrivers, sourceFilters, sourceServices, stayingTools, withoutSourceDrivers } from './service-values.ts';
import { staticCards } from './static-network.ts';
import { windowsMaterial, windowsModeOf } from './windows-mode.ts';
import { quoted } from '../../transport/winrm/winrm-connection.ts';
import { attribute, bodyOf, child, createShell, envelope, faultOf, outputOf, startCommand, textOf } from '../../transport/winrm/ws-man-messages.ts';

describe('the way to prepare a Windows guest', () => {
  it('is as asked, else by a Windows worker if there is an image for one', () => {
    expect(windowsModeOf('offline', { hasWindowsWorkerImage: true }, false)).toBe('offline');
    expect(windowsModeOf(undefined, { hasWindowsWorkerImage: true }, false)).toBe('worker');
    expect(windowsModeOf(undefined, { hasWindowsWorkerImage: false }, false)).toBe('offline');
    expect(windowsModeOf('worker', { hasWindowsWorkerImage: false }, false)).toBe('worker');
  });

  it('is offline where a volume has to be unlocked', () => {
    expect(windowsModeOf(undefined, { hasWindowsWorkerImage: true }, true)).toBe('offline');
    expect(windowsModeOf('worker', { hasWindowsWorkerImage: true }, true)).toBe('worker');
  });

  it('takes drivers and agent from files, then from the environment, then from their public places', () => {
    expect(windowsMaterial({ windowsDriversUrl: 'https://a.example/v.iso' }, { initAgent: '/agent.zip' })).toEqual({
      virtioDisc: { url: 'https://a.example/v.iso' }, initAgent: { file: '/agent.zip' },
    });
    expect(windowsMaterial({}, {})).toMatchObject({ virtioDisc: { url: expect.stringMatching(/virtio-win\.iso$/) as string }, initAgent: { url: expect.stringMatching(/\.zip$/) as string } });
  });

  it('expects the digest that a URL ends with', () => {
    const digest = 'ab'.repeat(32);
    expect(windowsMaterial({ windowsAgentUrl: `https://a.example/a.zip#sha256=${digest}` }, {}).initAgent).toEqual({ url: 'https://a.example/a.zip', sha256: digest });
    expect(() => windowsMaterial({ windowsAgentUrl: 'https://a.example/a.zip#sha256=12' }, {})).toThrow('is not sha256= and 64');
    expect(windowsMaterial({ windowsDriversUrl: `https://a.example/v.iso#sha256=${digest}` }, {}).virtioDisc).toEqual({ url: 'https://a.example/v.iso', sha256: digest });
  });

  it('takes the newest folder of the disc that fits', () => {
    expect(discFolders([10, 0, 20348], true)[0]).toBe('2k22');
    expect(discFolders([10, 0, 19045], false)).toEqual(['w10', 'w8.1', 'w8', 'w7']);
    expect(discFolders([6, 0, 6002], true)).toEqual([]);
  });
});

describe('the agent\'s configuration', () => {
  const plugins = (wishes: Partial<Parameters<typeof initAgentConfiguration>[0]>): string =>
    /^plugins=(.*)\r$/m.exec(initAgentConfiguration({ retainUserCredentials: false, setDhcp: true, preserveHostname: true, ...wishes }))?.[1] ?? '';

  it('leaves accounts alone when credentials are retained, and addresses when they are static', () => {
    expect(plugins({})).toContain('SetUserPasswordPlugin');
    expect(plugins({ retainUserCredentials: true })).not.toMatch(/SetUserPassword|CreateUser|SetUserSSH/);
    expect(plugins({ setDhcp: false })).not.toContain('NetworkConfigPlugin');
    expect(plugins({ preserveHostname: false })).toContain('SetHostNamePlugin');
    expect(plugins({ retainUserCredentials: true, setDhcp: false })).toMatch(/LocalScriptsPlugin$/);
  });
});

describe('what a guest brings from its old platform', () => {
  const python = readFileSync(join(import.meta.dirname, '../../../../assets/worker/osmorphing/causeway_osmorphing/windows/source_tools.py'), 'utf8');
  /** The names that a table of the Linux worker has, by platform. */
  const table = (name: string): Record<string, string[]> => {
    const text = new RegExp(`^${name} = \\{(.*?)\\}$`, 'ms').exec(python)?.[1] ?? '';
    return Object.fromEntries([...text.matchAll(/'([^']+)': \(([^)]*)\)/g)].map(([, platform, names]) => [platform!, [...(names ?? '').matchAll(/'([^']+)'/g)].map(([, each]) => each!)]));
  };

  it('is the same to both ways of preparing it', () => {
    expect(table('_FILTERS')).toEqual(sourceFilters);
    expect(table('_DRIVERS')).toEqual(sourceDrivers);
    const services = table('_SERVICES');
    const unlike = (names: readonly string[]): string[] => [...new Set(names.map((each) => each.toLowerCase()))].toSorted();
    expect(unlike(Object.values(services).flat())).toEqual(unlike(sourceServices));
    expect(python).toContain(`_HYBRID = (${hybridServices.map((each) => `'${each}'`).join(', ')})`);
    expect(python).toContain(`_STAYING = {'xen': '${stayingTools.xen}'}`);
    for (const [platform, own] of [['hyperv', 'resource-group-cloud'], ['xen', 'xen']] as const) {
      const kept = sourceServices.filter((each) => !registryValues(false, { platform }).some(({ key }) => key === each));
      expect(unlike(kept)).toEqual(unlike(services[own] ?? []));
    }
  });

  it('leaves an agent alone that was registered for machines elsewhere', () => {
    const keys = registryValues(false, { platform: 'kvm', isRegistered: true }).map(({ key }) => key);
    expect(keys).toContain('Ec2Config');
    expect(keys).not.toContain('AmazonSSMAgent');
    expect(hasSourceServices({ AmazonSSMAgent: 2 }, { platform: 'kvm', isRegistered: true })).toBe(false);
    expect(hasSourceServices({ amazonssmagent: 2 }, { platform: 'kvm' })).toBe(true);
  });

  it('stays as it is where nothing of the source is in front of its devices', () => {
    expect(withoutSourceDrivers([{ key: 'Control\\Class\\{0}', name: 'UpperFilters', values: ['partmgr'] }], { partmgr: 0, xenpci: 4 }, 'kvm')).toEqual([]);
  });
});

describe('fixed addresses', () => {
  const one = { addresses: ['10.0.0.1'], masks: ['255.255.0.0'], gateways: ['10.0.0.254'], servers: [] };
  it('go to the card that had them', () => {
    expect(staticCards([one], [{ macAddress: 'aa-bb', addresses: ['10.0.0.1'] }])).toEqual({
      cards: [{ mac: 'AA:BB', addresses: [{ address: '10.0.0.1', mask: '255.255.0.0' }], gateways: ['10.0.0.254'], servers: [] }], warnings: [],
    });
    expect(staticCards([one], [{ macAddress: 'aa' }]).cards).toHaveLength(1);
    const unclear = staticCards([one], [{ macAddress: 'aa', addresses: ['10.7.7.7'] }]);
    expect([unclear.cards, unclear.warnings.length]).toEqual([[], 1]);
  });
});

describe('messages of Windows Remote Management', () => {
  it('carry any argument and any text as it is', () => {
    fc.assert(fc.property(fc.string({ unit: 'grapheme-ascii' }).filter((text) => text.trim() === text && text !== ''), (text) => {
      const body = bodyOf(envelope('https://host:5986/wsman', startCommand('shell', 'program', [text])));
      expect(textOf(child(child(body, 'CommandLine'), 'Arguments'))).toBe(text);
    }));
    expect(envelope('https://h:1/wsman', createShell)).toContain('/ws/2004/09/transfer/Create</a:Action>');
  });

  it('tell faults from a wait for output', () => {
    const fault = (code: string): string => `<E:Envelope xmlns:E="e"><E:Body><E:Fault><E:Reason><E:Text>words</E:Text></E:Reason><E:Detail><f:WSManFault xmlns:f="f" Code="${code}"/></E:Detail></E:Fault></E:Body></E:Envelope>`;
    expect(faultOf(bodyOf(fault('2150858793')))).toEqual({ isNoOutputYet: true, isShellGone: false, isAccessDenied: false, words: 'words' });
    expect(faultOf(bodyOf(fault('5')))).toEqual({ isNoOutputYet: false, isShellGone: false, isAccessDenied: true, words: 'words' });
    expect(faultOf(bodyOf(fault('2150858843')))).toEqual({ isNoOutputYet: false, isShellGone: true, isAccessDenied: false, words: 'words' });
    expect(() => bodyOf('<html>')).toThrow();
  });

  it('give output of both kinds and the exit code, negative ones too', () => {
    const body = bodyOf('<Envelope><Body><ReceiveResponse><Stream Name="stdout">YQ==</Stream><Stream Name="stderr">Yg==</Stream><Stream Name="stdout">Yw==</Stream><CommandState State="x/CommandState/Done"><ExitCode>4294967295</ExitCode></CommandState></ReceiveResponse></Body></Envelope>');
    const { stdout, stderr, exitCode } = outputOf(body);
    expect([stdout.toString(), stderr.toString(), exitCode]).toEqual(['ac', 'b', -1]);
    expect(attribute(child(child(body, 'ReceiveResponse'), 'CommandState'), 'State')).toContain('Done');
  });

  it('hold every worker script on one command line', async () => {
    for (const name of ['open-guest', 'add-drivers', 'install-agent', 'write-files', 'run-script', 'close-guest'] as const) {
      const script = `${await powershellFile('worker-functions')}\n${await powershellFile(name)}`;
      expect(Buffer.from(script, 'utf16le').toString('base64').length).toBeLessThan(32_000);
    }
  });

  it('quote texts for PowerShell', () => {
    expect(quoted('it\'s \u2019 $x')).toBe('\'it\'\'s \u2019\u2019 $x\'');
  });
});
