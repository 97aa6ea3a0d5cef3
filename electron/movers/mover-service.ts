import { z } from 'zod';

/** What the service of a project on a mover says of itself: one line of JSON on the standard output of `causeway-mover`. */
export const moverServiceSchema = z.object({
  /** The project's folder, as an absolute path on the mover. */
  project: z.string(),
  /** Its Unix socket, which speaks the contract of the workbench. */
  socket: z.string(),
  pid: z.int(),
  version: z.string(),
  /** The folder that its engine runs from: it tells engines of one version apart. */
  engine: z.string(),
});
export type MoverService = z.infer<typeof moverServiceSchema>;

/** What `causeway-mover` answers: the service, that there is none, or what failed. */
export const moverAnswerSchema = z.union([
  z.object({ service: moverServiceSchema }),
  z.object({ none: z.literal(true) }),
  z.object({ failed: z.object({ code: z.string(), message: z.string() }) }),
]);
export type MoverAnswer = z.infer<typeof moverAnswerSchema>;
