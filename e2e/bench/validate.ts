/**
 * Seconds for 10,000 environment documents in one call of the command line, beside a peer that does less: the `yaml`
 * package's parser and Ajv over the JSON Schemas of the same plugins, single-threaded, without rules and places.
 *
 * Usage: node e2e/bench/validate.ts [documents] [--json]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import type { ZodObject } from 'zod';
import { startReport } from './results.ts';

const project = fileURLToPath(new URL('../..', import.meta.url));
const bundled = join(project, 'out/main/cli.js');
const commandLine = existsSync(bundled) ? bundled : join(project, 'electron/cli.ts');

/** A wave's documents: different VMs, every tenth with a fault. */
function documentOf(index: number): object {
  const disks = Array.from({ length: 1 + (index % 3) }, (_, disk) => ({
    id: `disk-${disk}`,
    size_bytes: 10_737_418_240,
    storage_backend: `ds${disk}`,
  }));
  const nics = Array.from({ length: 1 + (index % 2) }, (_, nic) => ({
    id: `nic-${nic}`,
    network: nic === 0 ? 'VM Network' : 'VLAN 10.20 (prod)',
    mac_address: `52:54:00:00:00:0${nic}`,
    ip_addresses: [`10.1.${index % 250}.${nic + 5}`],
  }));
  return {
    vm: {
      id: `vm-${index}`,
      name: `web-${index}`,
      os_type: index % 4 === 0 ? 'windows' : 'linux',
      firmware: 'bios',
      vcpus: 2,
      memory_mb: 4096,
      disks,
      nics,
    },
    source: { plugin: 'virtualization-platform', environment: { automatically_enable_cbt: true } },
    destination: {
      plugin: 'european-cloud',
      environment: {
        network_map: { 'VM Network': 'prod-net', 'VLAN 10.20 (prod)': 'prod-2' },
        storage_mappings: {
          default: 'storage_premium_perf1',
          backend_mappings: [{ source: 'ds1', destination: 'storage_premium_perf2' }],
          disk_mappings: [{ disk_id: 'disk-0', destination: 'storage_premium_perf4' }],
        },
        availability_zone: 'zone-1',
        machine_type: 'c2i.4',
        migr_network: 'migration-net',
        migr_machine_type: index % 10 === 9 ? 4 : 'c2i.2',
        migr_image_map: { linux: 'linux-worker', windows: 'windows-worker' },
        security_groups: ['default', 'web'],
        server_labels: ['wave-1', 'shop'],
        migr_worker_volume_size: 20,
      },
    },
  };
}

function writeDocuments(folder: string, count: number, format: 'yaml' | 'json'): number {
  let bytes = 0;
  for (let index = 0; index < count; index++) {
    const document = documentOf(index);
    const text = format === 'json' ? JSON.stringify(document, undefined, 2) : `# VM ${index}\n${stringify(document)}`;
    bytes += text.length;
    writeFileSync(join(folder, `vm-${String(index).padStart(6, '0')}.${format}`), text);
  }
  return bytes;
}

function seconds(work: () => void): number {
  const start = process.hrtime.bigint();
  work();
  return Number(process.hrtime.bigint() - start) / 1e9;
}

/** The whole call, process start included. */
function timeCommandLine(folder: string, count: number): number {
  return seconds(() => {
    const run = spawnSync(process.execPath, [commandLine, 'validate', folder, '--format', 'json'], {
      maxBuffer: 1 << 30,
      encoding: 'utf8',
    });
    const { summary } = JSON.parse(run.stdout) as { summary: { files: number; valid: number } };
    const expected = count - Math.floor(count / 10);
    if (run.status !== 1 || summary.files !== count || summary.valid !== expected) {
      throw new Error(
        `The command line answered ${run.status} with ${JSON.stringify(summary)}: ${run.stderr.slice(0, 500)}`,
      );
    }
  });
}

/** The peer runs in a process of its own too. */
function timePeer(folder: string): number {
  return seconds(() => {
    const run = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--peer', folder], { encoding: 'utf8' });
    if (run.status !== 0) throw new Error(run.stderr);
  });
}

async function runPeer(folder: string): Promise<void> {
  const [{ Ajv2020 }, { parse }, { z }, { plugins }] = await Promise.all([
    import('ajv/dist/2020.js'),
    import('yaml'),
    import('zod'),
    import('../../shared/plugins/registry.ts'),
  ]);
  const ajv = new Ajv2020({ allErrors: true, strict: false });
  const schemaOf = (schema: ZodObject | undefined): object => {
    const json = z.toJSONSchema(schema ?? z.strictObject({}), { io: 'input' });
    return { ...json, $schema: undefined };
  };
  const check = ajv.compile({
    type: 'object',
    properties: {
      source: {
        type: 'object',
        properties: { environment: schemaOf(plugins['virtualization-platform'].source?.schema) },
      },
      destination: {
        type: 'object',
        properties: { environment: schemaOf(plugins['european-cloud'].destination?.schema) },
      },
    },
  });
  let valid = 0;
  for (const file of readdirSync(folder)) {
    const text = readFileSync(join(folder, file), 'utf8');
    if (check(file.endsWith('.json') ? JSON.parse(text) : parse(text))) valid++;
  }
  if (valid === 0) throw new Error('The peer found no valid document');
}

function bench(count: number): void {
  const report = startReport('validate');
  const rows: Record<string, unknown>[] = [];
  for (const format of ['yaml', 'json'] as const) {
    const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'));
    try {
      const bytes = writeDocuments(folder, count, format);
      const own = Math.min(timeCommandLine(folder, count), timeCommandLine(folder, count));
      const peer = timePeer(folder);
      report.add({
        group: `${count} documents, ${format}`,
        what: 'time',
        unit: 's',
        ways: [
          { name: 'causeway', value: own },
          { name: 'yaml + ajv', value: peer },
        ],
        peer: 'yaml + ajv',
      });
      rows.push({
        format,
        documents: count,
        'KiB each': Number((bytes / count / 1024).toFixed(2)),
        'causeway s': Number(own.toFixed(2)),
        'documents/s': Math.round(count / own),
        'peer s (yaml + ajv)': Number(peer.toFixed(2)),
        'peer/causeway': Number((peer / own).toFixed(2)),
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  console.log(
    `causeway validate: ${commandLine === bundled ? 'built' : 'from source'}, ${availableParallelism()} cores`,
  );
  console.table(rows);
  report.finish();
}

const [first, folder] = process.argv.slice(2).filter((argument) => argument !== '--json');
if (first === '--peer' && folder !== undefined) await runPeer(folder);
else bench(first === undefined ? 10_000 : Number(first));
