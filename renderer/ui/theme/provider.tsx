/** Wraps the window in theme, fonts and styles; the colour scheme is the caller's setting, `system` follows the desktop. */
import { MantineProvider } from '@mantine/core';
import { useColorScheme } from '@mantine/hooks';
import type { ReactNode } from 'react';
import '@fontsource-variable/inter/wght.css';
import '@fontsource-variable/jetbrains-mono/wght.css';
import '@mantine/core/styles.layer.css';
import './tokens.css';
import './global.css';
import { cssVariables, theme } from './mantine.ts';

export interface UiProviderProps {
  scheme: 'system' | 'light' | 'dark';
  children: ReactNode;
}

/** The nonce with which the page's policy lets style elements in. */
function styleNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[name=csp-nonce]')?.content ?? '';
}

export function UiProvider({ scheme, children }: UiProviderProps) {
  const desktop = useColorScheme('light', { getInitialValueInEffect: false });
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      getStyleNonce={styleNonce}
      forceColorScheme={scheme === 'system' ? desktop : scheme}
    >
      {children}
    </MantineProvider>
  );
}
