import { z } from 'zod';

/** A lab's project as it is handed to another process. */
export const labProjectSchema = z.object({
  folder: z.string(),
  keyFile: z.string(),
  cloudFolder: z.string(),
  agentHere: z.object({ within: z.array(z.string()), agentPath: z.string() }).optional(),
  patience: z
    .object({
      workerMs: z.number().optional(),
      loginMs: z.number().optional(),
      linkMs: z.number().optional(),
      agentMs: z.number().optional(),
      boot: z.literal('quick').optional(),
      checkpointMs: z.number().optional(),
      cloud: z.record(z.string(), z.number()).optional(),
    })
    .default({}),
});
