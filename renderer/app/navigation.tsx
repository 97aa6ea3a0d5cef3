import AccountBalanceIcon from '@mui/icons-material/ReceiptLongOutlined';
import DnsIcon from '@mui/icons-material/DnsOutlined';
import FactCheckIcon from '@mui/icons-material/FactCheckOutlined';
import FolderIcon from '@mui/icons-material/FolderOutlined';
import FleetIcon from '@mui/icons-material/LanOutlined';
import ExchangeIcon from '@mui/icons-material/ImportExportOutlined';
import HubIcon from '@mui/icons-material/HubOutlined';
import ManualIcon from '@mui/icons-material/MenuBookOutlined';
import ShieldIcon from '@mui/icons-material/ShieldOutlined';
import SettingsIcon from '@mui/icons-material/SettingsOutlined';
import VerifiedIcon from '@mui/icons-material/VerifiedOutlined';
import WavesIcon from '@mui/icons-material/LayersOutlined';
import TuneIcon from '@mui/icons-material/TuneOutlined';
import SyncIcon from '@mui/icons-material/SyncOutlined';
import Box from '@mui/material/Box';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import { useId, type ComponentType, type ReactNode } from 'react';
import { text } from '../text/text.ts';
import { hrefOf, useRoute } from './route.ts';
import { shade, topBarHeight } from './theme.ts';

interface Entry {
  readonly icon: ComponentType;
  readonly label: string;
  readonly path: readonly string[];
  /** First parts of the routes that belong to it. */
  readonly covers: readonly (string | undefined)[];
}

const home: Entry = { icon: FolderIcon, label: text.navigation.home, path: [], covers: [undefined] };

/** In the order of a migration; the last group stands at the foot. */
const groups: readonly { readonly title?: string; readonly entries: readonly Entry[] }[] = [
  {
    title: text.navigation.groups.plan,
    entries: [
      home,
      { icon: DnsIcon, label: text.navigation.inventory, path: ['inventory'], covers: ['inventory'] },
      { icon: WavesIcon, label: text.navigation.waves, path: ['waves'], covers: ['waves'] },
      { icon: FactCheckIcon, label: text.navigation.check, path: ['check'], covers: ['check'] },
    ],
  },
  {
    title: text.navigation.groups.move,
    entries: [
      {
        icon: SyncIcon,
        label: text.navigation.replicas,
        path: ['replicas'],
        covers: ['replicas', 'runs', 'deployments'],
      },
      { icon: FleetIcon, label: text.navigation.fleet, path: ['fleet'], covers: ['fleet'] },
    ],
  },
  {
    title: text.navigation.groups.prove,
    entries: [{ icon: VerifiedIcon, label: text.navigation.evidence, path: ['evidence'], covers: ['evidence'] }],
  },
  {
    title: text.navigation.groups.setUp,
    entries: [
      { icon: HubIcon, label: text.navigation.endpoints, path: ['endpoints'], covers: ['endpoints'] },
      { icon: TuneIcon, label: text.navigation.defaults, path: ['defaults'], covers: ['defaults'] },
      { icon: ShieldIcon, label: text.navigation.trust, path: ['trust'], covers: ['trust'] },
      { icon: AccountBalanceIcon, label: text.navigation.ledger, path: ['ledger'], covers: ['ledger'] },
      { icon: ExchangeIcon, label: text.navigation.interchange, path: ['interchange'], covers: ['interchange'] },
    ],
  },
  {
    entries: [
      { icon: SettingsIcon, label: text.navigation.settings, path: ['settings'], covers: ['settings'] },
      { icon: ManualIcon, label: text.navigation.manual, path: ['manual'], covers: ['manual'] },
    ],
  },
];

/** The screen of the rail that an address belongs to; undefined for an unknown one. */
export function sectionOf(first: string | undefined): Pick<Entry, 'label' | 'path'> | undefined {
  return groups.flatMap(({ entries }) => entries).find(({ covers }) => covers.includes(first));
}

