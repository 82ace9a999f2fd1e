import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/setup/closing-line.ts';

// Exactly these: a longer list leaks into Node's own resolution and breaks CommonJS dependencies.
const conditions = ['@eaas/source', 'node'];

// Which suite a test file belongs to follows from its name or its folder. CONTRIBUTING.md says it in words.
const named = { service: '**/*.service.test.ts', slow: '**/*.slow.test.ts' };
const folders = {
  service: 'test/{cli,conformance,files,matrix,sdk}/**/*.test.ts',
  slow: 'test/{faults,frameworks,orms,packaging,runtimes,tampering}/**/*.test.ts',
};
const withServer = ['test/setup/postgres.ts', 'test/conformance/setup.ts'];

/** `extends` gives each suite the options below `test` that are not about its files. */
const suite = (name: string, include: string[], exclude: string[], globalSetup: string[] = []) => ({
  extends: true as const,
  test: { name, include, exclude: ['**/node_modules/**', ...exclude], globalSetup, isolate: name !== 'unit' },
});

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Vitest leaves one core free, and most tests wait more than they compute.
    maxWorkers: Math.max(2, availableParallelism()),
    reporters: ['default', new ClosingLine()],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      suite(
        'unit',
        ['{packages/*/src,test}/**/*.test.ts'],
        [...Object.values(named), ...Object.values(folders)],
      ),
      suite('service', [named.service, folders.service], [named.slow], withServer),
      suite('slow', [named.slow, folders.slow], [], withServer),
    ],
  },
});
