import GlobalStyles from '@mui/material/GlobalStyles';
import { useColorScheme } from '@mui/material/styles';
import { useEffect, type ReactNode } from 'react';
import { useQuery } from './workbench-context.tsx';

const stillness = { '*, *::before, *::after': { animation: 'none !important', transition: 'none !important' } };

/** Applies the user's settings to the page: the colour scheme, and whether anything moves. */
export function Appearance({ children }: { readonly children: ReactNode }) {
  const { data } = useQuery('shell.settings', {}, ['shell.changed']);
  const { setMode } = useColorScheme();
  useEffect(() => {
    if (data !== undefined) setMode(data.scheme);
  }, [data, setMode]);
  return (
    <>
      <GlobalStyles
        styles={data?.reducedMotion === true ? stillness : { '@media (prefers-reduced-motion: reduce)': stillness }}
      />
      {children}
    </>
  );
}
