import { startSshd, type SshdRig } from '../rigs/sshd.ts';
import { windowsCommandLine } from '../rigs/windows-node/windows-command-line.ts';
import { hasWine, startWindowsNode } from '../rigs/windows-node/windows-node.ts';
import type { Commands } from './command-line.ts';

/** The command line on Windows' own Node, and the SSH server by which it reaches the hypervisor on this machine. */
export interface WindowsComputer {
  readonly causeway: Commands;
  readonly ssh: SshdRig;
  close(): Promise<void>;
}

export async function windowsComputer(): Promise<WindowsComputer> {
  if (!hasWine) throw new Error('--windows needs the Debian packages wine and wine64, on x86-64');
  const windows = await startWindowsNode();
  try {
    const ssh = await startSshd();
    return {
      ssh,
      causeway: commandsOn(windowsCommandLine(windows, 'Demonstration 1'), (file) => windows.path(file)),
      async close() {
        await windows.close();
        await ssh.stop();
      },
    };
  } catch (error) {
    await windows.close();
    throw error;
  }
}

function commandsOn(line: ReturnType<typeof windowsCommandLine>, path: Commands['path']): Commands {
  const commands: Commands = {
    project: line.project,
    path,
    async run(args, input) {
      const { status, stdout, stderr } = await line.run(args, input === undefined ? {} : { input });
      process.stderr.write(stderr);
      return { status, stdout };
    },
    async expect(args, input) {
      const { status, stdout } = await commands.run(args, input);
      if (status !== 0) throw new Error(`causeway ${args.join(' ')} ended with ${status}:\n${stdout}`);
      return stdout;
    },
    async show(args) {
      const { status, stderr } = await line.run(args, { onLine: (text) => console.log(text) });
      process.stderr.write(stderr);
      return status;
    },
    async killWhen(args, isTime) {
      let killed: Promise<void> | undefined;
      const running = line.start([...args, '--json'], {
        onLine(text) {
          if (killed === undefined && isTime(JSON.parse(text))) killed = running.kill();
        },
      });
      const { status, stderr } = await running.ended;
      await killed;
      process.stderr.write(stderr);
      return status;
    },
  };
  return commands;
}
