/** What a dropped file is. */
import { describe, expect, test } from 'vitest';
import { kindOfDrop, readDropped } from '../../../renderer/frame/dropped.ts';

const project = (source: unknown) => JSON.stringify({ gradloom: 1, data: { source }, model: { layers: [] } });

describe('a dropped file', () => {
  test.each([
    ['', 'is empty'],
    ['hello', 'is not a project'],
    ['[1, 2]', 'is not a project'],
    ['{ "name": "package", "version": "1.0.0" }', 'neither data, model nor training'],
  ])('%j is refused', (text, why) => {
    const dropped = readDropped('file.json', text);
    expect('problem' in dropped && dropped.problem).toContain(why);
  });

  test.each([
    [{ kind: 'idx', path: '../data' }, true],
    [{ kind: 'idx', path: '/data/digits' }, false],
    [{ kind: 'idx', path: 'C:\\data' }, false],
    [{ kind: 'random' }, false],
  ])('%j: its data moved: %s', (source, moved) => {
    expect(readDropped('p.json', project(source))).toEqual({ text: project(source), movedData: moved });
  });
});

test.each([
  ['digits.gradloom.json', false, 'project', 'a project'],
  ['net.safetensors', false, 'weights', 'weights'],
  ['NET.PT', false, 'weights', 'weights'],
  ['train.csv', false, 'data', 'a table'],
  ['train-images.idx3-ubyte', false, 'data', 'packed data'],
  ['photo.jpeg', false, 'data', 'a picture'],
  ['digits', true, 'data', 'a folder'],
  ['weights.pt', true, 'data', 'a folder'],
  ['net.onnx', false, 'other', 'a network as ONNX'],
  ['README', false, 'other', 'a file of another kind'],
])('%s (folder: %s) counts as %s', (name, isFolder, kind, words) => {
  expect(kindOfDrop(name, isFolder)).toEqual({ kind, words });
});
