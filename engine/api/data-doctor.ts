/** What is wrong with data, and what people say of single samples: the Data Doctor and the marks. */
import { changeMarks, needMarksFile, readMarks } from '../data/index.ts';
import { givenSource, sourceOfProject } from './data-source.ts';
import { type Parts, wire } from './parts.ts';

export function doctorCalls(parts: Parts) {
  const { service, tasks } = parts;
  const calls = wire.data;
  return {
    doctor: calls.doctor.handler(async ({ input: { file, text, task }, signal }) => {
      const { baseDir } = await sourceOfProject(file, text, parts);
      return tasks.during(task, (onProgress) => service.data.ask('doctor', { text, baseDir }, { signal, onProgress }));
    }),
    marks: {
      list: calls.marks.list.handler(async ({ input: { file: project, source } }) => {
        const given = await givenSource({ file: project, source }, parts);
        const file = await needMarksFile(given.source, given.baseDir);
        return { marks: await readMarks(file), file };
      }),
      set: calls.marks.set.handler(async ({ input: { file: project, source, changes } }) => {
        const given = await givenSource({ file: project, source }, parts);
        return { marks: await changeMarks(await needMarksFile(given.source, given.baseDir), changes) };
      }),
    },
  };
}
