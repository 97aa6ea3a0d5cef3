import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CommandLine } from '../e2e/demo/command-line.ts';
import { addEndpoints, cloudEndpoint, hostEndpoint } from '../e2e/demo/endpoints.ts';
import { environmentDocument } from '../e2e/demo/environment.ts';
import { startLab, vmName, type Lab } from '../e2e/demo/lab.ts';
import { createProject } from '../electron/workbench/project-file.ts';

/**
 * A lab to try Causeway on: a cloud, a VM, and a project with endpoints for both. Runs until Ctrl-C.
 * `npm run lab -- [--folder DIR] [--no-vm] [--json]`: DIR, new or empty, is kept; without it all is in a temporary folder. With
 * `--json`, for programs: one line of JSON when it is up, and its end when standard input ends.
 */
const longestFolder = 80;
const { folder: kept, 'no-vm': noVm, json } = options();
/** Protects nothing but the keys of a cloud that lives as long as this process. */
const passphrase = 'causeway-lab';
const folder = kept ?? (await mkdtemp(join(tmpdir(), 'causeway-lab-')));
let lab: Lab | undefined;
let ending = false;
if (json) process.stdin.on('end', () => void end(0)).resume();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void end(0));

try {
  await refuseUsed(folder);
  lab = await startLab({ folder, withVm: !noVm, say: console.log });
  const project = join(folder, 'project');
  const passphraseFile = join(folder, 'passphrase');
  await writeFile(passphraseFile, passphrase, { mode: 0o600 });
  createProject(project, 'Lab');
  const causeway = new CommandLine(project, { CAUSEWAY_PASSPHRASE_FILE: passphraseFile });
  await addEndpoints(causeway, lab);
  const document = join(project, `${vmName}.yaml`);
  await writeFile(document, environmentDocument());
  if (lab.vm !== undefined)
    await causeway.expect(['replica', 'create', hostEndpoint, vmName, cloudEndpoint, '--environment', document]);
  console.log(json ? JSON.stringify({ ready: { project, passphrase } }) : directions(lab, project, passphraseFile));
} catch (error) {
  if (!ending) console.error(`The lab did not start: ${error instanceof Error ? error.message : String(error)}`);
  await end(1);
}

function options(): { readonly folder?: string; readonly 'no-vm': boolean; readonly json: boolean } {
  try {
    const { values } = parseArgs({
      options: {
        folder: { type: 'string' },
        'no-vm': { type: 'boolean', default: false },
        json: { type: 'boolean', default: false },
      },
    });
    // npm changes into the package's folder; the name is meant from where the caller stands.
    return {
      ...values,
      ...(values.folder === undefined ? {} : { folder: resolve(process.env['INIT_CWD'] ?? '.', values.folder) }),
    };
  } catch (error) {
    console.error(
      `${error instanceof Error ? error.message : String(error)}\nUsage: npm run lab -- [--folder DIR] [--no-vm]`,
    );
    process.exit(2);
  }
}

/** A lab does not go on from an earlier one: its cloud forgets everything when it ends. */
async function refuseUsed(path: string): Promise<void> {
  if (path.length > longestFolder)
    throw new Error(`${path} is longer than ${longestFolder} characters, and sockets in it could not be opened`);
  await mkdir(path, { recursive: true });
  if ((await readdir(path)).length > 0) throw new Error(`${path} is not empty; name a new folder`);
}

function directions({ cloud, vm }: Lab, project: string, passphraseFile: string): string {
  const causeway = 'npm run -s causeway --';
  const ssh = vm?.ssh.access;
  return [
    '',
    `The lab is up. Ctrl-C ends it${kept === undefined ? ' and removes its folder' : `; ${folder} stays`}. In another terminal:`,
    '',
    `  export CAUSEWAY_PROJECT=${project} CAUSEWAY_PASSPHRASE_FILE=${passphraseFile}`,
    `  ${causeway} endpoint check ${cloudEndpoint}`,
    ...(vm === undefined
      ? [`  ${causeway} endpoint add images --plugin disk-images --set path=FOLDER_OF_IMAGES`]
      : [`  ${causeway} vm list ${hostEndpoint}`, `  ${causeway} replica execute ${vmName} --verify all`]),
    `  npm start -- --project ${project}     # the vault's passphrase is ${passphrase}`,
    '',
    ...(ssh === undefined
      ? []
      : [
          `Root in the VM: ssh -q -i ${ssh.keyPath} -p ${ssh.port} -o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no root@${ssh.host}`,
        ]),
    `The cloud's volumes are files in ${join(cloud.folder, 'volumes')}; its interface is ${cloud.urls.iaas}.`,
  ].join('\n');
}

async function end(status: number): Promise<void> {
  if (ending) return;
  ending = true;
  await lab?.close().catch((error: unknown) => console.error(error));
  if (kept === undefined) await rm(folder, { recursive: true, force: true });
  process.exit(status);
}
