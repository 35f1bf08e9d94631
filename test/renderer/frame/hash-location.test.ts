/** Addresses: what is kept and what is dropped on the way to another page. */
import { expect, test } from 'vitest';
import { resolve } from '../../../renderer/frame/hash-location.ts';

const from = { path: '/build', search: 'project=%2Fhome%2Fa%20b.json&layer=3' };

test('the open project goes along, parameters of the page do not', () => {
  expect(resolve('/train', from)).toBe('#/train?project=%2Fhome%2Fa+b.json');
  expect(resolve('/?open', from)).toBe('#/?open=&project=%2Fhome%2Fa+b.json');
});

test('another project replaces it, an empty query takes it away', () => {
  expect(resolve('/build?project=%2Fb.json', from)).toBe('#/build?project=%2Fb.json');
  expect(resolve('/?', from)).toBe('#/');
});

test('names of runs stay as they are', () => {
  expect(resolve('/runs/a%2Fb%3Fc/monitor', { path: '/', search: '' })).toBe('#/runs/a%2Fb%3Fc/monitor');
  expect(resolve('/compare/a,b', { path: '/', search: '' })).toBe('#/compare/a,b');
});
