import Button from '@mui/material/Button';
import { useEffect, type ReactElement } from 'react';
import { manualPages } from '../../shared/manual/addresses.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { text } from '../text/text.ts';
import { lazyScreen, loadAhead, loadAllScreens } from './lazy-screen.ts';
import { sharedQuery } from './query-store.ts';
import { hrefOf, useRoute, type Route } from './route.ts';
import { useShell } from './workbench-context.tsx';
import type { WorkbenchLink } from './workbench-link.ts';

const ConfigureScreen = lazyScreen(
  async () => (await import('../features/configure/configure-screen.tsx')).ConfigureScreen,
);
const DefaultsScreen = lazyScreen(
  async () => (await import('../features/configure/defaults-screen.tsx')).DefaultsScreen,
);
const DeploymentScreen = lazyScreen(
  async () => (await import('../features/deployments/deployment-screen.tsx')).DeploymentScreen,
);
const EndpointScreen = lazyScreen(
  async () => (await import('../features/endpoints/endpoint-screen.tsx')).EndpointScreen,
);
const EndpointsScreen = lazyScreen(
  async () => (await import('../features/endpoints/endpoints-screen.tsx')).EndpointsScreen,
);
const EvidenceScreen = lazyScreen(
  async () => (await import('../features/evidence/evidence-screen.tsx')).EvidenceScreen,
);
const VmEvidenceScreen = lazyScreen(
  async () => (await import('../features/evidence/vm-evidence-screen.tsx')).VmEvidenceScreen,
);
const FleetScreen = lazyScreen(async () => (await import('../features/fleet/fleet-screen.tsx')).FleetScreen);
const HomeScreen = lazyScreen(async () => (await import('../features/home/home-screen.tsx')).HomeScreen);
const InterchangeScreen = lazyScreen(
  async () => (await import('../features/interchange/interchange-screen.tsx')).InterchangeScreen,
);
const InventoryScreen = lazyScreen(
  async () => (await import('../features/inventory/inventory-screen.tsx')).InventoryScreen,
);
const LedgerScreen = lazyScreen(async () => (await import('../features/ledger/ledger-screen.tsx')).LedgerScreen);
const ManualScreen = lazyScreen(async () => (await import('../features/manual/manual-screen.tsx')).ManualScreen);
const NewReplicaScreen = lazyScreen(
  async () => (await import('../features/replicas/new-replica-screen.tsx')).NewReplicaScreen,
);
const ReplicaScreen = lazyScreen(async () => (await import('../features/replicas/replica-screen.tsx')).ReplicaScreen);
const ReplicasScreen = lazyScreen(
  async () => (await import('../features/replicas/replicas-screen.tsx')).ReplicasScreen,
);
const RunScreen = lazyScreen(async () => (await import('../features/runs/run-screen.tsx')).RunScreen);
const SettingsScreen = lazyScreen(
  async () => (await import('../features/settings/settings-screen.tsx')).SettingsScreen,
);
const TrustScreen = lazyScreen(async () => (await import('../features/trust/trust-screen.tsx')).TrustScreen);
const ValidationScreen = lazyScreen(
  async () => (await import('../features/validation/validation-screen.tsx')).ValidationScreen,
);
const RunbookScreen = lazyScreen(async () => (await import('../features/waves/runbook-screen.tsx')).RunbookScreen);
const WaveScreen = lazyScreen(async () => (await import('../features/waves/wave-screen.tsx')).WaveScreen);
const WavesScreen = lazyScreen(async () => (await import('../features/waves/waves-screen.tsx')).WavesScreen);

/** What screens of many rows ask first: while the page is made ready, their answers are on their way. */
const firstQuestions: Readonly<Record<string, (link: WorkbenchLink) => void>> = {
  inventory: (link) => sharedQuery(link, 'endpoint.list', {}, []).askAhead(),
  'inventory/lists': (link) => sharedQuery(link, 'inventory.list', {}, []).askAhead(),
  replicas: (link) => {
    sharedQuery(link, 'replica.list', {}, []).askAhead();
    sharedQuery(link, 'execution.list', { latest: true }, []).askAhead();
    sharedQuery(link, 'deployment.list', { latest: true }, []).askAhead();
  },
  waves: (link) => sharedQuery(link, 'wave.list', {}, []).askAhead(),
};

