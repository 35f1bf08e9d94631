/** What forms, their fields and their controls hand one another. */
import type { z } from 'zod';
import type { FieldInfo } from '../../../engine/contract/fields.ts';
import type { Problem } from '../../../engine/contract/problems.ts';

export interface FormProblem extends Pick<Problem, 'message' | 'fixes' | 'path'> {
  severity?: Problem['severity'];
  hint?: string;
}

export interface ControlProps {
  id: string;
  labelId: string;
  describedBy: string;
  schema: z.ZodType;
  info: FieldInfo;
  value: unknown;
  invalid: boolean;
  disabled: boolean;
  onChange: (value: unknown) => void;
  /** Why what is typed is no value; null once it is. */
  onProblem: (problem: string | null) => void;
  /** What holds while nothing is given, where that is not the field's default. */
  placeholder?: string | undefined;
  onBrowse?: (() => Promise<string | null>) | undefined;
}
