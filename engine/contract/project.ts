/** The project file: its text read, edited in place, brought up to date, and its settings with every default filled in. */

export { editProject, editProjectWithUndo, spellingsOf, undoChanges } from './project-edit.ts';
export { readProject } from './project-read.ts';
export { resolveProject } from './project-resolve.ts';
export type * from './project-types.ts';
