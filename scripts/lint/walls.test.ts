import { join } from 'node:path';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

const eslint = new ESLint({ cwd: root });

async function complaints(filePath: string, code: string): Promise<string[]> {
  const [result] = await eslint.lintText(code, { filePath: join(root, filePath) });
  return result!.messages
    .filter(({ ruleId }) => ruleId !== '@typescript-eslint/no-unused-vars')
    .map(({ ruleId }) => ruleId ?? 'parse');
}

describe('the walls of the house', () => {
  it.each([
    ['shared/model/x.ts', "import '../../electron/page/page-files.ts';"],
    ['shared/model/x.ts', "import 'node:fs';"],
    ['shared/model/x.ts', 'console.log(process.pid);'],
    ['renderer/app/x.ts', "import '../../electron/page/page-files.ts';"],
    ['renderer/app/x.ts', "import 'electron';"],
    ['renderer/features/replicas/x.ts', "import '../runs/run-screen.tsx';"],
    ['renderer/components/x.ts', "import '../features/runs/run-screen.tsx';"],
    ['renderer/components/x.ts', "import '../forms/schema-fields.tsx';"],
    ['renderer/forms/x.ts', "import '../features/runs/run-screen.tsx';"],
    ['electron/engine/x.ts', "import 'electron';"],
    ['electron/engine/x.ts', "import '../main/origins.ts';"],
    ['electron/preload.ts', "import '../shared/model/vm.ts';"],
    ['electron/engine/platforms/disk-images/x.ts', "import '../european-cloud/index.ts';"],
    ['electron/engine/images/x.ts', "import '../nbd/qemu-nbd.ts';"],
    ['electron/main/x.ts', "import '../../scripts/install.js';"],
  ])('%s may not say %s', async (file, code) => {
    expect(await complaints(file, code)).not.toEqual([]);
  });

  it.each([
    ['electron/engine/x.ts', "import '../../shared/model/vm.ts';"],
    ['electron/engine/images/x.ts', "import '../ports/disk-reader.ts';"],
    ['electron/engine/platforms/disk-images/x.ts', "import '../../images/open-image.ts';"],
    ['renderer/app/x.ts', "import '../../shared/model/vm.ts';"],
    [
      'renderer/features/replicas/x.ts',
      "import './replica-screen.tsx';\nimport '../../components/screen.tsx';\nimport '../../forms/schema-fields.tsx';",
    ],
    ['renderer/app/x.ts', "import '../features/replicas/replica-screen.tsx';"],
    ['electron/main/x.ts', "import 'electron';"],
  ])('%s may say %s', async (file, code) => {
    expect(await complaints(file, code)).toEqual([]);
  });
});
