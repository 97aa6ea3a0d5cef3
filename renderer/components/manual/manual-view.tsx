import Box from '@mui/material/Box';
import type { Token, Tokens } from 'marked';
import { Fragment, type ReactNode } from 'react';
import { manualHref } from '../../app/route.ts';
import { fonts } from '../../app/theme.ts';
import { linkTarget, unescaped, type ManualSection } from './manual-pages.ts';

interface Props {
  /** The page that links on it start from. */
  readonly page: string;
  readonly sections: readonly ManualSection[];
}

/** The id of a section's heading in the document. */
export const headingId = (anchor: string): string => `manual-${anchor}`;

/** Sections of the manual. Tokens become elements one by one: no HTML of a page ever reaches the document. */
export function ManualView({ page, sections }: Props) {
  return (
    <Box
      sx={{
        lineHeight: 1.6,
        overflowWrap: 'anywhere',
        minWidth: 0,
        '& h2': { fontSize: 22, mt: 4, mb: 1.5, pb: 0.5, borderBottom: 1, borderColor: 'divider' },
        '& h3': { fontSize: 18, mt: 3, mb: 1 },
        '& h4': { fontSize: 16, mt: 2.5, mb: 0.5 },
        '& h2:first-of-type': { mt: 0 },
        '& :is(h2,h3,h4)': { fontWeight: 600, scrollMarginTop: 16 },
        '& :is(h2,h3,h4):focus-visible': { outline: 2, outlineColor: 'primary.main', outlineOffset: 4 },
        '& p': { my: 1 },
        '& :is(ul,ol)': { pl: 3, my: 1 },
        '& li': { mb: 0.25 },
        '& a': { color: 'primary.main' },
        '& code': { fontFamily: fonts.code, fontSize: '0.9em' },
        '& :not(pre) > code': { bgcolor: 'action.hover', borderRadius: 0.5, px: 0.5 },
        '& pre': {
          bgcolor: 'action.hover',
          border: 1,
          borderColor: 'divider',
          borderRadius: 1,
          p: 1.5,
          overflowX: 'auto',
          overflowWrap: 'normal',
        },
        '& .table': { overflowX: 'auto', my: 1.5 },
        '& table': { borderCollapse: 'collapse', minWidth: '60%' },
        '& :is(th,td)': {
          border: 1,
          borderColor: 'divider',
          px: 1,
          py: 0.5,
          textAlign: 'left',
          verticalAlign: 'top',
          overflowWrap: 'break-word',
        },
        '& th': { bgcolor: 'action.hover', fontWeight: 600 },
      }}
    >
      {sections.map((section) => (
        <Fragment key={section.anchor}>
          <Heading page={page} section={section} />
          {blocks(section.blocks, page)}
        </Fragment>
      ))}
    </Box>
  );
}

function Heading({
  page,
  section: { anchor, level, heading },
}: {
  readonly page: string;
  readonly section: ManualSection;
}) {
  if (anchor === '') return null;
  const Element = level <= 2 ? 'h2' : level === 3 ? 'h3' : 'h4';
  return (
    <Element id={headingId(anchor)} tabIndex={-1}>
      {inline(heading, page)}
    </Element>
  );
}

function blocks(tokens: readonly Token[], page: string): ReactNode {
  return tokens.map((token, index) => <Fragment key={index}>{block(token, page)}</Fragment>);
}

function block(token: Token, page: string): ReactNode {
  switch (token.type) {
    case 'paragraph':
      return <p>{inline((token as Tokens.Paragraph).tokens, page)}</p>;
    case 'text':
      return 'tokens' in token && token.tokens !== undefined ? inline(token.tokens, page) : unescaped(token.raw);
    case 'list': {
      const { ordered, start, items } = token as Tokens.List;
      const children = items.map((item, index) => <li key={index}>{blocks(item.tokens, page)}</li>);
      return ordered ? <ol start={typeof start === 'number' ? start : 1}>{children}</ol> : <ul>{children}</ul>;
    }
    case 'code':
      return (
        <pre tabIndex={0}>
          <code>{(token as Tokens.Code).text}</code>
        </pre>
      );
    case 'table':
      return <TableBlock table={token as Tokens.Table} page={page} />;
    case 'blockquote':
      return <blockquote>{blocks((token as Tokens.Blockquote).tokens, page)}</blockquote>;
    case 'hr':
      return <hr />;
    case 'space':
      return null;
    default:
      return token.raw;
  }
}

function TableBlock({ table: { header, rows }, page }: { readonly table: Tokens.Table; readonly page: string }) {
  return (
    <div className="table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {header.map((cell, index) => (
              <th key={index} scope="col">
                {inline(cell.tokens, page)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, at) => (
                <td key={at}>{inline(cell.tokens, page)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(tokens: readonly Token[], page: string): ReactNode {
  return tokens.map((token, index) => <Fragment key={index}>{span(token, page)}</Fragment>);
}

function span(token: Token, page: string): ReactNode {
  switch (token.type) {
    case 'strong':
      return <strong>{inline((token as Tokens.Strong).tokens, page)}</strong>;
    case 'em':
      return <em>{inline((token as Tokens.Em).tokens, page)}</em>;
    case 'codespan':
      return <code>{unescaped((token as Tokens.Codespan).text)}</code>;
    case 'br':
      return <br />;
    case 'link': {
      const { href, tokens } = token as Tokens.Link;
      const target = linkTarget(page, href);
      // Nothing leads out of the workbench.
      return target === undefined ? (
        inline(tokens, page)
      ) : (
        <a href={manualHref(target.page, target.anchor)}>{inline(tokens, page)}</a>
      );
    }
    case 'text':
      return 'tokens' in token && token.tokens !== undefined
        ? inline(token.tokens, page)
        : unescaped((token as Tokens.Text).text);
    case 'escape':
      return unescaped((token as Tokens.Escape).text);
    default:
      return token.raw;
  }
}
