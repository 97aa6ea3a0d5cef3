import Button from '@mui/material/Button';
import { lazy, Suspense, type ReactNode } from 'react';
import { manualPages } from '../../shared/manual/addresses.ts';
import { EmptyState } from '../components/empty-state.tsx';
import { DeploymentScreen } from '../features/deployments/deployment-screen.tsx';
import { ConfigureScreen } from '../features/configure/configure-screen.tsx';
import { DefaultsScreen } from '../features/configure/defaults-screen.tsx';
import { EndpointScreen } from '../features/endpoints/endpoint-screen.tsx';
import { EndpointsScreen } from '../features/endpoints/endpoints-screen.tsx';
import { EvidenceScreen } from '../features/evidence/evidence-screen.tsx';
import { VmEvidenceScreen } from '../features/evidence/vm-evidence-screen.tsx';
import { HomeScreen } from '../features/home/home-screen.tsx';
import { InventoryScreen } from '../features/inventory/inventory-screen.tsx';
import { LedgerScreen } from '../features/ledger/ledger-screen.tsx';
import { ManualScreen } from '../features/manual/manual-screen.tsx';
import { NewReplicaScreen } from '../features/replicas/new-replica-screen.tsx';
import { ReplicaScreen } from '../features/replicas/replica-screen.tsx';
import { ReplicasScreen } from '../features/replicas/replicas-screen.tsx';
import { RunScreen } from '../features/runs/run-screen.tsx';
import { SettingsScreen } from '../features/settings/settings-screen.tsx';
import { TrustScreen } from '../features/trust/trust-screen.tsx';
import { ValidationScreen } from '../features/validation/validation-screen.tsx';
import { RunbookScreen } from '../features/waves/runbook-screen.tsx';
import { WaveScreen } from '../features/waves/wave-screen.tsx';
import { WavesScreen } from '../features/waves/waves-screen.tsx';
import { text } from '../text/text.ts';
import { hrefOf, useRoute, type Route } from './route.ts';
import { useShell } from './workbench-context.tsx';

/** Loaded when somebody opens it: few projects come from another system, and the page starts without it. */
const InterchangeScreen = lazy(async () => ({ default: (await import('../features/interchange/interchange-screen.tsx')).InterchangeScreen }));

/** The screen that the address names. */
export function CurrentScreen() {
  const route = useRoute();
  const shell = useShell();
  const free = screenWithoutProject(route);
  if (free !== undefined) return free;
  if (shell === undefined) return null;
  if (shell.project === undefined) {
    return (
      <EmptyState title={text.app.noProject} lead={text.app.noProjectLead}>
        <Button variant="contained" href={hrefOf()}>
          {text.app.toHome}
        </Button>
      </EmptyState>
    );
  }
  return (
    screenOfProject(route) ?? (
      <EmptyState title={text.app.notFound} lead={text.app.notFoundLead}>
        <Button variant="contained" href={hrefOf()}>
          {text.app.toHome}
        </Button>
      </EmptyState>
    )
  );
}

function screenWithoutProject([first, second, third]: Route): ReactNode {
  if (first === undefined) return <HomeScreen />;
  if (first === 'check') return <ValidationScreen />;
  if (first === 'settings') return <SettingsScreen />;
  if (first === 'manual') return <ManualScreen name={second ?? manualPages.contents} {...(third === undefined ? {} : { anchor: third })} />;
  return undefined;
}

/** Keys make a screen start anew when its subject changes. */
function screenOfProject([first, ...rest]: Route): ReactNode {
  const [second, third, fourth] = rest;
  switch (first) {
    case 'endpoints':
      if (second === undefined) return <EndpointsScreen />;
      if (second === 'new') return <EndpointScreen key={`new ${third ?? ''}`} {...(third === undefined ? {} : { copyOf: third })} />;
      return <EndpointScreen key={`${second} ${third ?? ''}`} endpointId={second} showsCertificate={third === 'certificate'} />;
    case 'interchange':
      return (
        <Suspense>
          <InterchangeScreen />
        </Suspense>
      );
    case 'inventory':
      return <InventoryScreen rest={rest} />;
    case 'replicas':
      if (second === undefined) return <ReplicasScreen />;
      if (second === 'new' && third !== undefined && fourth !== undefined) return <NewReplicaScreen key={`${third} ${fourth}`} endpointId={third} vmId={fourth} />;
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
    case 'trust':
      return <TrustScreen />;
    case 'ledger':
      return <LedgerScreen />;
    default:
      return undefined;
  }
}
