import { startOpenSourceCloud } from './start.ts';

/** Once for all specs: the cloud is up; it ends with them if it was started for them. */
export default async function setup(): Promise<() => Promise<void>> {
  const cloud = await startOpenSourceCloud((line) => console.log(`open-source cloud: ${line}`));
  return () => cloud.close();
}
