import type { JsonObject, JsonValue } from '../../../shared/model/json.ts';

/** Carries QMP commands to one QEMU process. */
export interface QmpCarrier {
  /** Which QEMU it leads to: two carriers of one name lead to the same. */
  readonly monitor: string;
  /**
   * Runs a command and resolves with its `return`.
   * @throws QmpError when QEMU answers with an error; CausewayError source.unreachable, source.connection-lost,
   *   source.protocol, general.deadline, general.cancelled
   */
  execute(command: string, args: JsonObject, signal: AbortSignal, timeoutMs?: number): Promise<JsonValue>;
  close(): Promise<void>;
}