/** In pixels; icons alone below the width `lg`. */
export const railWidth = { xs: 56, lg: 216 } as const;

const wide = { display: { xs: 'none', lg: 'block' } } as const;
/** Read aloud, and seen nowhere. */
const unseen = {
  position: 'absolute',
  width: '1px',
  height: '1px',
  overflow: 'hidden',
  clipPath: 'inset(50%)',
} as const;

/**
 * The rail of screens at the left; icons alone where there is little room.
 *
 * @param foot what goes on right now, above the settings
 */
export function Navigation({ foot }: { readonly foot?: ReactNode }) {
  const [first] = useRoute();
  return (
    <Box
      component="nav"
      aria-label={text.navigation.label}
      sx={{
        width: railWidth,
        flexShrink: 0,
        position: 'sticky',
        top: 0,
        height: '100vh',
        overflowY: 'auto',
        display: 'flex',
        flexDirection: 'column',
        pb: 1,
      }}
    >
      <Box
        sx={{
          display: 'flex',
          alignItems: 'center',
          gap: 1.25,
          px: { xs: 1.75, lg: 1.5 },
          height: topBarHeight,
          flexShrink: 0,
        }}
      >
        <Box component="img" src="/icon.svg" alt="" sx={{ width: 28, height: 28 }} />
        <Typography sx={{ ...wide, fontSize: 15, fontWeight: 650 }}>{text.app.name}</Typography>
      </Box>
      {groups.map(({ title, entries }, index) => (
        <Box key={title ?? ''} sx={title === undefined ? { mt: 'auto' } : index === 0 ? {} : { mt: { xs: 1, lg: 0 } }}>
          {title === undefined && <Box sx={wide}>{foot}</Box>}
          <Group title={title} entries={entries} first={first} />
        </Box>
      ))}
    </Box>
  );
}

function Group({
  title,
  entries,
  first,
}: {
  readonly title: string | undefined;
  readonly entries: readonly Entry[];
  readonly first: string | undefined;
}) {
  const id = useId();
  return (
    <>
      {title !== undefined && (
        <Typography
          id={id}
          component="div"
          sx={{
            ...wide,
            fontSize: 11,
            lineHeight: '16px',
            fontWeight: 500,
            color: shade('text3'),
            px: 2,
            pt: 1.25,
            pb: 0.5,
          }}
        >
          {title}
        </Typography>
      )}
      <List disablePadding {...(title === undefined ? {} : { 'aria-labelledby': id })} sx={{ px: 1 }}>
        {entries.map(({ icon: Icon, label: name, path, covers }) => {
          const isHere = covers.includes(first);
          return (
            <ListItem key={name} disablePadding>
              <ListItemButton
                href={hrefOf(...path)}
                component="a"
                selected={isHere}
                aria-current={isHere ? 'page' : undefined}
                title={name}
                sx={{
                  borderRadius: '5px',
                  minHeight: 29,
                  py: 0.25,
                  px: { xs: 1.25, lg: 1 },
                  color: isHere ? 'text.primary' : 'text.secondary',
                  '&.Mui-selected, &.Mui-selected:hover': {
                    bgcolor: 'background.paper',
                    boxShadow: 'inset 3px 0 0 var(--mui-palette-primary-main)',
                  },
                }}
              >
                <ListItemIcon
                  sx={{ minWidth: 28, color: isHere ? 'primary.main' : 'text.secondary', '& svg': { fontSize: 18 } }}
                >
                  <Icon />
                </ListItemIcon>
                <ListItemText
                  primary={name}
                  sx={{ ...wide, my: 0 }}
                  slotProps={{ primary: { sx: { fontWeight: isHere ? 600 : 450, overflowWrap: 'anywhere' } } }}
                />
                <Box component="span" sx={{ ...unseen, display: { lg: 'none' } }}>
                  {name}
                </Box>
              </ListItemButton>
            </ListItem>
          );
        })}
      </List>
    </>
  );
}
