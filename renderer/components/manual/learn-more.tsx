import Link from '@mui/material/Link';
import { lazy, Suspense, useState } from 'react';
import type { ErrorCode } from '../../../shared/model/errors/catalogue.ts';
import { manualAnchors, manualPages } from '../../../shared/manual/addresses.ts';
import { findingName } from '../../../shared/validation/finding-texts.ts';
import { manualHref } from '../../app/route.ts';
import { findingWords, text } from '../../text/text.ts';

/** With the manual's pages, which nothing else needs. */
const SectionDrawer = lazy(async () => ({ default: (await import('./section-drawer.tsx')).SectionDrawer }));

interface Props {
  readonly page: string;
  readonly anchor: string;
  /** What it is about, for those who come upon the link alone. */
  readonly about: string;
}

/** Opens a section of the manual beside what somebody works on, so that nothing that is not saved has to be left. */
export function LearnMore({ page, anchor, about }: Props) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Link
        href={manualHref(page, anchor)}
        // Not its label: what searches for a field by its label must find the field alone.
        title={text.manual.learnMoreOf(about)}
        variant="caption"
        onClick={(event) => {
          // With a modifier the browser opens the whole page elsewhere.
          if (event.ctrlKey || event.metaKey || event.shiftKey) return;
          event.preventDefault();
          setIsOpen(true);
        }}
        sx={{ whiteSpace: 'nowrap' }}
      >
        {text.manual.learnMore}
      </Link>
      {isOpen && (
        <Suspense>
          <SectionDrawer page={page} anchor={anchor} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

/** What the manual says of a finding's rule; nothing for a rule that it does not know. */
export function LearnMoreOfFinding({ rule }: { readonly rule: string }) {
  const found = findingWords(rule);
  return found === undefined ? null : (
    <LearnMore page={manualPages.failures} anchor={manualAnchors.finding(findingName(rule))} about={found.title} />
  );
}

export function LearnMoreOfError({ code, title }: { readonly code: ErrorCode; readonly title: string }) {
  return <LearnMore page={manualPages.failures} anchor={manualAnchors.error(code)} about={title} />;
}
