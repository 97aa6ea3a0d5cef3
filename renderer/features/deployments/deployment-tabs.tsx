import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Tab from '@mui/material/Tab';
import Tabs from '@mui/material/Tabs';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import type { DeploymentDetail } from '../../../shared/model/deployment.ts';
import { text } from '../../text/text.ts';
import { ResourceList } from '../../components/resource-list.tsx';
import { DeploymentEvents } from '../../components/executions/event-log.tsx';
import { ConsoleView } from './console-view.tsx';
import { GuestView } from './guest-view.tsx';

const words = text.deployments;
type TabName = keyof typeof words.tabs;

/** Log, guest, console, resources: the long parts, one at a time. A boot that failed shows its console first. */
export function DeploymentTabs({ deployment }: { readonly deployment: DeploymentDetail }) {
  const id = useId();
  const [chosen, setChosen] = useState<TabName>();
  const tab = chosen ?? (deployment.boot?.outcome === 'failed' ? 'console' : 'log');
  return (
    <Box>
      <Tabs
        value={tab}
        onChange={(_event, next: TabName) => setChosen(next)}
        aria-label={words.tabList}
        variant="scrollable"
        allowScrollButtonsMobile
        sx={{ mb: 2, borderBottom: 1, borderColor: 'divider' }}
      >
        {(Object.keys(words.tabs) as TabName[]).map((name) => (
          <Tab
            key={name}
            value={name}
            id={`${id}-${name}`}
            aria-controls={`${id}-panel`}
            label={name === 'resources' ? `${words.tabs[name]} (${deployment.resources.length})` : words.tabs[name]}
          />
        ))}
      </Tabs>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${tab}`}>
        {tab === 'log' && <DeploymentEvents deploymentId={deployment.id} title={words.tabs.log} />}
        {tab === 'guest' && <GuestView deployment={deployment} />}
        {tab === 'console' && <ConsoleView deployment={deployment} />}
        {tab === 'resources' && (
          <Paper variant="outlined" sx={{ p: 2.5 }}>
            {deployment.resources.length === 0 ? (
              <Typography sx={{ color: 'text.secondary' }}>{words.noResources}</Typography>
            ) : (
              <ResourceList title={words.resources} items={deployment.resources} isTall />
            )}
          </Paper>
        )}
      </div>
    </Box>
  );
}
