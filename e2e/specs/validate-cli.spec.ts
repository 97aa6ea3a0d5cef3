import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const project = fileURLToPath(new URL('../..', import.meta.url));

interface Answer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command line in a process of its own, in the temporary folder. */
function causeway(...args: string[]): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(project, 'out/main/cli.js'), ...args], {
      cwd: folder,
      env: { ...process.env, FORCE_COLOR: '1' },
    });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text: string) => (output[name] += text));
    child.on('error', reject);
    child.on('close', (status) => resolve({ status, ...output }));
  });
}

const good = `destination:
  plugin: european-cloud
  environment:
    network_map: {VM Network: prod}
    availability_zone: zone-1
    migr_network: mig
    migr_machine_type: c1.2
`;
const warned = `${good}    keypair_name: ops
    retain_user_credentials: true
`;
const faulty = `${good}    disk_buss: scsi
    use_public_ip: "true"
`;

let folder: string;
const files: Readonly<Record<string, string | Uint8Array>> = {
  'good.yaml': good,
  'warned.yaml': warned,
  'faulty.yaml': faulty,
  'broken.json': '{"source": ',
  'needs-defaults.yaml':
    'destination:\n  plugin: european-cloud\n  environment:\n    network_map: {a: b}\n    security_groups: [web]\n',
  'provider.ini':
    '[european_cloud_migration_provider]\navailability_zone = zone-9\nmigr_network = mig\nmigr_machine_type = c1.2\ndefault_security_groups = base\n',
  'catalog.json': JSON.stringify({
    networks: [
      { id: 'n1', name: 'mig' },
      { id: 'n2', name: 'prod' },
      { id: 'n3', name: 'prod' },
    ],
  }),
  'no-catalog.json': '{"networks": [{"id": 5}]}',
  'bom.yaml': `\ufeff${good.replaceAll('\n', '\r\n')}`,
  'latin1.yaml': Buffer.from('source: {plugin: "caf\xe9"}\n', 'latin1'),
  'large.yaml': Buffer.alloc(50 * 1024 * 1024, 'a'),
  'deep.json': '['.repeat(10_000),
  'bomb.yaml': [
    'a: &a [x, x, x, x, x, x, x, x, x, x]',
    ...Array.from(
      { length: 12 },
      (_, level) =>
        `${'b'.repeat(level + 1)}: &${'b'.repeat(level + 1)} [${Array(10)
          .fill(level === 0 ? '*a' : `*${'b'.repeat(level)}`)
          .join(', ')}]`,
    ),
  ].join('\n'),
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'validate-cli-'));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  mkdirSync(join(folder, 'wave/empty'), { recursive: true });
  writeFileSync(join(folder, 'wave/a.yaml'), good);
  writeFileSync(join(folder, 'wave/b.yml'), warned);
  writeFileSync(
    join(folder, 'wave/c.json'),
    '{"source": {"plugin": "virtualization-platform", "environment": {}}, // comment\n}',
  );
  mkdirSync(join(folder, 'many'));
  for (let index = 0; index < 1000; index++)
    writeFileSync(join(folder, `many/${String(index).padStart(4, '0')}.yaml`), index % 7 === 0 ? faulty : good);
});

afterAll(() => rmSync(folder, { recursive: true }));

describe('exit status', () => {
  test.each([
    [0, ['good.yaml']],
    [0, ['bom.yaml']],
    [0, ['wave']],
    [0, ['warned.yaml']],
    [1, ['warned.yaml', '--strict']],
    [1, ['faulty.yaml']],
    [1, ['broken.json']],
    [1, ['good.yaml', 'faulty.yaml']],
    [1, ['needs-defaults.yaml']],
    [0, ['needs-defaults.yaml', '--provider-config', 'provider.ini']],
    [1, ['good.yaml', '--catalog', 'catalog.json']],
    [2, ['missing.yaml']],
    [2, ['good.yaml', 'missing.yaml']],
    [2, ['wave/empty']],
    [2, []],
    [2, ['good.yaml', '--nonsense']],
    [2, ['good.yaml', '--format', 'xml']],
    [2, ['good.yaml', '--provider-config', 'missing.ini']],
    [2, ['good.yaml', '--catalog', 'no-catalog.json']],
    [2, ['good.yaml', '--catalog', 'broken.json']],
  ])('%i for validate %j', async (status, args) => {
    const answer = await causeway('validate', ...args);
    expect({ status: answer.status, stderr: status === 2 ? answer.stderr !== '' : answer.stderr }).toEqual({
      status,
      stderr: status === 2 ? true : '',
    });
  });
});

