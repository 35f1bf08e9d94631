/** The project file: its text read, edited in place, brought up to date, and its settings with every default filled in. */

export { editProject, editProjectWithUndo, type TextChange, undoChanges } from './project-edit.ts';
export { projectVersion } from './project-migrations.ts';
export { type ReadProject, readProject } from './project-read.ts';
export { resolveProject } from './project-resolve.ts';
export type * from './project-types.ts';
