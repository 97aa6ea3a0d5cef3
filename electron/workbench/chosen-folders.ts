import { relative, resolve, sep, isAbsolute } from 'node:path';
import { CausewayError } from '../../shared/model/causeway-error.ts';

/**
 * The folders that a person has chosen in a native dialog, or has opened before. Where there are dialogs the page can
 * only name these: a page that was taken over can't reach into the rest of the disk.
 */
export interface ChosenFolders {
  add(folder: string): void;
  /** @throws CausewayError `general.invalid-input` when `folder` is neither one of them nor inside one */
  check(folder: string): void;
}

/** @param known folders that were opened before, asked for at each check */
export function chosenFolders(known: () => readonly string[]): ChosenFolders {
  const chosen = new Set<string>();
  return {
    add: (folder) => void chosen.add(resolve(folder)),
    check(folder) {
      if ([...chosen, ...known()].some((each) => isInside(each, folder))) return;
      throw new CausewayError('general.invalid-input', `choose ${folder} in the dialog first`);
    },
  };
}

function isInside(outer: string, folder: string): boolean {
  const inside = relative(resolve(outer), resolve(folder));
  return inside === '' || (inside !== '..' && !inside.startsWith(`..${sep}`) && !isAbsolute(inside));
}
