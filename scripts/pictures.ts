import { join } from 'node:path';
import { savePictures } from '../e2e/hosts/pictures.ts';
import { openWorkbenchInBrowser } from '../e2e/hosts/workbench-in-browser.ts';
import { closing } from '../e2e/rigs/closing.ts';
import { makeScreenProject, openScreenProject, passphrase } from '../e2e/rigs/project/make-screen-project.ts';
import { startScreenLab } from '../e2e/rigs/project/screen-lab.ts';
import { picturedScreens } from './pictured-screens.ts';

/**
 * Makes docs/pictures anew: the built workbench with a project in the lab's cloud, and an execution that copies a disk.
 * As root, for the lab's workers.
 */
const MiB = 1024 * 1024;
const folder = join(import.meta.dirname, '..', 'docs', 'pictures');

await using stack = new AsyncDisposableStack();
const lab = stack.adopt(await startScreenLab(40 * MiB, { images: ['web-01', 'db-01'] }), closing);
await makeScreenProject(lab, { replicas: ['web-01', 'db-01'] });
const client = await openScreenProject(lab);
await client.call('defaults.save', {
  environments: { 'european-cloud/destination': { environment: { disk_bus: 'virtio', set_dhcp: true } } },
});
await client.call('wave.create', { wave: 'Wave 1: shop', replicas: ['web-01', 'db-01'] });
const { id: replica } = await client.call('replica.show', { replica: 'web-01' });
await client.close();

const { page, url } = stack.use(await openWorkbenchInBrowser(['--settings', lab.settings, '--project', lab.project]));
await page.getByLabel('Passphrase', { exact: true }).fill(passphrase);
await page.getByRole('button', { name: 'Unlock vault', exact: true }).click();
await page.getByText(/^The vault is unlocked\./).waitFor();
await page.goto(new URL('/#/replicas', url).href);
await page.getByRole('button', { name: 'Replicate… (web-01)', exact: true }).click();
await page.getByRole('textbox', { name: 'Bandwidth limit', exact: true }).fill('1500k');
await page.getByRole('button', { name: 'Start', exact: true }).click();
await page.getByRole('heading', { level: 1, name: 'Execution 1 of web-01', exact: true }).waitFor();
const execution = new URL(page.url()).hash.split('/').at(-1)!;

for (const { name, route, prepare } of picturedScreens) {
  const id = route[0] === 'runs' ? execution : replica;
  await page.goto(new URL(`/#/${route.map((part) => (part === 'id' ? id : part)).join('/')}`, url).href);
  await prepare(page);
  await savePictures(page, name, folder);
  console.log(`${name}: light and dark`);
}
