/** Shown where the browser has no token of the engine: how to get one. */
import { type FormEvent, useState } from 'react';
import { Button, EmptyState, TextField } from '../ui/index.ts';
import styles from './frame.module.css';

/** The token itself, or the whole address that the engine printed. */
function tokenIn(text: string): string {
  return /[?&]token=([^&#\s]+)/.exec(text)?.[1] ?? text.trim();
}

export function SignIn() {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const token = tokenIn(text);
    if (token !== '') window.location.assign(`/?token=${encodeURIComponent(token)}${window.location.hash}`);
  };
  return (
    <div className={styles.centre}>
      <EmptyState title="This window is not signed in">
        <p>
          Open the address that <code>gradloom serve</code> or <code>npm start</code> printed, or paste it here.
        </p>
        <form onSubmit={submit}>
          <TextField label="Address or token" value={text} onChange={setText} autoFocus />
          <Button type="submit" primary disabled={tokenIn(text) === ''}>
            Sign in
          </Button>
        </form>
      </EmptyState>
    </div>
  );
}
