/** Short messages about what a person just did, with a way to undo it where there is one. */
import { IconX } from '@tabler/icons-react';
import { dismissToast, useSession } from '../state/session.ts';
import { Button, IconButton } from '../ui/index.ts';
import styles from './frame.module.css';

export function Toasts() {
  const toasts = useSession((state) => state.toasts);
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {toasts.map(({ id, tone, message, hint, action }) => (
        <div key={id} className={`${styles.toast} ${tone === 'error' ? styles.toastBad : ''}`}>
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
      ))}
    </div>
  );
}
