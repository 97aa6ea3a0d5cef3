import { clearProject } from './clear.ts';
import { startOpenSourceCloud } from './start.ts';

/** Once for all specs: the cloud is up, without what a killed run left in it; it ends with them if it was started for them. */
export default async function setup(): Promise<() => Promise<void>> {
  const cloud = await startOpenSourceCloud((line) => console.log(`open-source cloud: ${line}`));
  if (cloud.startedHere)
    for (const project of ['origin', 'target'] as const) await clearProject(await cloud.api(project));
  return () => cloud.close();
}
