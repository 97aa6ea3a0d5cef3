import { counted } from './counted.ts';

export const fleet = {
  conflicts: (count: number) => `${counted(count, { one: '# Datei wurde', other: '# Dateien wurden' })} hier und von einem anderen Mitglied der Flotte geändert`,
  compare: 'Vergleichen …',
  title: 'Welche Änderung behalten Sie?',
  explanation: 'Diese Datei wurde hier und von einem anderen Mitglied der Flotte geändert. Bis Sie entscheiden, gilt keine der beiden Änderungen auf der anderen Seite.',
  file: 'Datei',
  legend: 'Zeilen mit − stehen nur in Ihrer Datei, Zeilen mit + nur in der Datei der Flotte.',
  difference: 'Unterschied',
  mineGone: 'Sie haben die Datei gelöscht.',
  theirsGone: 'Das andere Mitglied hat die Datei gelöscht.',
  later: 'Später entscheiden',
  keepMine: 'Meine behalten',
  takeTheirs: 'Datei der Flotte verwenden',
  keptMine: (file: string) => `${file}: Ihre Datei ist jetzt in der Flotte`,
  tookTheirs: (file: string) => `${file}: die Datei der Flotte ist jetzt hier`,
  notShared: (count: number) => `${counted(count, { one: '# Datei wird', other: '# Dateien werden' })} nicht mit der Flotte geteilt:`,
  notSharedBecause: {
    name: 'nicht jedes System erlaubt diesen Dateinamen',
    case: 'eine andere Datei heißt ebenso, nur mit anderer Groß- und Kleinschreibung',
    size: 'die Datei ist zu groß',
  },
  carriedOutBy: (state: string, member: string) => `${state} auf ${member}`,
} as const;
