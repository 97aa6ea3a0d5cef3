import { randomBytes } from 'node:crypto';
import { mkdir, open } from 'node:fs/promises';
import { join } from 'node:path';
import { closing, temporaryFolder } from '../closing.ts';
import { startEuropeanCloud, type EuropeanCloud } from '../european-cloud/start.ts';
import { labMachines } from '../machines/kinds.ts';

/** What somebody has before the first start: a cloud, a folder of disk images, an empty place for projects. */
export interface ScreenLab {
  readonly cloud: EuropeanCloud;
  readonly images: string;
  readonly project: string;
  readonly settings: string;
  close(): Promise<void>;
}

export interface ScreenLabOptions {
  /** Whether workers reach package mirrors. */
  readonly outbound?: boolean;
  /** Names of the images; default `web-01`. */
  readonly images?: readonly string[];
}

/**
 * The built product talks to this cloud without any option of its own, so its workers have addresses of their own: that
 * needs root.
 *
 * @param bytes how much of each image (64 MiB) holds data
 */
export async function startScreenLab(
  bytes: number,
  { outbound = false, images: names = ['web-01'] }: ScreenLabOptions = {},
): Promise<ScreenLab> {
  await using stack = new AsyncDisposableStack();
  const root = await temporaryFolder(stack, 'causeway-screens-');
  const images = join(root, 'images');
  await mkdir(images);
  for (const name of names) {
    const image = await open(join(images, `${name}.raw`), 'w');
    await image.truncate(64 * 1024 * 1024);
    await image.write(randomBytes(bytes), 0, bytes, 1024 * 1024);
    await image.close();
  }
  const cloud = stack.adopt(
    await startEuropeanCloud({
      folder: join(root, 'cloud'),
      transitionMs: 20,
      machines: labMachines({ worker: 'native', outbound }),
    }),
    closing,
  );
  const opened = stack.move();
  return {
    cloud,
    images,
    project: join(root, 'project'),
    settings: join(root, 'settings'),
    close: () => opened.disposeAsync(),
  };
}
