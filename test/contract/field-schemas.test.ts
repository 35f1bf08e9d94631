/** One schema that serves several fields is described for each of them. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { field, fieldInfo } from '../../engine/contract/fields.ts';
import { sources } from '../../engine/contract/sources.ts';

const about = (help: string) => ({ label: 'Name', help, control: 'text' as const, expected: 'a name' });

test('by its own words', () => {
  const name = z.string().min(1);
  const [first, second] = [field(name, about('The first.')), field(name, about('The second.'))];
  expect([first, second].map((schema) => fieldInfo(schema).help)).toEqual(['The first.', 'The second.']);
  expect([first, second].map((schema) => schema.safeParse('').success)).toEqual([false, false]);
});

test('texts in windows and texts with classes tell of their own files', () => {
  const helpOf = (kind: string) => fieldInfo(sources.get(kind)?.params.path ?? {}).help;
  expect(helpOf('text')).toContain('A text file');
  expect(helpOf('labelled_text')).toContain('for each class');
});
