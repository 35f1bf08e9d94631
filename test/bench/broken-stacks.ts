/** Deep networks with faults, for measuring how long their plans take, with the fixes tried. */
import { mixedProject } from './mixed-stack.ts';

type Layer = { kind: string; [key: string]: unknown };

/** Of a width that no picture's channels here divide by. */
const uneven: Layer = { kind: 'GroupNorm', num_groups: 7 };
const convolution: Layer = { kind: 'Conv2d', out_channels: 8, kernel_size: 3, padding: 1 };
const head: Layer[] = [{ kind: 'Flatten' }, { kind: 'Linear', out_features: 3 }];

function projectOf(layers: readonly Layer[], blocks = {}): string {
  const source = { kind: 'random', shape: [8, 12, 12], classes: 3, samples: 400 };
  return JSON.stringify({ gradloom: 1, name: 'broken', data: { source }, model: { layers, blocks } });
}

/** `part` as many times as make `count` layers, the head last. */
function filled(count: number, part: readonly Layer[]): Layer[] {
  const copies = Math.floor((count - head.length) / part.length);
  return [...Array.from({ length: copies }, () => part).flat(), ...head];
}

/** Texts of projects of 200 layers, by what is wrong with them. */
export function brokenProjects(count = 200): { [fault: string]: string } {
  const good = (JSON.parse(mixedProject(count).text) as { model: { layers: Layer[] } }).model.layers;
  const plain = [convolution, { kind: 'ReLU' }, { kind: 'BatchNorm2d' }, { kind: 'ReLU' }];
  const branch = [...plain, uneven, ...plain];
  return {
    'one bad layer at the start': projectOf([uneven, ...good.slice(1)]),
    'one bad layer in the middle': projectOf(good.with(count / 2, { ...uneven, num_groups: 11 })),
    'a layer too many dimensions at the end': projectOf([...good, { kind: 'LSTM', hidden_size: 8 }]),
    'a bad layer in a block used 20 times': projectOf(
      filled(count, [...plain, ...plain, { kind: 'Block', ref: 'a' }]),
      {
        a: { layers: [{ kind: 'ReLU' }, uneven] },
      },
    ),
    'a block that fits all its uses but the last': projectOf(
      [
        ...filled(count - 2, [...plain, ...plain, { kind: 'Block', ref: 'a' }]).slice(0, -head.length),
        { ...convolution, out_channels: 9 },
        { kind: 'Block', ref: 'a' },
        ...head,
      ],
      { a: { layers: [{ kind: 'ReLU' }, { ...uneven, num_groups: 8 }] } },
    ),
    '20 bad layers in a row of layers': projectOf(good.map((layer, at) => (at % 10 === 5 ? uneven : layer))),
    '20 branches with a bad layer each': projectOf([
      { kind: 'Parallel', branches: Array.from({ length: 20 }, () => branch) },
      ...head,
    ]),
    'an answer of too few scores': projectOf([...good.slice(0, -1), { kind: 'Linear', out_features: 2 }]),
  };
}
