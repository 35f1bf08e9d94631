/** Texts that are numbers: the same rules in SQL, for whole columns, and here, for single cells. */

/** How a column writes its numbers. `comma`: 1.234,5; `grouped`: 1,234.5. */
export type NumberStyle = 'point' | 'comma' | 'grouped';

const exponent = '([eE][+-]?[0-9]+)?';
/** Patterns of RE2 and of JavaScript alike; a whole text has to match. No group of thousands begins with 0: 0,357 has a decimal comma. */
export const patterns = {
  whole: '[+-]?[0-9]+',
  point: `[+-]?(([0-9]+[.]?[0-9]*|[.][0-9]+)${exponent}|[Ii]nf|[Ii]nfinity|INF)`,
  comma: `[+-]?([1-9][0-9]{0,2}([.][0-9]{3})+(,[0-9]*)?|[0-9]+,[0-9]*|,[0-9]+)${exponent}`,
  grouped: '[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+([.][0-9]*)?',
  /** Of those with a point: to be read with points between thousands as well. */
  thousands: '[+-]?[1-9][0-9]{0,2}([.][0-9]{3})+',
} as const;

/** How a date begins. */
export const datePattern = '^[0-9]{4}-[0-9]{2}-[0-9]{2}([ T]|$)';

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`);
const tests = {
  point: whole(patterns.point),
  comma: whole(patterns.comma),
  grouped: whole(patterns.grouped),
};

/** In any of the styles. */
export const isNumberText = (text: string): boolean =>
  tests.point.test(text) || tests.comma.test(text) || tests.grouped.test(text);

/** The number that a text stands for in a style; null: none. */
export function readNumberText(text: string, style: NumberStyle): number | null {
  if (tests.point.test(text) && !(style === 'comma' && tests.comma.test(text))) return toNumber(text);
  if (style === 'comma' && tests.comma.test(text)) return toNumber(text.replaceAll('.', '').replace(',', '.'));
  if (style === 'grouped' && tests.grouped.test(text)) return toNumber(text.replaceAll(',', ''));
  return null;
}

const toNumber = (text: string): number =>
  /inf/i.test(text) ? (text.startsWith('-') ? -Infinity : Infinity) : Number(text);

/** The same as an expression of SQL over a trimmed text. */
export function numberSql(text: string, style: NumberStyle): string {
  const plain = `CASE WHEN regexp_full_match(${text}, '${patterns.point}') THEN TRY_CAST(${text} AS DOUBLE) END`;
  if (style === 'comma') {
    const digits = `replace(replace(${text}, '.', ''), ',', '.')`;
    return `CASE WHEN regexp_full_match(${text}, '${patterns.comma}') THEN TRY_CAST(${digits} AS DOUBLE) ELSE ${plain} END`;
  }
  if (style === 'grouped') {
    const digits = `replace(${text}, ',', '')`;
    return `CASE WHEN regexp_full_match(${text}, '${patterns.grouped}') THEN TRY_CAST(${digits} AS DOUBLE) ELSE ${plain} END`;
  }
  return plain;
}