describe('formats', () => {
  test('json is the documented shape and nothing else, also beside a file that cannot be read', async () => {
    const { status, stdout, stderr } = await causeway('validate', 'faulty.yaml', 'missing.yaml', '--format', 'json');
    expect(JSON.parse(stdout)).toEqual({
      files: [
        {
          file: 'faulty.yaml',
          valid: false,
          findings: [
            expect.objectContaining({ severity: 'info', path: '', rule: 'general/no-catalog' }) as unknown,
            {
              severity: 'error',
              path: '/destination/environment/disk_buss',
              rule: 'european-cloud/unknown-key',
              message: 'Unknown key "disk_buss" in the destination environment of european-cloud.',
              suggestion: 'Did you mean "disk_bus"?',
            },
            expect.objectContaining({
              severity: 'error',
              path: '/destination/environment/use_public_ip',
              rule: 'european-cloud/wrong-type',
            }) as unknown,
          ],
        },
      ],
      summary: { files: 1, valid: 0, errors: 2, warnings: 0 },
    });
    expect(stderr).toBe('causeway: missing.yaml: file or folder not found\n');
    expect(status).toBe(2);
  });

  test('text names file, line and column, and is plain when it is not a terminal', async () => {
    const { stdout } = await causeway('validate', 'faulty.yaml');
    expect(stdout).toContain('faulty.yaml:8:5 error Unknown key "disk_buss"');
    expect(stdout).toContain('1 file checked, 0 valid: 2 errors, 0 warnings\n');
    expect(stdout).not.toContain('\u001b');
  });

  test('sarif and junit hold the same findings', async () => {
    const sarif = JSON.parse((await causeway('validate', 'faulty.yaml', '--format', 'sarif')).stdout) as {
      runs: [
        {
          results: {
            ruleId: string;
            level: string;
            locations: [{ physicalLocation: { region?: { startLine: number } } }];
          }[];
        },
      ];
    };
    expect(
      sarif.runs[0].results.map(({ level, ruleId, locations }) => [
        level,
        ruleId,
        locations[0].physicalLocation.region?.startLine,
      ]),
    ).toEqual([
      ['note', 'general/no-catalog', undefined],
      ['error', 'european-cloud/unknown-key', 8],
      ['error', 'european-cloud/wrong-type', 9],
    ]);
    const junit = (await causeway('validate', 'faulty.yaml', 'good.yaml', '--format', 'junit')).stdout;
    expect(junit).toMatch(
      /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="causeway validate" tests="5" failures="2" errors="0">/,
    );
  });
});

describe('hostile files', () => {
  test.each([
    ['large.yaml', 'document/too-large', /50\.0 MiB.*2 MiB/],
    ['deep.json', 'document/too-deep', /100 levels.*line 1, column 101/],
    ['bomb.yaml', 'document/yaml-alias', /aliases/],
    ['latin1.yaml', 'document/encoding', /UTF-8.*line 1, column 22/],
    ['broken.json', 'document/syntax', /line 1, column 12/],
  ])('%s is one clear finding', async (file, rule, message) => {
    const { stdout, status } = await causeway('validate', file, '--format', 'json');
    expect(status).toBe(1);
    const [result] = (JSON.parse(stdout) as { files: { findings: unknown[] }[] }).files;
    expect(result?.findings).toEqual([
      { severity: 'error', path: '', rule, message: expect.stringMatching(message) as unknown },
    ]);
  });
});

test('a thousand files are checked in worker threads too, in the order of their names', async () => {
  const { stdout, status } = await causeway('validate', 'many', '--format', 'json');
  const { files: checked, summary } = JSON.parse(stdout) as {
    files: { file: string; valid: boolean }[];
    summary: object;
  };
  expect(checked.map(({ file }) => file)).toEqual(
    Array.from({ length: 1000 }, (_, index) => join('many', `${String(index).padStart(4, '0')}.yaml`)),
  );
  expect(checked.map(({ valid }) => valid)).toEqual(checked.map((_, index) => index % 7 !== 0));
  expect(summary).toEqual({ files: 1000, valid: 857, errors: 286, warnings: 0 });
  expect(status).toBe(1);
});

test('the catalog finds names that two resources share', async () => {
  const { stdout } = await causeway('validate', 'good.yaml', '--catalog', 'catalog.json', '--format', 'json');
  const [result] = (JSON.parse(stdout) as { files: { findings: object[] }[] }).files;
  expect(result?.findings).toMatchObject([
    {
      severity: 'error',
      path: '/destination/environment/network_map/VM Network',
      rule: 'european-cloud/ambiguous-name',
    },
  ]);
});

describe('explain', () => {
  test('shows each value with where it comes from', async () => {
    const { stdout, status } = await causeway('explain', 'needs-defaults.yaml', '--provider-config', 'provider.ini');
    expect(status).toBe(0);
    const lines = stdout.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' | '));
    expect(lines).toEqual(
      expect.arrayContaining([
        'destination: european-cloud',
        'network_map | {"a":"b"} | VM',
        'security_groups | ["base","web"] | joined: provider configuration, default_security_groups + VM',
        'availability_zone | "zone-9" | provider configuration',
        'set_dhcp | true | built-in',
      ]),
    );
  });

  test.each([['missing.yaml'], ['broken.json']])('ends with 2 and one line for %s', async (file) => {
    const { status, stderr, stdout } = await causeway('explain', file);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`^causeway: ${file}: .+\n$`));
  });
});

describe('schema', () => {
  test('is printed as JSON Schema, Markdown and an example that validates', async () => {
    const print = (format: string): Promise<Answer> =>
      causeway('schema', 'european-cloud', 'destination', '--format', format);
    expect(JSON.parse((await print('json-schema')).stdout)).toMatchObject({
      type: 'object',
      additionalProperties: false,
    });
    expect((await print('markdown')).stdout).toContain('server_labels');
    writeFileSync(join(folder, 'example.yaml'), (await print('example')).stdout);
    expect(await causeway('validate', 'example.yaml')).toMatchObject({ status: 0, stderr: '' });
  });

  test.each([[['european-cloud', 'source']], [['nonsense', 'source']], [['european-cloud']]])(
    'ends with 2 for %j',
    async (args) => {
      const { status, stdout, stderr } = await causeway('schema', ...args);
      expect([status, stdout, stderr === '']).toEqual([2, '', false]);
    },
  );
});
