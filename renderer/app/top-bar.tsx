import MoverIcon from '@mui/icons-material/DnsOutlined';
import BellIcon from '@mui/icons-material/NotificationsNoneOutlined';
import DotIcon from '@mui/icons-material/Circle';
import HelpIcon from '@mui/icons-material/HelpOutlineOutlined';
import SearchIcon from '@mui/icons-material/SearchOutlined';
import TrustedIcon from '@mui/icons-material/GppGoodOutlined';
import UntrustedIcon from '@mui/icons-material/GppMaybeOutlined';
import Badge from '@mui/material/Badge';
import Box from '@mui/material/Box';
import ButtonBase from '@mui/material/ButtonBase';
import IconButton from '@mui/material/IconButton';
import Link from '@mui/material/Link';
import Popover from '@mui/material/Popover';
import Typography from '@mui/material/Typography';
import { useState, type CSSProperties, type ReactNode } from 'react';
import { commands, type CommandId } from '../../shared/contract/commands.ts';
import type { MoverLink } from '../../shared/contract/mover-calls.ts';
import type { EngineState } from '../../shared/contract/shell.ts';
import { useRunQuery } from '../components/executions/use-run-query.ts';
import { timeOfDayText } from '../components/quantities.ts';
import { text } from '../text/text.ts';
import { acceleratorText } from './commands/shortcut-keys.ts';
import { Keys } from './commands/keys.tsx';
import { sectionOf } from './navigation.tsx';
import { usePageTitle } from './page-title.ts';
import { hrefOf, useRoute } from './route.ts';
import { shade, stateColor, topBarHeight, type StateFamily } from './theme.ts';
import { useMessages } from './toasts.tsx';
import { useQuery, useShell } from './workbench-context.tsx';

interface Props {
  readonly isMac: boolean;
  readonly onCommand: (command: CommandId) => void;
}

/** Words that give way to their icon where there is little room. */
const roomy = { display: { xs: 'none', lg: 'inline' } } as const;

/** Where one is, a way to anywhere else, and how the project stands. */
export function TopBar({ isMac, onCommand }: Props) {
  const shell = useShell();
  const hasProject = shell?.project !== undefined && shell.engine.state === 'running';
  return (
    <Box
      component="header"
      sx={{
        position: 'sticky',
        top: 0,
        zIndex: 'appBar',
        height: topBarHeight,
        flexShrink: 0,
        display: 'flex',
        alignItems: 'center',
        gap: 1.5,
        pr: 1.5,
        bgcolor: 'background.default',
      }}
    >
      <Breadcrumb />
      <CommandField isMac={isMac} onOpen={() => onCommand('palette.open')} />
      <Box
        sx={{
          flex: '1 0 auto',
          display: 'flex',
          alignItems: 'center',
          justifyContent: 'flex-end',
          gap: { xs: 1, lg: 1.5 },
        }}
      >
        {shell?.project !== undefined && shell.mover !== undefined && <MoverState link={shell.mover} />}
        {hasProject && <TrustState />}
        {shell?.project !== undefined && <EngineStatus engine={shell.engine} />}
        <MessageList />
        <IconButton size="small" href={hrefOf('manual')} aria-label={text.topBar.help} title={text.topBar.help}>
          <HelpIcon fontSize="small" />
        </IconButton>
      </Box>
    </Box>
  );
}

interface Crumb {
  readonly label: string;
  readonly path?: readonly string[];
}

