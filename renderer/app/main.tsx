import './parsers-without-eval.ts';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import { language, loadChosenLanguage } from '../text/chosen-language.ts';
import { takePageSecret } from './page-secret.ts';

takePageSecret();
document.documentElement.lang = language;
// Modules of the page take their texts as they are loaded.
await loadChosenLanguage();
const { startWorkbench } = await import('./workbench.tsx');
startWorkbench();
