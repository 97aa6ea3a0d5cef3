import { app, navigation } from './en/app.ts';
import { commandTexts } from './en/commands.ts';
import { configure } from './en/configure.ts';
import { deployments } from './en/deployments.ts';
import { endpoints } from './en/endpoints.ts';
import { forms } from './en/forms.ts';
import { home, vault } from './en/home.ts';
import { inventory } from './en/inventory.ts';
import { ledger } from './en/ledger.ts';
import { manual } from './en/manual.ts';
import { replicas } from './en/replicas.ts';
import { runs } from './en/runs.ts';
import { settings } from './en/settings.ts';
import { takeOver, trust } from './en/trust.ts';
import { validation } from './en/validation.ts';

/** Every text of the workbench, one file a feature, so that wording stays consistent and can be translated. */
export const text = { app, commands: commandTexts, configure, navigation, deployments, endpoints, forms, home, vault, inventory, ledger, manual, replicas, runs, settings, takeOver, trust, validation } as const;
