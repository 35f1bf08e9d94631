/** Addresses: what is kept and what is dropped on the way to another page. @vitest-environment jsdom */
import { renderHook } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Router, useRoute, useSearchParams } from 'wouter';
import { decoded, hashLocation, resolve } from '../../../renderer/frame/hash-location.ts';

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

test('a name with a percent sign is read as it was written, and a broken one as it stands', () => {
  window.location.hash = resolve(
    `/runs/${encodeURIComponent('lr 10% off')}?project=${encodeURIComponent('/a/50%20.json')}`,
    {
      path: '/',
      search: '',
    },
  );
  const { result } = renderHook(() => ({ route: useRoute('/runs/:name'), search: useSearchParams()[0] }), {
    wrapper: ({ children }) => <Router hook={hashLocation}>{children}</Router>,
  });
  expect(decoded((result.current.route[1] as { name: string }).name)).toBe('lr 10% off');
  expect(result.current.search.get('project')).toBe('/a/50%20.json');
  expect(decoded('%E0%A4')).toBe('%E0%A4');
});
