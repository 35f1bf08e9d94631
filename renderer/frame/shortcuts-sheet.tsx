/** Every key that means something, on one sheet. */
import { create } from 'zustand';
import { fullLabel, stackCommands } from '../build/stack-commands.ts';
import { Dialog, Kbd } from '../ui/index.ts';
import styles from './frame.module.css';

const useSheet = create(() => ({ open: false }));

export function openShortcuts(): void {
  useSheet.setState({ open: true });
}

interface Line {
  label: string;
  keys: readonly string[];
}

const line = (label: string, ...keys: string[]): Line => ({ label, keys });

const groups: readonly { heading: string; lines: readonly Line[] }[] = [
  {
    heading: 'Everywhere',
    lines: [
      line('Commands, pages, projects, runs', 'Mod+K'),
      line('Undo', 'Mod+Z'),
      line('Redo', 'Mod+Shift+Z', 'Mod+Y'),
      line('Train', 'Mod+Enter'),
      line('Save now', 'Mod+S'),
      line('This sheet', '?'),
    ],
  },
  {
    heading: 'Build: through the stack',
    lines: [
      line('Next or previous layer', 'Up', 'Down'),
      line('More of them together', 'Shift+Up', 'Shift+Down'),
      line('Pass by without selecting', 'Mod+Up', 'Mod+Down'),
      line('Take the layer in or out of the selection', 'Mod+Space'),
      line('Fold, or out of the block', 'Left'),
      line('Unfold, or into the block', 'Right'),
      line('First or last layer', 'Home', 'End'),
      line('Fields of the layer', 'Enter'),
      line('Back to the stack; select none', 'Escape'),
      line('Network as code', 'Mod+J'),
      line('Menu', 'Shift+F10'),
    ],
  },
  {
    heading: 'Build: layers',
    lines: stackCommands.flatMap((command) =>
      command.keys === undefined ? [] : [line(fullLabel(command), command.keys)],
    ),
  },
];

export function ShortcutsSheet() {
  const open = useSheet((state) => state.open);
  if (!open) return null;
  return (
    <Dialog title="Keyboard shortcuts" size={760} onClose={() => useSheet.setState({ open: false })}>
      <div className={styles.sheet}>
        {groups.map(({ heading, lines }) => (
          <section key={heading} aria-label={heading}>
            <h3 className={styles.sheetHeading}>{heading}</h3>
            <dl className={styles.sheetLines}>
              {lines.map(({ label, keys }) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>
                    <span className="visually-hidden">{keys.join(' or ')}</span>
                    {keys.map((each) => (
                      <Kbd key={each} keys={each} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
