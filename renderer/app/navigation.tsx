import AccountBalanceIcon from '@mui/icons-material/ReceiptLongOutlined';
import DnsIcon from '@mui/icons-material/DnsOutlined';
import FactCheckIcon from '@mui/icons-material/FactCheckOutlined';
import FolderIcon from '@mui/icons-material/FolderOutlined';
import HubIcon from '@mui/icons-material/HubOutlined';
import ManualIcon from '@mui/icons-material/MenuBookOutlined';
import ShieldIcon from '@mui/icons-material/ShieldOutlined';
import SettingsIcon from '@mui/icons-material/SettingsOutlined';
import TuneIcon from '@mui/icons-material/TuneOutlined';
import SyncIcon from '@mui/icons-material/SyncOutlined';
import Box from '@mui/material/Box';
import List from '@mui/material/List';
import ListItem from '@mui/material/ListItem';
import ListItemButton from '@mui/material/ListItemButton';
import ListItemIcon from '@mui/material/ListItemIcon';
import ListItemText from '@mui/material/ListItemText';
import Typography from '@mui/material/Typography';
import type { ComponentType } from 'react';
import { text } from '../text/text.ts';
import { hrefOf, useRoute } from './route.ts';
import { useShell } from './workbench-context.tsx';

interface Entry {
  readonly icon: ComponentType;
  readonly label: string;
  readonly path: readonly string[];
  /** First parts of the routes that belong to it. */
  readonly covers: readonly (string | undefined)[];
}

const entries: readonly Entry[] = [
  { icon: FolderIcon, label: text.navigation.home, path: [], covers: [undefined] },
  { icon: HubIcon, label: text.navigation.endpoints, path: ['endpoints'], covers: ['endpoints'] },
  { icon: DnsIcon, label: text.navigation.inventory, path: ['inventory'], covers: ['inventory'] },
  { icon: TuneIcon, label: text.navigation.defaults, path: ['defaults'], covers: ['defaults'] },
  { icon: SyncIcon, label: text.navigation.replicas, path: ['replicas'], covers: ['replicas', 'runs', 'deployments'] },
  { icon: AccountBalanceIcon, label: text.navigation.ledger, path: ['ledger'], covers: ['ledger'] },
  { icon: ShieldIcon, label: text.navigation.trust, path: ['trust'], covers: ['trust'] },
  { icon: FactCheckIcon, label: text.navigation.check, path: ['check'], covers: ['check'] },
  { icon: SettingsIcon, label: text.navigation.settings, path: ['settings'], covers: ['settings'] },
  { icon: ManualIcon, label: text.navigation.manual, path: ['manual'], covers: ['manual'] },
];

/** In pixels; icons alone below the width `md`. */
export const railWidth = { xs: 64, md: 216 } as const;

/** The rail of screens at the left; icons alone where there is little room. */
export function Navigation() {
  const [first] = useRoute();
  const project = useShell()?.project;
  const label = { display: { xs: 'none', md: 'block' } } as const;
  return (
    <Box
      component="nav"
      aria-label={text.navigation.label}
      sx={{ width: railWidth, flexShrink: 0, position: 'sticky', top: 0, height: '100vh', overflowY: 'auto' }}
    >
      <Box sx={{ display: 'flex', alignItems: 'center', gap: 1.5, px: 2, py: 2 }}>
        <Box component="img" src="/icon.svg" alt="" sx={{ width: 30, height: 30 }} />
        <Box sx={{ ...label, minWidth: 0 }}>
          <Typography sx={{ fontWeight: 700, lineHeight: 1.2, overflowWrap: 'anywhere' }}>{text.app.name}</Typography>
          <Typography variant="caption" noWrap component="div" title={project?.folder} sx={{ color: 'text.secondary' }}>
            {project?.name ?? text.app.noProject}
          </Typography>
        </Box>
      </Box>
      <List sx={{ px: 1 }}>
        {entries.map(({ icon: Icon, label: name, path, covers }) => {
          const isHere = covers.includes(first);
          return (
            <ListItem key={name} disablePadding sx={{ mb: 0.5 }}>
              <ListItemButton href={hrefOf(...path)} component="a" selected={isHere} aria-current={isHere ? 'page' : undefined} title={name} sx={{ borderRadius: 1, minHeight: 32, py: 0.5, px: 1.5, '&.Mui-selected, &.Mui-selected:hover': { bgcolor: 'background.paper', boxShadow: 'inset 3px 0 0 var(--mui-palette-primary-main)' } }}>
                <ListItemIcon sx={{ minWidth: 32, color: isHere ? 'primary.main' : undefined, '& svg': { fontSize: 20 } }}>
                  <Icon />
                </ListItemIcon>
                <ListItemText primary={name} sx={label} slotProps={{ primary: { sx: { fontWeight: isHere ? 600 : 400, overflowWrap: 'anywhere' } } }} />
                <Box component="span" sx={{ position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)', display: { md: 'none' } }}>
                  {name}
                </Box>
              </ListItemButton>
            </ListItem>
          );
        })}
      </List>
    </Box>
  );
}