/** Loads the screen that a route names, and what it asks first, before anything is drawn. */
export function prepareScreen(route: Route, link: WorkbenchLink): void {
  loadAhead((screenWithoutProject(route) ?? screenOfProject(route))?.type);
  firstQuestions[route.join('/')]?.(link);
}

/** The screen that the address names. */
export function CurrentScreen() {
  const route = useRoute();
  const shell = useShell();
  const free = screenWithoutProject(route);
  const ofProject = free === undefined ? screenOfProject(route) : undefined;
  useEffect(loadAllScreens, []);
  if (free !== undefined) return free;
  // While the process is asked, the screen asks what it needs: most often there is a project.
  if (shell !== undefined && shell.project === undefined) {
    return (
      <EmptyState title={text.app.noProject} lead={text.app.noProjectLead}>
        <Button variant="contained" href={hrefOf()}>
          {text.app.toHome}
        </Button>
      </EmptyState>
    );
  }
  return (
    ofProject ?? (
      <EmptyState title={text.app.notFound} lead={text.app.notFoundLead}>
        <Button variant="contained" href={hrefOf()}>
          {text.app.toHome}
        </Button>
      </EmptyState>
    )
  );
}

function screenWithoutProject([first, second, third]: Route): ReactElement | undefined {
  if (first === undefined) return <HomeScreen />;
  if (first === 'check') return <ValidationScreen />;
  if (first === 'settings') return <SettingsScreen />;
  if (first === 'manual')
    return <ManualScreen name={second ?? manualPages.contents} {...(third === undefined ? {} : { anchor: third })} />;
  return undefined;
}

/** Keys make a screen start anew when its subject changes. */
function screenOfProject([first, ...rest]: Route): ReactElement | undefined {
  const [second, third, fourth] = rest;
  switch (first) {
    case 'endpoints':
      if (second === undefined) return <EndpointsScreen />;
      if (second === 'new')
        return <EndpointScreen key={`new ${third ?? ''}`} {...(third === undefined ? {} : { copyOf: third })} />;
      return (
        <EndpointScreen
          key={`${second} ${third ?? ''}`}
          endpointId={second}
          showsCertificate={third === 'certificate'}
        />
      );
    case 'interchange':
      return <InterchangeScreen />;
    case 'inventory':
      return <InventoryScreen rest={rest} />;
    case 'replicas':
      if (second === undefined) return <ReplicasScreen />;
      if (second === 'new' && third !== undefined && fourth !== undefined)
        return <NewReplicaScreen key={`${third} ${fourth}`} endpointId={third} vmId={fourth} />;
      if (third === 'configure') return <ConfigureScreen key={second} replicaId={second} />;
      return <ReplicaScreen key={second} replicaId={second} />;
    case 'runs':
      return second === undefined ? undefined : <RunScreen key={second} executionId={second} />;
    case 'deployments':
      return second === undefined ? undefined : <DeploymentScreen key={second} deploymentId={second} />;
    case 'defaults':
      return <DefaultsScreen {...(second === undefined ? {} : { wave: second })} />;
    case 'waves':
      if (second !== undefined && third === 'runbook') return <RunbookScreen key={second} wave={second} />;
      return second === undefined ? <WavesScreen /> : <WaveScreen key={second} name={second} />;
    case 'evidence':
      return second === undefined ? <EvidenceScreen /> : <VmEvidenceScreen key={second} replicaId={second} />;
    case 'fleet':
      return <FleetScreen />;
    case 'trust':
      return <TrustScreen />;
    case 'ledger':
      return <LedgerScreen />;
    default:
      return undefined;
  }
}
