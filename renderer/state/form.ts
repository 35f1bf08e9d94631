/** Ties a form to a place of the project file: every change is one step of undo, an absent key stays absent until it is given a value. */
import { useMemo } from 'react';
import type { Problem } from '../../engine/contract/problems.ts';
import { isObject, type JsonObject, removeEdit, setEdit } from '../../engine/contract/report.ts';
import { type FormPlace, valueAt } from './places.ts';
import { problemsAt, useProblems } from './problems.ts';
import { edit, editWhile, useProject } from './project.ts';

export type { FormPlace };

export function useValueAt(place: FormPlace): unknown {
  const { project } = useProject();
  return valueAt(project, place);
}

/** `undefined` takes the key away, so that the default holds again. */
export function change(place: FormPlace, value: unknown): boolean {
  return edit([value === undefined ? removeEdit(place) : setEdit(place, value)]);
}

/** The same while a person types or drags: changes that follow one another quickly are one step of undo. */
export function changeWhile(place: FormPlace, value: unknown): boolean {
  return editWhile(place.join('.'), [value === undefined ? removeEdit(place) : setEdit(place, value)]);
}

const nothing: JsonObject = {};

/** What `SchemaForm` takes: the object at a place, its problems by key, and how a key is changed. */
export function useFormAt(place: FormPlace): {
  value: JsonObject;
  problems: Problem[];
  onChange(key: string, value: unknown): void;
} {
  const found = useValueAt(place);
  const value = isObject(found) ? found : nothing;
  const problems = problemsAt(useProblems(), place.join('.'));
  const dotted = place.join('.');
  // biome-ignore lint/correctness/useExhaustiveDependencies: a place is a new list each time, its text is not
  const onChange = useMemo(
    () => (key: string, next: unknown) => {
      // Switches and the way back to the default are pressed, not typed.
      const typed = next !== undefined && typeof next !== 'boolean';
      (typed ? changeWhile : change)([...place, key], next);
    },
    [dotted],
  );
  return { value, problems, onChange };
}
