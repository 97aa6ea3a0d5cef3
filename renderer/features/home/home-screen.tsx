import Box from '@mui/material/Box';
import Stack from '@mui/material/Stack';
import { useShell } from '../../app/workbench-context.tsx';
import { Screen } from '../../components/screen.tsx';
import { text } from '../../text/text.ts';
import { MoversCard } from './movers-card.tsx';
import { OpenProject } from './open-project.tsx';
import { CreateProjectForm, OpenProjectForm } from './project-forms.tsx';
import { RecentProjects } from './recent-projects.tsx';
import { SampleCard } from './sample-card.tsx';

/** The open project; or, when there is none, those that can be opened and how to make one. */
export function HomeScreen() {
  const shell = useShell();
  if (shell === undefined) return null;
  if (shell.project !== undefined) return <OpenProject project={shell.project} />;
  return (
    <Screen title={text.home.title} lead={text.home.lead}>
      <Box sx={{ display: 'grid', gridTemplateColumns: { xs: '1fr', md: '1fr 1fr' }, gap: 3, alignItems: 'start' }}>
        <Stack spacing={3}>
          <RecentProjects />
          <SampleCard />
        </Stack>
        <Stack spacing={3}>
          <CreateProjectForm />
          <OpenProjectForm />
          <MoversCard />
        </Stack>
      </Box>
    </Screen>
  );
}
