import { isEnglish } from '../text/text.ts';

/** What is stored in English for every language, such as messages of errors and guests: screen readers speak it as English. */
export function EnglishText({ children }: { readonly children: string }) {
  return isEnglish ? children : <span lang="en">{children}</span>;
}
