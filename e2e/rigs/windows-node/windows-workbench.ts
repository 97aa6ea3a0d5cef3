import { join } from 'node:path';
import { closedWith, openInChromium, type OpenedPage } from '../../hosts/workbench-in-browser.ts';
import type { WindowsNode } from './windows-node.ts';

const host = join(import.meta.dirname, '..', '..', '..', 'out', 'main', 'host.js');

/** The workbench served from Windows' Node, with its engines, and its page in Debian's Chromium. */
export async function openWindowsWorkbench(
  windows: WindowsNode,
  hostArguments: readonly string[] = [],
): Promise<OpenedPage> {
  await using stack = new AsyncDisposableStack();
  const url = Promise.withResolvers<string>();
  const served = windows.start([windows.path(host), '--no-open', ...hostArguments], {
    onLine(line) {
      const found = /http:\/\/127\.0\.0\.1:\d+\/\S*/.exec(line)?.[0];
      if (found !== undefined) url.resolve(found);
    },
  });
  // As by the task manager; its engine ends by itself when its parent is gone.
  stack.defer(() => served.kill());
  void served.ended.then(({ status, stderr }) =>
    url.reject(new Error(`The host ended with ${status} before it said its address: ${stderr}`)),
  );
  const opened = stack.use(await openInChromium(await url.promise));
  return closedWith(stack.move(), opened);
}
