/** Shown where the browser has no token of the engine: how to get one. */
import { type FormEvent, useEffect, useState } from 'react';
import { connection } from '../client/client.ts';
import { Button, EmptyState, TextField } from '../ui/index.ts';
import styles from './frame.module.css';

/** The token itself, or the whole address that the engine printed. */
function tokenIn(text: string): string {
  return /[?&]token=([^&#\s]+)/.exec(text)?.[1] ?? text.trim();
}

export function SignIn() {
  const [text, setText] = useState('');
  const [refused, setRefused] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const token = tokenIn(text);
    if (token !== '') setRefused(!(await connection.signIn(token)));
  };
  // The address that was opened in another tab has signed this one in as well.
  useEffect(() => {
    const look = () => void connection.tryAgain();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
  return (
    <div className={styles.centre}>
      <EmptyState title="This window is not signed in">
        <p>
          Open the address that <code>gradloom serve</code> or <code>npm start</code> printed, or paste it here. Each
          start of the engine has its own.
        </p>
        <form onSubmit={(event) => void submit(event)}>
          <TextField
            label="Address or token"
            value={text}
            onChange={(value) => {
              setText(value);
              setRefused(false);
            }}
            error={refused ? 'The engine that runs now does not know this token' : null}
            autoFocus
          />
          <Button type="submit" primary disabled={tokenIn(text) === ''}>
            Sign in
          </Button>
        </form>
      </EmptyState>
    </div>
  );
}
