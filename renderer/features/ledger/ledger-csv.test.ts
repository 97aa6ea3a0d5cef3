import { expect, test } from 'vitest';
import type { LedgerItem } from '../../../shared/model/ledger.ts';
import { ledgerCsv } from './ledger-csv.ts';

const item: LedgerItem = {
  entryId: 'l_1',
  endpointId: 'ep_1',
  endpointName: 'Cloud, "prod"',
  kind: 'volume',
  key: 'disk-0',
  name: '=HYPERLINK("x")',
  lifetime: 'replica',
  state: 'existing',
  resourceId: 'v-1',
  details: {},
  createdAt: '2026-11-20T00:00:00Z',
};

test('a ledger is saved for a spreadsheet, where names are no formulas', () => {
  expect(ledgerCsv([item], () => ({ words: 'Replica web' }))).toBe(
    'endpoint,kind,name,id,belongs to,state,orphan,since\r\n"Cloud, ""prod""",volume,"\'=HYPERLINK(""x"")",v-1,Replica web,existing,,2026-11-20T00:00:00Z\r\n',
  );
});
