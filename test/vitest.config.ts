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
          include: ['test/{contract,engine,native,setup,conformance,architecture,renderer}/**/*.test.{ts,tsx}'],
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
          // Each test has an app with its processes, most of them a run.
          fileParallelism: false,
          // The harness's old Electron crashes by itself now and then (SIGSEGV at its end); a current one gets no second try.
          retry: process.env.ELECTRON_HARNESS ? 1 : 0,
          testTimeout: 240_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 60_000, interval: 50 } },
        },
      },
      {
        test: {
          name: 'e2e',
          root,
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/e2e/build.ts'],
          pool: 'forks',
          // Each file has a service, a browser and at times a run: more than one at once would measure waiting.
          fileParallelism: false,
          testTimeout: 90_000,
          hookTimeout: 90_000,
          expect: { poll: { timeout: 15_000, interval: 50 } },
        },
      },
      { test: { name: 'parity', root, include: ['test/parity/**/*.test.ts'], pool: 'forks', testTimeout: 900_000 } },
      { test: { name: 'long', root, include: ['test/long/**/*.test.ts'], pool: 'forks', testTimeout: 3_600_000 } },
    ],
  },
});
