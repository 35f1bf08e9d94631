/** One layer: its parameters as a form, what it makes of its input, what it costs, and the PyTorch line that builds it. */
import { IconCopy, IconEye, IconEyeOff, IconPlus, IconTrash } from '@tabler/icons-react';
import { text } from '../../engine/contract/fields.ts';
import { layerTable } from '../../engine/contract/layers/index.ts';
import { definitionCode, formatPython } from '../../engine/contract/model-code.ts';
import { setParam, setShortcut } from '../state/stack.ts';
import type { LayerRow } from '../state/stack-rows.ts';
import {
  applyFix,
  change,
  duplicateSelected,
  focusStack,
  removeSelected,
  toggleSelected,
} from '../state/stack-store.ts';
import { addBranchTo } from '../state/stack-structure.ts';
import { Button, CodeBlock, CodeLine, hasField, IconButton, SchemaForm, Section, Segmented } from '../ui/index.ts';
import { BlockName } from './block-name.tsx';
import { categoryOf } from './categories.ts';
import styles from './inspector.module.css';
import { LayerIcon } from './layer-icons.tsx';
import { LayerNumbers } from './layer-numbers.tsx';
import { ProblemNotes } from './problems.tsx';
import { TrainSection } from './train-section.tsx';
import { labelOf, nameOf } from './words.ts';

/** Characters that fit beside the stack; of a block, whose code is indented, a few more. */
const codeWidth = { layer: 36, block: 56 };

/** What a layer of any kind may have. */
const texts = {
  name: text({ label: 'Name', help: 'Shown instead of the kind.', default: '' }),
  note: text({ label: 'Note', help: 'For people only.', default: '' }),
};

/** A use of a named block has two names: the block's own stands above. */
const textsOfUse = {
  ...texts,
  name: text({
    label: 'Name of this use',
    help: 'Shown instead of the block’s name, in this place alone.',
    default: '',
  }),
};

export function LayerInspector({ row }: { row: LayerRow }) {
  const kind = layerTable.get(row.kind);
  const { layer, key: id } = row;
  const place = row.path.join('.');
  const known = kind ? Object.keys(kind.params) : [];
  const fields = known.filter((name) => kind && hasField(kind.params, name));
  const ofFields = (path: string) =>
    fields.some((name) => path === `${place}.${name}` || path.startsWith(`${place}.${name}.`));
  const category = categoryOf(row.kind);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape leaves for the stack from any field
    <div
      className={styles.body}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) focusStack();
      }}
    >
      <header className={styles.head}>
        <span
          className={styles.badge}
          style={category ? { color: `var(--cat-${category}-text)`, background: `var(--cat-${category}-tint)` } : {}}
        >
          <LayerIcon kind={row.kind} size={18} />
        </span>
        <div className={styles.titles}>
          <h2 className={styles.title}>{nameOf(layer) || labelOf(row.kind)}</h2>
          <code className={styles.kind}>{row.kind}</code>
        </div>
        <IconButton label="Duplicate" keys="Mod+D" icon={IconCopy} onClick={() => duplicateSelected(id)} />
        <IconButton
          label={row.disabled ? 'Enable' : 'Disable'}
          keys="Space"
          icon={row.disabled ? IconEye : IconEyeOff}
          onClick={() => toggleSelected(id)}
        />
        <IconButton label="Delete" keys="Delete" icon={IconTrash} onClick={() => removeSelected(id)} />
      </header>
      {kind && <p className={styles.help}>{kind.help}</p>}
      <ProblemNotes problems={row.problems.filter(({ path }) => !ofFields(path))} />
      {known.length > 0 && kind && (
        <div className={styles.form} data-inspect="form">
          <SchemaForm
            shape={kind.params}
            value={layer}
            place={place}
            problems={row.problems}
            input={row.input?.dims}
            onChange={(name, value) => change(id, name, (project, path) => setParam(project, path, name, value))}
            onFix={({ label, edits }) => applyFix(edits, label)}
            custom={(name) => (name === 'ref' ? <BlockName row={row} /> : undefined)}
          />
          {row.kind === 'Residual' && <Shortcut row={row} />}
          {row.kind === 'Parallel' && (
            <div>
              <Button size="xs" icon={IconPlus} onClick={() => addBranchTo(id)}>
                Add a branch
              </Button>
            </div>
          )}
        </div>
      )}
      <TrainSection rows={[row]} />
      <div className={styles.form} data-inspect="texts">
        <SchemaForm
          shape={row.kind === 'Block' ? textsOfUse : texts}
          value={layer}
          onChange={(name, text) => change(id, name, (project, path) => setParam(project, path, name, text))}
        />
      </div>
      <LayerNumbers row={row} formula={kind?.formula ?? null} />
      {row.python !== null && (
        <Section title="PyTorch">
          <Code code={formatPython(row.python, '', row.folded === null ? codeWidth.layer : codeWidth.block)} />
          <Definition kind={row.kind} />
        </Section>
      )}
    </div>
  );
}

/** A class that torch.nn does not have, shown when asked for. */
function Definition({ kind }: { kind: string }) {
  const code = definitionCode(kind);
  if (code === null) return null;
  return (
    <details className={styles.definition}>
      <summary>The class {kind}</summary>
      <CodeBlock title="In Python" maxHeight={360}>
        {code}
      </CodeBlock>
    </details>
  );
}

function Code({ code }: { code: string }) {
  return code.includes('\n') ? <CodeBlock title="Built by">{code}</CodeBlock> : <CodeLine>{code}</CodeLine>;
}

function Shortcut({ row }: { row: LayerRow }) {
  const { shortcut } = row.layer;
  const value = Array.isArray(shortcut) ? 'layers' : shortcut === 'auto' ? 'auto' : 'input';
  return (
    <div className={styles.choice}>
      <span className={styles.choiceLabel}>Shortcut</span>
      <Segmented
        label="Shortcut"
        value={value}
        full
        options={[
          { value: 'input', label: 'Input' },
          { value: 'auto', label: 'Projected' },
          { value: 'layers', label: 'Layers' },
        ]}
        onChange={(next) => {
          if (next !== value) change(row.key, 'shortcut', (project, path) => setShortcut(project, path, next));
        }}
      />
    </div>
  );
}
