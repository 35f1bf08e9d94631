/** Python, coloured, of which some lines can be chosen: those of a layer, say. */
import { type KeyboardEvent, memo, useEffect, useLayoutEffect, useRef, useState } from 'react';
import classes from './code-view.module.css';

export interface CodeViewLine {
  text: string;
  /** What is chosen with the line; null: nothing. */
  owner: string | null;
}

export interface CodeViewProps {
  lines: readonly CodeViewLine[];
  /** First and last line of what is chosen, once for each place where it stands. */
  marked: readonly (readonly [number, number])[];
  /** Names the code for assistive technology. */
  label: string;
  onChoose(owner: string): void;
}

type Tokens = typeof import('./python-tokens.ts').pythonTokens;

let loaded: Tokens | null = null;

/** Plain until it is known how to colour: nothing moves then. */
function useTokens(): Tokens | null {
  const [tokens, setTokens] = useState<{ of: Tokens } | null>(loaded && { of: loaded });
  useEffect(() => {
    if (loaded) return;
    let here = true;
    void import('./python-tokens.ts').then(
      ({ pythonTokens }) => {
        loaded = pythonTokens;
        if (here) setTokens({ of: pythonTokens });
      },
      () => {}, // it stays plain
    );
    return () => {
      here = false;
    };
  }, []);
  return tokens?.of ?? null;
}

const lineId = (index: number) => `code-line-${index}`;

export function CodeView({ lines, marked, label, onChoose }: CodeViewProps) {
  const box = useRef<HTMLDivElement>(null);
  const tokens = useTokens();
  const own = lines.findIndex(({ owner }) => owner !== null);
  const start = own < 0 ? lines.length : Math.max(0, own - 2);
  const first = marked[0]?.[0] ?? -1;
  const isMarked = (index: number) => marked.some(([from, to]) => index >= from && index <= to);

  // What is chosen is in sight, and moves no more than it must; at first the network is, not the classes before it.
  const shown = useRef(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolled by what is chosen, not by every edit
  useLayoutEffect(() => {
    const scroller = box.current;
    const element = scroller?.querySelector<HTMLElement>(`#${lineId(first >= 0 ? first : start)}`);
    if (!scroller || !element || (shown.current && first < 0)) return;
    const top = element.offsetTop;
    const bottom = top + element.offsetHeight * Math.min(8, (marked[0]?.[1] ?? first) - first + 1);
    if (!shown.current) scroller.scrollTop = first >= 0 ? top - 72 : top - 8;
    else if (top < scroller.scrollTop || bottom > scroller.scrollTop + scroller.clientHeight) {
      scroller.scrollTop = top - scroller.clientHeight / 3;
    }
    shown.current = true;
  }, [first, own >= 0]);

  const press = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const from = first >= 0 ? (by > 0 ? (marked[0]?.[0] ?? 0) : first) : by > 0 ? own - 1 : lines.length;
    const now = lines[from]?.owner ?? null;
    for (let at = from + by; at >= 0 && at < lines.length; at += by) {
      const owner = lines[at]?.owner ?? null;
      if (owner === null || owner === now) continue;
      return onChoose(owner);
    }
  };
  // Who drags over letters to copy them chooses nothing.
  const choose = (owner: string) => {
    if (window.getSelection()?.isCollapsed !== false) onChoose(owner);
  };
  const line = (index: number, { text, owner }: CodeViewLine) => (
    <Line
      key={index}
      index={index}
      text={text}
      owner={owner}
      marked={isMarked(index)}
      tokens={tokens}
      onChoose={choose}
    />
  );
  return (
    <div ref={box} className={classes.view}>
      <div className={classes.code}>
        <div className={classes.before}>{lines.slice(0, start).map((each, index) => line(index, each))}</div>
        {start < lines.length && (
          <div
            role="listbox"
            aria-label={label}
            aria-multiselectable
            tabIndex={0}
            aria-activedescendant={first >= 0 ? lineId(first) : undefined}
            className={classes.list}
            onKeyDown={press}
          >
            {lines.slice(start).map((each, index) => line(start + index, each))}
          </div>
        )}
      </div>
    </div>
  );
}

interface LineProps extends CodeViewLine {
  index: number;
  marked: boolean;
  tokens: Tokens | null;
  onChoose(owner: string): void;
}

/** Each part by where it begins. */
function coloured(parts: ReturnType<Tokens>) {
  let at = 0;
  return parts.map(({ text, kind }) => {
    const key = at;
    at += text.length;
    return (
      <span key={key} data-kind={kind ?? undefined}>
        {text}
      </span>
    );
  });
}

const Line = memo(
  function Line({ index, text, owner, marked, tokens, onChoose }: LineProps) {
    const content = tokens ? coloured(tokens(text)) : text;
    return owner === null ? (
      <div id={lineId(index)} className={classes.line} role="presentation">
        {content}
        {'\n'}
      </div>
    ) : (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the list takes the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the list has the focus and names the chosen line
      <div
        id={lineId(index)}
        className={classes.line}
        role="option"
        aria-selected={marked}
        data-owned
        onClick={() => onChoose(owner)}
      >
        {content}
        {'\n'}
      </div>
    );
  },
  (before, after) =>
    before.text === after.text &&
    before.index === after.index &&
    before.owner === after.owner &&
    before.marked === after.marked &&
    before.tokens === after.tokens,
);
