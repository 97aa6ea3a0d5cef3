import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState, type ReactNode } from 'react';
import type { MemberEstimate, WaveEstimate as Estimate } from '../../../shared/model/wave-estimate.ts';
import { waveActions, type WaveAction } from '../../../shared/model/wave-action.ts';
import type { WaveDetail } from '../../../shared/model/wave.ts';
import { monthlyCosts, readPriceList, type PriceList } from '../../../shared/reports/price-list.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { FileButton } from '../../components/file-button.tsx';
import { PagedTable, type Column } from '../../components/paged-table.tsx';
import { bytesText, durationText, timeText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { Section } from '../../components/section.tsx';
import { rateOf } from '../../components/written-rate.ts';
import { locale, text } from '../../text/text.ts';
import { priceProblemWords } from './price-problem-words.ts';

const words = text.waves.estimate;

/** How long the wave will take, and what it needs: from what was measured so far, for limits that can be tried. */
export function WaveEstimate({ wave, first }: { readonly wave: WaveDetail; readonly first: WaveAction }) {
  const [isOpen, setOpen] = useState(false);
  const [action, setAction] = useState<WaveAction>(first === 'rehearse' ? 'cut-over' : first);
  const [written, setAtOnce] = useState<string>();
  // A plan that is saved meanwhile counts.
  const atOnce = written ?? String(wave.plan?.atOnce ?? 4);
  const [limit, setLimit] = useState('');
  if (!isOpen) {
    return (
      <Box>
        <Button size="small" variant="outlined" onClick={() => setOpen(true)}>
          {words.open}
        </Button>
      </Box>
    );
  }
  const number = Number(atOnce);
  const isNumber = Number.isInteger(number) && number >= 1 && number <= 32;
  const rate = rateOf(limit);
  return (
    <Section title={words.title}>
      <Typography sx={{ color: 'text.secondary', mb: 1.5 }}>{words.lead}</Typography>
      <Box sx={{ display: 'flex', gap: 2, flexWrap: 'wrap', mb: 1.5 }}>
        <TextField
          select
          size="small"
          label={text.waves.action}
          value={action}
          onChange={(event) => setAction(event.target.value as WaveAction)}
          sx={{ width: 200 }}
        >
          {waveActions.map((one) => (
            <MenuItem key={one} value={one}>
              {text.waves.actionNouns[one]}
            </MenuItem>
          ))}
        </TextField>
        <TextField
          type="number"
          size="small"
          label={text.waves.atOnce}
          value={atOnce}
          error={!isNumber}
          onChange={(event) => setAtOnce(event.target.value)}
          slotProps={{ htmlInput: { min: 1, max: 32 } }}
          sx={{ width: 160 }}
        />
        <TextField
          size="small"
          label={words.limit}
          value={limit}
          error={rate === 'invalid'}
          helperText={words.limitHelp}
          onChange={(event) => setLimit(event.target.value)}
          slotProps={{ htmlInput: { spellCheck: false } }}
          sx={{ width: 240 }}
        />
      </Box>
      {isNumber && rate !== 'invalid' && <Result wave={wave.name} action={action} atOnce={number} rate={rate} />}
    </Section>
  );
}

function Result({
  wave,
  action,
  atOnce,
  rate,
}: {
  readonly wave: string;
  readonly action: WaveAction;
  readonly atOnce: number;
  readonly rate: number | undefined;
}) {
  const query = useRunQuery(
    'wave.estimate',
    { wave, action, atOnce, ...(rate === undefined ? {} : { bytesPerSecond: rate }) },
    'states',
  );
  return (
    <QueryView query={query}>
      {(estimate) => (
        <Box
          sx={{
            display: 'flex',
            flexDirection: 'column',
            gap: 2,
            '&& .MuiTableCell-root:first-of-type': { pl: 2 },
            '&& .MuiTableCell-root:last-of-type': { pr: 2 },
          }}
        >
          <Figures estimate={estimate} />
          {estimate.windowEndedAt !== undefined && (
            <Alert severity="warning">{words.windowOver(timeText(estimate.windowEndedAt))}</Alert>
          )}
          {estimate.fits === false && (
            <Alert severity="warning">
              {words.tooShort(durationText(estimate.seconds ?? 0), durationText(estimate.windowSeconds ?? 0))}
            </Alert>
          )}
          {estimate.quotas
            .filter(({ needed, free }) => needed > free)
            .map((one) => (
              <Alert key={`${one.endpoint} ${one.quota}`} severity="error">
                {words.quotaShort(
                  words.quotas[one.quota as keyof typeof words.quotas] ?? one.quota,
                  one.endpoint,
                  one.needed,
                  one.free,
                  one.at === undefined ? undefined : timeText(one.at),
                )}
              </Alert>
            ))}
          {estimate.networks.map(({ network, nics, addresses, outside }) => (
            <Networks key={network} network={network} nics={nics} addresses={addresses} outside={outside} />
          ))}
          <PagedTable
            label={words.members}
            columns={columns}
            rows={estimate.memberList}
            rowKey={({ replicaId }) => replicaId}
          />
          <Costs needs={estimate.needs} />
        </Box>
      )}
    </QueryView>
  );
}

function Figures({
  estimate: { seconds, windowSeconds, downtimeSeconds, bytesToSend, needs },
}: {
  readonly estimate: Estimate;
}) {
  return (
    <Box
      component="dl"
      sx={{
        display: 'flex',
        columnGap: 5,
        rowGap: 1,
        flexWrap: 'wrap',
        m: 0,
        '& dt': { color: 'text.secondary', fontSize: 12 },
        '& dd': { m: 0, fontWeight: 550, fontVariantNumeric: 'tabular-nums' },
      }}
    >
      <Figure name={words.figures.time}>{seconds === undefined ? words.unknown : durationText(seconds)}</Figure>
      {windowSeconds !== undefined && <Figure name={words.figures.window}>{durationText(windowSeconds)}</Figure>}
      {downtimeSeconds !== undefined && <Figure name={words.figures.downtime}>{durationText(downtimeSeconds)}</Figure>}
      <Figure name={words.figures.send}>{bytesText(bytesToSend)}</Figure>
      <Figure name={words.figures.needs}>
        {words.needs(
          needs.servers,
          needs.vcpus,
          bytesText(needs.memoryMb * 1024 ** 2),
          needs.volumes,
          bytesText(needs.volumeBytes),
        )}
      </Figure>
    </Box>
  );
}

function Figure({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A network is told of where somebody should look at it. */
function Networks({ network, nics, addresses, outside }: Estimate['networks'][number]) {
  const isTooSmall = addresses !== undefined && nics > addresses;
  if (!isTooSmall && outside.length === 0) return null;
  return (
    <Alert severity="error">
      {isTooSmall && <div>{words.networkSmall(network, nics, addresses)}</div>}
      {outside.length > 0 && (
        <div>
          {words.outside(
            network,
            outside
              .slice(0, 5)
              .map(({ name, address }) => `${name} ${address}`)
              .join(', '),
            outside.length,
          )}
        </div>
      )}
    </Alert>
  );
}

/** Prices belong to the user, and stay in this page. */
function Costs({ needs }: Pick<Estimate, 'needs'>) {
  const [prices, setPrices] = useState<PriceList>();
  const money = new Intl.NumberFormat(locale, { maximumFractionDigits: 2, minimumFractionDigits: 2 });
  const costs = prices === undefined ? [] : monthlyCosts(needs, prices);
  return (
    <Box>
      <FileButton label={words.prices} endings=".csv" size="small" onText={(csv) => setPrices(readPriceList(csv))} />
      {prices === undefined && (
        <Typography variant="caption" sx={{ color: 'text.secondary', ml: 1.5 }}>
          {words.pricesHelp}
        </Typography>
      )}
      {prices?.problems.map((problem) => (
        <Alert key={JSON.stringify(problem)} severity="warning" sx={{ mt: 1 }}>
          {priceProblemWords(problem)}
        </Alert>
      ))}
      {prices !== undefined && costs.length > 0 && (
        <Typography role="status" sx={{ mt: 1 }}>
          {words.cost(
            `${money.format(costs.reduce((sum, { perMonth }) => sum + perMonth, 0))} ${prices.currency}`.trim(),
          )}
          {` (${costs.map(({ item, perMonth }) => `${words.items[item]} ${money.format(perMonth)}`).join(', ')})`}
        </Typography>
      )}
    </Box>
  );
}

const time = (seconds: number | undefined): string => (seconds === undefined ? '–' : durationText(seconds));
const columns: readonly Column<MemberEstimate>[] = [
  { id: 'name', label: words.columns.name, sortBy: ({ name }) => name, cell: ({ name }) => name },
  { id: 'basis', label: words.columns.basis, cell: ({ basis, executions }) => words.bases[basis](executions) },
  {
    id: 'change',
    label: words.columns.change,
    align: 'right',
    sortBy: ({ changeBytesPerSecond = 0 }) => changeBytesPerSecond,
    cell: ({ changeBytesPerSecond }) =>
      changeBytesPerSecond === undefined ? '–' : bytesText(changeBytesPerSecond * 86_400),
  },
  {
    id: 'sent',
    label: words.columns.sent,
    align: 'right',
    cell: ({ sentShare }) => (sentShare === undefined ? '–' : words.percent(Math.round(sentShare * 100))),
  },
  {
    id: 'pass',
    label: words.columns.pass,
    align: 'right',
    sortBy: ({ passBytes }) => passBytes,
    cell: ({ passBytes }) => bytesText(passBytes),
  },
  {
    id: 'last',
    label: words.columns.last,
    align: 'right',
    cell: ({ lastPassBytes }) => (lastPassBytes === undefined ? '–' : bytesText(lastPassBytes)),
  },
  {
    id: 'ends',
    label: words.columns.ends,
    align: 'right',
    sortBy: ({ endSeconds = Infinity }) => endSeconds,
    cell: ({ endSeconds }) => time(endSeconds),
  },
  {
    id: 'downtime',
    label: words.columns.downtime,
    align: 'right',
    sortBy: ({ downtimeSeconds = Infinity }) => downtimeSeconds,
    cell: ({ downtimeSeconds }) => time(downtimeSeconds),
  },
];
