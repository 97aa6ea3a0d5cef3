import './parsers-without-eval.ts';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import { language, loadChosenLanguage } from '../text/chosen-language.ts';
import { takePageSecret } from './page-secret.ts';

takePageSecret();
document.documentElement.lang = language;
// Modules of the page take their texts as they are loaded.
await loadChosenLanguage();
// What most screens share is evaluated in a task of its own.
await import('./theme.ts');
await new Promise((resolve) => setTimeout(resolve));
const { startWorkbench } = await import('./workbench.tsx');
startWorkbench();
