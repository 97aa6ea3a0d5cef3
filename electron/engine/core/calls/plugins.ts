import { z } from 'zod';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { plugins } from '../../../../shared/plugins/registry.ts';
import type { CallsOf, Handlers } from './handler.ts';

export const pluginCalls: Handlers<CallsOf<'plugins'>> = {
  async 'plugins.describe'(core) {
    return Object.values(plugins).map((plugin) => ({
      id: plugin.id,
      title: plugin.title,
      sides: (['source', 'destination'] as const)
        .filter((side) => plugin[side] !== undefined)
        .map((side) => ({ side, reachable: core.gate.hasPlatform(plugin.id, side) })),
      connection: z.toJSONSchema(plugin.connection, { io: 'input', unrepresentable: 'any' }) as unknown as JsonObject,
    }));
  },
};
