import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { runTool } from '../nbd/run-tool.ts';
import type { QmpCarrier } from './qmp-carrier.ts';
import { QmpError } from './qmp-error.ts';

/** QMP through libvirt's own connection to QEMU: `virsh qemu-monitor-command`. */
export class VirshCarrier implements QmpCarrier {
  readonly monitor: string;
  readonly #uri: string;
  readonly #domain: string;

  constructor(uri: string, domain: string) {
    this.#uri = uri;
    this.#domain = domain;
    this.monitor = `${uri} ${domain}`;
  }

  async execute(command: string, args: JsonObject, signal: AbortSignal, timeoutMs = 60_000): Promise<JsonValue> {
    const request = JSON.stringify({ execute: command, arguments: args });
    const output = await runTool('virsh', ['-c', this.#uri, 'qemu-monitor-command', '--domain', this.#domain, request], 'source.request-refused', signal, timeoutMs);
    const answer = parse(output);
    if (answer['error'] !== undefined) throw new QmpError(command, answer['error']);
    return answer['return'] ?? {};
  }

  async close(): Promise<void> {
    // Each command is a run of virsh of its own.
  }
}

/** Names of the running domains. @throws CausewayError source.tool-missing, source.request-refused */
export async function listDomains(uri: string, signal: AbortSignal): Promise<readonly string[]> {
  const output = await runTool('virsh', ['-c', uri, 'list', '--name', '--state-running', '--state-paused'], 'source.request-refused', signal);
  return output.split('\n').map((name) => name.trim()).filter((name) => name !== '');
}

function parse(output: string): JsonObject {
  try {
    const answer = JSON.parse(output) as JsonValue;
    if (isJsonObject(answer)) return answer;
  } catch {
    // Told below.
  }
  throw new CausewayError('source.protocol', 'virsh did not return JSON');
}
