/** One Vitest project a suite; `npm test` runs the fast ones, `.ci/run` all but `long`. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('..', import.meta.url));

export default defineConfig({
  test: {
    root,
    projects: [
      {
        test: {
          name: 'fast',
          root,
          include: ['test/{contract,engine,native,setup,conformance,architecture}/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: 'journeys',
          root,
          include: ['test/{journeys,faults}/**/*.test.ts'],
          pool: 'forks',
          testTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'electron',
          root,
          include: ['test/electron/**/*.test.ts'],
          globalSetup: 'test/electron/build.ts',
          pool: 'forks',
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      { test: { name: 'parity', root, include: ['test/parity/**/*.test.ts'], pool: 'forks', testTimeout: 900_000 } },
      { test: { name: 'long', root, include: ['test/long/**/*.test.ts'], pool: 'forks', testTimeout: 3_600_000 } },
    ],
  },
});
