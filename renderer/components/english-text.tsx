import { isEnglish } from '../text/text.ts';
import { CodeSpans } from './code-spans.tsx';

/** What is stored in English for every language, such as messages of errors and guests: screen readers speak it as English. */
export function EnglishText({ children }: { readonly children: string }) {
  const words = <CodeSpans>{children}</CodeSpans>;
  return isEnglish ? words : <span lang="en">{words}</span>;
}
