import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { moverNameSchema } from '../../shared/contract/mover-calls.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { removeFileSync } from '../engine/system-files/remove-file.ts';
import { replaceFileSync } from '../engine/system-files/replace-file.ts';
import { userFolder } from '../engine/trust/trusted-projects.ts';

const server = {
  host: z.string().min(1).max(255),
  port: z.int().min(1).max(65_535),
  username: z.string().min(1).max(100),
  /** `<type> <base64>`; no other key is accepted. */
  hostKey: z.string().regex(/^[a-z0-9@.-]+ [A-Za-z0-9+/]+=*$/),
};

/** A computer on which engines of this user run. Nothing in it is secret. */
export const moverSchema = z.strictObject({
  name: moverNameSchema,
  ...server,
  /** Servers on the way to it, the first one from here. */
  jumpHosts: z.array(z.strictObject(server)).max(8),
  /** Private keys that are tried, as paths; the SSH agent is asked as well. */
  identityFiles: z.array(z.string().max(4096)).max(20),
});
export type Mover = z.infer<typeof moverSchema>;

/** The movers that were added on this computer. They belong to its user, not to a project: projects lie on the movers. */
export interface MoverBook {
  list(): Mover[];
  /** @throws CausewayError `mover.unknown` */
  get(name: string): Mover;
  /** Adds a mover, or replaces the one of this name. */
  save(mover: Mover): void;
  /** Does nothing when there is none of this name. */
  remove(name: string): void;
}

/** @param path its file; `movers.json` in the user's folder unless said otherwise */
export function moverBook(path = join(userFolder(), 'movers.json')): MoverBook {
  const list = (): Mover[] => {
    if (!existsSync(path)) return [];
    try {
      return z.array(moverSchema).parse(JSON.parse(readFileSync(path, 'utf8')));
    } catch (cause) {
      throw new CausewayError('general.invalid-input', `${path} is not a list of movers`, { cause });
    }
  };
  const write = (movers: readonly Mover[]): void => {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}`;
    try {
      writeFileSync(temporary, `${JSON.stringify(movers, undefined, 2)}\n`, { mode: 0o600, flush: true });
      replaceFileSync(temporary, path);
    } finally {
      removeFileSync(temporary);
    }
  };
  const others = (name: string): Mover[] => list().filter((mover) => mover.name !== name);
  return {
    list,
    get(name) {
      const found = list().find((mover) => mover.name === name);
      if (found === undefined) throw new CausewayError('mover.unknown', name);
      return found;
    },
    save: (mover) =>
      write(
        [...others(mover.name), moverSchema.parse(mover)].toSorted((one, other) => one.name.localeCompare(other.name)),
      ),
    remove: (name) => write(others(name)),
  };
}