function Breadcrumb() {
  const route = useRoute();
  const project = useShell()?.project;
  const title = usePageTitle();
  const section = sectionOf(route[0]);
  const crumbs: Crumb[] = [{ label: project?.name ?? text.home.title, path: [] }];
  if (route.length > 0 && section !== undefined) crumbs.push({ label: section.label, path: section.path });
  // The heading of a screen below its section; of the section itself the rail says it already.
  if (route.length > 1 && title !== '' && title !== section?.label) crumbs.push({ label: title });
  return (
    <Box component="nav" aria-label={text.topBar.breadcrumb} sx={{ flex: '4 1 0', minWidth: 0 }}>
      <Box
        component="ol"
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 0.75,
          m: 0,
          p: 0,
          listStyle: 'none',
          whiteSpace: 'nowrap',
          overflow: 'hidden',
        }}
      >
        {crumbs.map(({ label, path }, index) => {
          const isLast = index === crumbs.length - 1;
          return (
            <Box
              component="li"
              key={`${index} ${label}`}
              title={label}
              sx={{
                minWidth: index === 0 ? 24 : 0,
                flexShrink: index === 0 ? 4 : isLast ? 1 : 0,
                overflow: 'hidden',
                textOverflow: 'ellipsis',
                ...(isLast ? { fontWeight: 600 } : {}),
              }}
            >
              {index > 0 && (
                <Box component="span" aria-hidden sx={{ color: shade('text3'), mr: 0.75 }}>
                  ›
                </Box>
              )}
              {isLast || path === undefined ? (
                <span aria-current={isLast ? 'page' : undefined}>{label}</span>
              ) : (
                <Link href={hrefOf(...path)} underline="hover" sx={{ color: 'text.secondary' }}>
                  {label}
                </Link>
              )}
            </Box>
          );
        })}
      </Box>
    </Box>
  );
}

function CommandField({ isMac, onOpen }: { readonly isMac: boolean; readonly onOpen: () => void }) {
  return (
    <ButtonBase
      onClick={onOpen}
      sx={{
        flexShrink: 0,
        width: { xs: 140, sm: 200, md: 240, lg: 280, xl: 340 },
        height: 30,
        px: 1,
        gap: 1,
        justifyContent: 'flex-start',
        border: 1,
        borderColor: shade('lineStrong'),
        borderRadius: '5px',
        bgcolor: shade('raised'),
        color: 'text.secondary',
        font: 'inherit',
        '&:hover': { borderColor: 'action.active' },
      }}
    >
      <SearchIcon sx={{ fontSize: 16 }} />
      <Box
        component="span"
        title={text.topBar.command}
        sx={{ flexGrow: 1, textAlign: 'left', whiteSpace: 'nowrap', overflow: 'hidden', textOverflow: 'ellipsis' }}
      >
        {text.topBar.command}
      </Box>
      <Box component="span" sx={{ display: { xs: 'none', md: 'inline-flex' } }}>
        <Keys written={acceleratorText(commands['palette.open'].accelerator, isMac).replace('+', ' ')} />
      </Box>
    </ButtonBase>
  );
}

function TrustState() {
  const { data } = useQuery('trust.show', {}, ['shell.changed']);
  if (data === undefined) return null;
  const isGood = data.isAccepted && data.pending === 0;
  const words = !data.isAccepted
    ? text.topBar.notTrusted
    : data.pending > 0
      ? text.topBar.changes(data.pending)
      : text.topBar.trusted;
  return (
    <StatusLink path={['trust']} title={words}>
      {isGood ? (
        <TrustedIcon sx={{ fontSize: 18, color: stateColor('done', 'text') }} />
      ) : (
        <UntrustedIcon sx={{ fontSize: 18, color: stateColor('live', 'text') }} />
      )}
      <Box component="span" sx={roomy}>
        {words}
      </Box>
    </StatusLink>
  );
}

/** On which mover the project lies, and whether it can be reached. */
function MoverState({ link: { name, step } }: { readonly link: MoverLink }) {
  const isConnected = step === 'connected';
  return (
    <StatusLink path={[]} title={text.movers.status(name, text.movers.steps[step])}>
      <MoverIcon
        sx={{ fontSize: 18, color: stateColor(isConnected ? 'done' : 'live', 'text') }}
        titleAccess={text.movers.status(name, text.movers.steps[step])}
      />
      <Box component="span" sx={{ maxWidth: 160, overflow: 'hidden', textOverflow: 'ellipsis' }}>
        {name}
      </Box>
    </StatusLink>
  );
}

const familyOf: Readonly<Record<EngineState['state'], StateFamily>> = {
  none: 'idle',
  starting: 'live',
  running: 'done',
  restarting: 'live',
  'given-up': 'bad',
  elsewhere: 'idle',
  disconnected: 'live',
};

function EngineStatus({ engine: { state } }: { readonly engine: EngineState }) {
  return state === 'running' ? (
    <RunningEngine />
  ) : (
    <EngineLink family={familyOf[state]} words={text.topBar.engineStates[state]} />
  );
}

