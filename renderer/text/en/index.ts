import { app, navigation, topBar } from './app.ts';
import { choices } from './choices.ts';
import { commandTexts } from './commands.ts';
import { configure } from './configure.ts';
import { deployments } from './deployments.ts';
import { editor } from './editor.ts';
import { endpoints } from './endpoints.ts';
import { fleet } from './fleet.ts';
import { forms } from './forms.ts';
import { home, vault } from './home.ts';
import { interchange } from './interchange.ts';
import { inventory } from './inventory.ts';
import { ledger } from './ledger.ts';
import { life } from './life.ts';
import { manual } from './manual.ts';
import { movers } from './movers.ts';
import { proof } from './proof.ts';
import { replicas } from './replicas.ts';
import { runs } from './runs.ts';
import { settings } from './settings.ts';
import { takeOver, trust } from './trust.ts';
import { units } from './units.ts';
import { validation } from './validation.ts';
import { waves } from './waves.ts';
import { widgets } from './widgets.ts';

/** Every text of the workbench, one file a feature, so that wording stays consistent and can be translated. The page takes them from `text/text.ts`. */
export const text = {
  app,
  choices,
  commands: commandTexts,
  configure,
  navigation,
  deployments,
  editor,
  endpoints,
  fleet,
  forms,
  home,
  vault,
  interchange,
  inventory,
  ledger,
  life,
  manual,
  movers,
  proof,
  replicas,
  runs,
  settings,
  takeOver,
  topBar,
  trust,
  units,
  validation,
  waves,
  widgets,
} as const;
