import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { windowsCommandLine, type WindowsCommandLine } from '../rigs/windows-node/windows-command-line.ts';
import { startWindowsNode, type WindowsNode } from '../rigs/windows-node/windows-node.ts';

const good =
  'destination:\n  plugin: european-cloud\n  environment:\n    network_map: {VM Network: prod}\n    availability_zone: zone-1\n    migr_network: mig\n    migr_machine_type: c1.2\n';
const faulty = `${good}    disk_buss: scsi\n`;
/** As editors of Windows save it. */
const crlf = (text: string): string => `\ufeff${text.replaceAll('\n', '\r\n')}`;

/** What `validate-cli.spec.ts` asks on Linux, as far as Windows differs: names of files, ends of lines, worker threads, refusals. */
describe("the command line on Windows' Node", () => {
  let windows: WindowsNode;
  let causeway: WindowsCommandLine;
  beforeAll(async () => {
    windows = await startWindowsNode();
    causeway = windowsCommandLine(windows);
    const wave = join(windows.home, 'Welle 1');
    mkdirSync(join(wave, 'many'), { recursive: true });
    writeFileSync(join(wave, 'gut.yaml'), crlf(good));
    writeFileSync(join(wave, 'faulty.yaml'), crlf(faulty));
    for (let index = 0; index < 300; index += 1)
      writeFileSync(join(wave, 'many', `${String(index).padStart(3, '0')}.yaml`), index % 7 === 0 ? faulty : good);
    const deep = join(
      windows.home,
      ...Array<string>(4).fill('a folder whose name alone has seventy characters, to pass 260 in sum x'),
    );
    mkdirSync(deep, { recursive: true });
    writeFileSync(join(deep, 'gut.yaml'), good);
  });
  afterAll(() => windows?.close());

  it('checks a folder by its name with backslashes, in worker threads, and names line and column in files with CRLF', async () => {
    const { status, stdout, stderr } = await causeway.run(['validate', 'Welle 1\\', '--format', 'json']);
    const { files, summary } = JSON.parse(stdout) as { files: { file: string; valid: boolean }[]; summary: object };
    expect({ status, stderr, summary }).toEqual({
      status: 1,
      stderr: '',
      summary: { files: 302, valid: 258, errors: 44, warnings: 0 },
    });
    expect(files.slice(0, 3).map(({ file }) => file)).toEqual([
      'Welle 1\\faulty.yaml',
      'Welle 1\\gut.yaml',
      'Welle 1\\many\\000.yaml',
    ]);
    expect((await causeway.run(['validate', 'Welle 1\\faulty.yaml'])).stdout).toContain(
      'Welle 1\\faulty.yaml:8:5 error Unknown key "disk_buss"',
    );
  });

  it('writes URIs with slashes into SARIF', async () => {
    const { stdout } = await causeway.run(['validate', 'Welle 1\\faulty.yaml', '--format', 'sarif']);
    expect(stdout).toContain('"Welle%201/faulty.yaml"');
  });

  it('reads files whose paths have more than 260 characters', async () => {
    const { status, stdout } = await causeway.run(['validate', '.', '--format', 'json']);
    const long = (JSON.parse(stdout) as { files: { file: string; valid: boolean }[] }).files.find(
      ({ file }) => file.length > 260,
    );
    expect([status, long?.valid]).toEqual([1, true]);
  });

  it('explains a missing file and a folder without documents by exit status 2', async () => {
    const { status, stderr } = await causeway.run(['validate', 'nichts.yaml']);
    expect([status, stderr]).toEqual([2, 'causeway: nichts.yaml: file or folder not found\n']);
  });

  it.each([
    ['with a blank', ['Umzug der Läden']],
    [
      'with more than 260 characters in its path',
      Array<string>(4).fill('another folder whose name alone has seventy characters, as some shares'),
    ],
  ])('keeps a project, its vault and its lock in a folder %s, and opens them again', async (_what, folders) => {
    const at = windowsCommandLine(windows, join(...folders));
    mkdirSync(at.project, { recursive: true });
    await at.expect(['vault', 'init']);
    await at.expect(['vault', 'set', 'cloud-key'], { input: 'canary-secret' });
    const images = join(at.project, '..', 'Virtual Machines');
    mkdirSync(images, { recursive: true });
    writeFileSync(join(images, 'web-01.raw'), Buffer.alloc(2 ** 20, 1));
    await at.expect(['endpoint', 'add', 'images', '--plugin', 'disk-images', '--set', `path=${windows.path(images)}`]);
    expect(await at.expect(['vm', 'list', 'images'])).toContain('web-01');
    const { status, stdout, stderr } = await at.run(['endpoint', 'list', '--json']);
    expect([status, (JSON.parse(stdout) as { name: string }).name, stdout.includes('canary-secret')]).toEqual([
      0,
      'images',
      false,
    ]);
    expect(stderr).not.toContain('causeway:');
  });
});
