import { counted } from './counted.ts';

export const fleet = {
  conflicts: (count: number) => `${counted(count, { one: '# file was', other: '# files were' })} changed here and by another member of the fleet`,
  compare: 'Compare…',
  title: 'Which change do you keep?',
  explanation: 'This file was changed here and by another member of the fleet. Neither change is used by the other side until you decide.',
  file: 'File',
  legend: 'Lines with − are in your file only, lines with + only in the file of the fleet.',
  difference: 'Difference',
  mineGone: 'You deleted the file.',
  theirsGone: 'The other member deleted the file.',
  later: 'Decide later',
  keepMine: 'Keep mine',
  takeTheirs: 'Use the file of the fleet',
  keptMine: (file: string) => `${file}: your file is now in the fleet`,
  tookTheirs: (file: string) => `${file}: the file of the fleet is now here`,
  notShared: (count: number) => `${counted(count, { one: '# file is', other: '# files are' })} not shared with the fleet:`,
  notSharedBecause: {
    name: 'not every system allows this file name',
    case: 'another file has the same name in other upper and lower case',
    size: 'the file is too large',
  },
  carriedOutBy: (state: string, member: string) => `${state} on ${member}`,
} as const;
