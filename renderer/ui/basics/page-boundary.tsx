/** Keeps a failure of drawing in its own place: what fails shows its error and can be tried again, everything else goes on. */
import { Component, type ReactNode } from 'react';
import { Button } from './buttons.tsx';
import classes from './notices.module.css';
import { ErrorNotice } from './notices.tsx';

export class PageBoundary extends Component<{ children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(thrown: unknown) {
    return { error: thrown instanceof Error ? thrown : new Error(String(thrown)) };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <div className={classes.boundary}>
        <ErrorNotice
          error={{
            code: 'INTERNAL',
            message: `This page failed: ${error.message}`,
            hint: 'Your project is safe. Try again; should it fail again, reload the window.',
          }}
          actions={
            <>
              <Button onClick={() => this.setState({ error: null })}>Try again</Button>
              <Button onClick={() => window.location.reload()}>Reload the window</Button>
            </>
          }
        />
      </div>
    );
  }
}