function RunningEngine() {
  const queue = useRunQuery('queue.show', {}, 'states').data;
  if (queue === undefined) return <EngineLink family="done" words={text.topBar.engineStates.running} />;
  const { atOnce, executions, deployments } = queue;
  const waiting = executions.waiting + deployments.waiting;
  const words = text.topBar.running(executions.running + deployments.running, atOnce);
  return <EngineLink family="done" words={waiting === 0 ? words : `${words} · ${text.topBar.queued(waiting)}`} />;
}

function EngineLink({ family, words }: { readonly family: StateFamily; readonly words: string }) {
  return (
    <StatusLink path={['replicas']} title={`${text.topBar.engine}: ${words}`}>
      <DotIcon sx={{ fontSize: 11, color: stateColor(family, family === 'done' ? 'text' : 'solid') }} />
      <Box component="span" sx={{ ...roomy, color: 'text.secondary' }}>
        {text.topBar.engine}
      </Box>
      <Box component="span" sx={{ display: { xs: 'none', md: 'inline' } }}>
        {words}
      </Box>
    </StatusLink>
  );
}

function StatusLink({
  path,
  title,
  children,
}: {
  readonly path: readonly string[];
  readonly title: string;
  readonly children: ReactNode;
}) {
  return (
    <Link
      href={hrefOf(...path)}
      title={title}
      underline="hover"
      color="inherit"
      sx={{ display: 'inline-flex', alignItems: 'center', gap: 0.75, minHeight: 24, whiteSpace: 'nowrap' }}
    >
      {children}
    </Link>
  );
}

/** What was said since the page was opened, for those who looked elsewhere. */
function MessageList() {
  const { kept, unseen, markSeen } = useMessages();
  const [anchor, setAnchor] = useState<HTMLElement>();
  return (
    <>
      <IconButton
        size="small"
        aria-label={text.topBar.unseen(unseen)}
        title={text.topBar.messages}
        onClick={(event) => {
          setAnchor(event.currentTarget);
          markSeen();
        }}
      >
        {/* The number is drawn, not written: the button's name says it in words. */}
        <Badge
          variant="dot"
          invisible={unseen === 0}
          color="primary"
          slotProps={{ badge: { style: { '--unseen': `"${unseen}"` } as CSSProperties } }}
          sx={{
            '& .MuiBadge-badge': {
              height: 16,
              minWidth: 16,
              px: 0.5,
              borderRadius: '8px',
              fontSize: 10,
              fontWeight: 600,
            },
            '& .MuiBadge-badge::after': { content: 'var(--unseen)' },
          }}
        >
          <BellIcon fontSize="small" />
        </Badge>
      </IconButton>
      <Popover
        open={anchor !== undefined}
        anchorEl={anchor ?? null}
        onClose={() => setAnchor(undefined)}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
        transformOrigin={{ vertical: 'top', horizontal: 'right' }}
        slotProps={{
          paper: { role: 'dialog', 'aria-label': text.topBar.messages, sx: { width: 360, maxHeight: 420, p: 1.5 } },
        }}
      >
        <Typography variant="subtitle1" component="h2" sx={{ mb: 0.5 }}>
          {text.topBar.messages}
        </Typography>
        {kept.length === 0 && <Typography sx={{ color: 'text.secondary' }}>{text.topBar.noMessages}</Typography>}
        <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none' }}>
          {kept.map(({ text: message, at, action }) => (
            <Box
              component="li"
              key={`${at} ${message}`}
              sx={{ display: 'flex', gap: 1.5, py: 0.75, borderTop: 1, borderColor: 'divider' }}
            >
              <Typography sx={{ flexGrow: 1, overflowWrap: 'anywhere', minWidth: 0 }}>
                {message}
                {action !== undefined && 'path' in action && (
                  <>
                    {' '}
                    <Link href={hrefOf(...action.path)} onClick={() => setAnchor(undefined)}>
                      {action.label}
                    </Link>
                  </>
                )}
              </Typography>
              <Typography variant="caption" sx={{ color: 'text.secondary', whiteSpace: 'nowrap', lineHeight: '20px' }}>
                {timeOfDayText(at)}
              </Typography>
            </Box>
          ))}
        </Box>
      </Popover>
    </>
  );
}
