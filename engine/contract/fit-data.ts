/** Networks of templates with other data: a new project, or an open one whose network is replaced; the data stay, the network is fitted. */
import { applied } from './edits.ts';
import { fieldInfo } from './fields.ts';
import { type Fit, fitProject } from './fit.ts';
import type { Edit } from './problems.ts';
import type { Project } from './project-types.ts';
import { isObject, type JsonObject, removeEdit, setEdit } from './report.ts';
import { sources } from './sources.ts';
import { type DataFacts, targetDims } from './tensors.ts';

/** A template's project and what its own data say of themselves. */
export interface Template {
  project: Project;
  facts: DataFacts;
}

/** Data to use: a source as a project names it, what was made of it there, and what it says of itself. */
export interface GivenData {
  source: JsonObject;
  split?: unknown;
  transforms?: unknown;
  facts: DataFacts;
  /** Of what was recognised, in sentences: what was left out, how it is read, settings that were guessed and why. */
  notes?: string[];
}

/** The template with such data. Its edits are of the template's project. */
export function templateWith({ project, facts: made }: Template, given: GivenData): Fit {
  const { source, facts, changes } = asMade(project, given);
  const { split, transforms } = given;
  const edits = [
    ...(tellsOfData(project) ? [removeEdit(notePlace)] : []),
    setEdit(['data', 'source'], source),
    ...(split === undefined ? [] : [setEdit(['data', 'split'], split)]),
    ...(transforms === undefined ? [] : [setEdit(['data', 'transforms'], transforms)]),
  ];
  return fitted({ project, edits, changes, facts, made });
}

/** The project with the template's network, and the loss and the metrics that belong to it. */
export function networkReplaced(project: Project, facts: DataFacts, { project: from, facts: made }: Template): Fit {
  const source = isObject(project.data) && isObject(project.data.source) ? project.data.source : {};
  const given = asMade(from, { source, facts });
  const training = isObject(from.training) ? from.training : {};
  const { model } = (tellsOfData(from) ? applied(from, removeEdit(notePlace)) : from) as Project;
  const edits = [
    setEdit(['model'], model ?? { layers: [] }),
    ...['loss', 'metrics'].flatMap((key) => (key in training ? [setEdit(['training', key], training[key])] : [])),
    ...(given.source === source ? [] : [setEdit(['data', 'source'], given.source)]),
  ];
  return fitted({ project, edits, changes: given.changes, facts: given.facts, made });
}

const notePlace = ['model', 'layers', 0, 'note'];

/** Templates that come without data of their own say so on their first layer. */
function tellsOfData({ data, model }: Project): boolean {
  const source = isObject(data) && isObject(data.source) ? data.source.kind : null;
  const layers = isObject(model) && Array.isArray(model.layers) ? model.layers : [];
  return source === 'random' && isObject(layers[0]) && 'note' in layers[0];
}

interface Begun {
  project: Project;
  edits: Edit[];
  changes: string[];
  facts: DataFacts;
  made: DataFacts;
}

function fitted({ project, edits, changes, facts, made }: Begun): Fit {
  const begun = edits.reduce<unknown>(applied, project) as Project;
  const fit = fitProject(begun, facts, made);
  return { ...fit, edits: [...edits, ...fit.edits], changes: [...changes, ...fit.changes] };
}

/** A network that gives its input again takes any input as its target: labels are not needed. */
function asMade(template: Project, given: GivenData): { source: JsonObject; facts: DataFacts; changes: string[] } {
  const { source, facts } = given;
  const own = isObject(template.data) && isObject(template.data.source) ? template.data.source.target : undefined;
  const { dims, dtype } = facts.input;
  const alike = facts.target.kind === 'vector' && targetDims(facts.target).join() === dims.join();
  if (own !== 'input' || dtype !== 'float32' || alike || !givesInput(source)) return { source, facts, changes: [] };
  return {
    source: { ...source, target: 'input' },
    facts: { ...facts, target: { kind: 'vector', dims: [...dims] } },
    changes: ['Targets: the inputs themselves; labels are not used'],
  };
}

/** Kinds whose targets may be the inputs themselves. */
function givesInput({ kind }: JsonObject): boolean {
  const target = sources.get(String(kind))?.params.target;
  return target !== undefined && (fieldInfo(target).choices ?? []).includes('input');
}
