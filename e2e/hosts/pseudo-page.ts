import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Page } from 'playwright';

const root = join(import.meta.dirname, '..', '..');

/** Builds the page with the pseudo-language in it, which no other build has. */
export async function buildPseudoPage(folder: string): Promise<void> {
  await promisify(execFile)(
    process.execPath,
    [
      join(root, 'node_modules/vite/bin/vite.js'),
      'build',
      join(root, 'renderer'),
      '--mode',
      'pseudo',
      '--outDir',
      folder,
      '--emptyOutDir',
      '--assetsInlineLimit',
      '0',
      '--logLevel',
      'error',
    ],
    {
      cwd: root,
      env: { ...process.env, NODE_ENV: 'production' },
    },
  );
}

/** What the page got from the workbench and the engine: data, which no catalogue translates. */
export function followData(page: Page): ReadonlySet<string> {
  const data = new Set<string>();
  const collect = (value: unknown): void => {
    if (typeof value === 'string') data.add(value.trim().replaceAll(/\s+/g, ' '));
    else if (typeof value === 'object' && value !== null)
      for (const [key, member] of Object.entries(value)) {
        data.add(key);
        collect(member);
      }
  };
  page.on('websocket', (socket) => {
    const read = ({ payload }: { readonly payload: string | Buffer }): void => collect(JSON.parse(String(payload)));
    socket.on('framereceived', read);
    socket.on('framesent', read);
  });
  return data;
}

export interface PageTexts {
  /** Texts between tags and in attributes that are read aloud, without what stands in brackets. */
  readonly written: readonly { readonly where: string; readonly text: string }[];
  readonly cutOff: readonly string[];
}

/** Everything that somebody can read on the page as it stands, and what of it is cut off. */
export function textsOf(page: Page): Promise<PageTexts> {
  return page.evaluate(() => {
    const written: { where: string; text: string }[] = [];
    const cutOff: string[] = [];
    const nameOf = (element: Element): string =>
      `${element.tagName.toLowerCase()}${element.getAttribute('class')?.match(/Mui\w+-root/)?.[0] ?? ''}`;
    const add = (element: Element, text: string | null): void => {
      const rest = (text ?? '')
        .replaceAll(/\[[^[\]]*\]/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim();
      if (/\p{L}{2}/u.test(rest)) written.push({ where: nameOf(element), text: rest });
    };
    /** The nearest ancestor that hides the end of a text without saying it anywhere else. */
    const hides = (node: Node): Element | undefined => {
      const range = document.createRange();
      range.selectNodeContents(node);
      const { left, right, top, bottom } = range.getBoundingClientRect();
      // Moved out of the page until it has the focus.
      if (right <= 0 || bottom <= 0) return undefined;
      // The label of a field has one line; where a language needs more than the field's width, it ends in an ellipsis.
      if (node.parentElement?.matches('.MuiInputLabel-root, .MuiInputLabel-root *') === true) return undefined;
      for (let element = node.parentElement; element !== null; element = element.parentElement) {
        const { overflowX, overflowY, position, clipPath } = getComputedStyle(element);
        if (
          clipPath !== 'none' ||
          position === 'fixed' ||
          overflowX === 'auto' ||
          overflowX === 'scroll' ||
          overflowY === 'auto' ||
          overflowY === 'scroll'
        )
          return undefined;
        const frame = element.getBoundingClientRect();
        const isHidden =
          (overflowX !== 'visible' && (right > frame.right + 1 || left < frame.left - 1)) ||
          (overflowY !== 'visible' && (bottom > frame.bottom + 2 || top < frame.top - 2));
        if (isHidden) {
          // Told elsewhere: by a title or a name of the text itself.
          for (let told = node.parentElement; told !== null; told = told.parentElement) {
            if (told.matches('[title], [aria-label], fieldset')) return undefined;
            if (told === element) return element;
          }
        }
      }
      return undefined;
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const element = node.parentElement!;
      if (
        element.closest('script, style, noscript, textarea, pre, kbd, legend') !== null ||
        !element.checkVisibility({ visibilityProperty: true })
      )
        continue;
      add(element, node.textContent);
      if ((node.textContent ?? '').trim() === '') continue;
      const hider = hides(node);
      if (hider !== undefined) cutOff.push(`${nameOf(hider)}: ${node.textContent}`);
    }
    for (const element of document.querySelectorAll(
      '[aria-label], [title], [placeholder], [alt], [aria-valuetext], [aria-roledescription]',
    )) {
      if (!element.checkVisibility()) continue;
      for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'aria-valuetext', 'aria-roledescription'])
        add(element, element.getAttribute(name));
    }
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) cutOff.push(`the page is ${scrollWidth - clientWidth} pixels too wide`);
    return { written, cutOff };
  });
}
