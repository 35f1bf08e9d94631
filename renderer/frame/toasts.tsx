/** Short messages about what a person just did, with a way to undo it where there is one. */
import { IconX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { dismissToast, type Toast, useSession } from '../state/session.ts';
import { Button, IconButton } from '../ui/index.ts';
import styles from './frame.module.css';

const shownMs = 8000;

export function Toasts() {
  const toasts = useSession((state) => state.toasts);
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {toasts.map((toast) => (
        <Message key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

/** Goes by itself, but not while somebody points at it or has come to it by keyboard. */
function Message({ toast: { id, tone, message, hint, action } }: { toast: Toast }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!box.current?.matches(':hover, :focus-within')) dismissToast(id);
    }, shownMs);
    return () => clearInterval(timer);
  }, [id]);
  return (
    <div ref={box} className={`${styles.toast} ${tone === 'error' ? styles.toastBad : ''}`}>
      <div className={styles.toastText}>
        {message}
        {hint !== undefined && <div className={styles.toastHint}>{hint}</div>}
      </div>
      {action && (
        <Button
          size="xs"
          onClick={() => {
            action.run();
            dismissToast(id);
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton label="Dismiss" icon={IconX} onClick={() => dismissToast(id)} />
    </div>
  );
}
