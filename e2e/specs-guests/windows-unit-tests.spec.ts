import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestResult } from '../rigs/windows-node/unit-tests/suite.ts';
import { startWindowsNode, type WindowsNode } from '../rigs/windows-node/windows-node.ts';

const root = join(import.meta.dirname, '..', '..');

/** Tests of what differs between systems: paths, files, pipes, processes, networks. */
const files = [
  'electron/cli/canary.test.ts',
  'electron/cli/help.test.ts',
  'electron/cli/validate/collect-files.test.ts',
  'electron/engine/core/ipc.test.ts',
  'electron/engine/core/open-project.test.ts',
  'electron/engine/core/stored-secrets.test.ts',
  'electron/engine/core/trust/workspace-trust.test.ts',
  'electron/engine/core/uncaught.test.ts',
  'electron/engine/evidence/journal.test.ts',
  'electron/engine/http/proxies.test.ts',
  'electron/engine/http/proxy-connection.test.ts',
  'electron/engine/http/proxy-script.test.ts',
  'electron/engine/http/server-certificates.test.ts',
  'electron/engine/http/transport.test.ts',
  'electron/engine/images/vmdk-stream.test.ts',
  'electron/engine/images/windows-names.test.ts',
  'electron/engine/nbd/run-tool.test.ts',
  'electron/engine/nbd/tool-folder.test.ts',
  'electron/engine/replication/transfer-state.test.ts',
  'electron/engine/runtime/stop-signals.test.ts',
  'electron/engine/store/database.test.ts',
  'electron/engine/store/ledger.test.ts',
  'electron/engine/store/project-lock.test.ts',
  'electron/engine/store/replica-changes.test.ts',
  'electron/engine/system-files/kept-while-unchanged.test.ts',
  'electron/engine/system-files/real-path.test.ts',
  'electron/engine/system-files/system-files.test.ts',
  'electron/engine/system-files/windows-access.test.ts',
  'electron/engine/transport/ssh-route.test.ts',
  'electron/engine/trust/trusted-projects.test.ts',
  'electron/fleet/fleet-config.test.ts',
  'electron/fleet/shared-paths.test.ts',
  'electron/host/admission.test.ts',
  'electron/host/web-host.test.ts',
  'electron/movers/engine-archive.test.ts',
  'electron/movers/mover-book.test.ts',
  'electron/movers/mover-login.test.ts',
  'electron/page/page-files.test.ts',
  'electron/secrets/vault.test.ts',
  'electron/workbench/end-on-rejection.test.ts',
  'electron/workbench/engine-supervisor.test.ts',
  'electron/workbench/shell.test.ts',
  'shared/model/file-names.test.ts',
];

describe("unit tests on Windows' Node", () => {
  let windows: WindowsNode;
  let results: readonly TestResult[];
  beforeAll(async () => {
    windows = await startWindowsNode();
    const here = join(root, 'e2e/rigs/windows-node/unit-tests');
    const { stdout, stderr } = await windows.run(
      ['--disable-warning=ExperimentalWarning', '--import', './register.mjs', 'run.ts', ...files],
      { cwd: here },
    );
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as TestResult & { finished?: boolean });
    if (lines.at(-1)?.finished !== true)
      throw new Error(`the runner ended in the middle, after ${lines.at(-1)?.name}: ${stderr}`);
    results = lines.slice(0, -1);
  });
  afterAll(() => windows?.close());

  it.each(files)('%s', (file) => {
    const own = results.filter((result) => result.file === file || result.file === '(any)');
    expect(own.filter(({ outcome }) => outcome === 'failed').map(({ name, problem }) => `${name}: ${problem}`)).toEqual(
      [],
    );
    expect(own.some(({ outcome }) => outcome === 'passed')).toBe(true);
  });

  it('ran as on Windows', async () => {
    const { stdout } = await windows.run(['-p', 'process.platform']);
    expect(stdout.trim()).toBe('win32');
  });
});
