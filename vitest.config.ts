import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/setup/closing-line.ts';

// Lists only these two conditions. Additional conditions would also apply when Node.js resolves CommonJS dependencies,
// and would break them.
const conditions = ['@eaas/source', 'node'];

// The name or the folder of a test file determines its suite, as CONTRIBUTING.md describes.
const named = { service: '**/*.service.test.ts', slow: '**/*.slow.test.ts' };
const folders = {
  service: 'test/{cli,conformance,files,matrix,sdk}/**/*.test.ts',
  slow: 'test/{faults,frameworks,orms,packaging,runtimes,tampering}/**/*.test.ts',
};
const withServer = ['test/setup/postgres.ts', 'test/conformance/setup.ts'];

/** Creates a suite with its own files. `extends` adds the shared options from `test` below. */
const suite = (name: string, include: string[], exclude: string[], globalSetup: string[] = []) => ({
  extends: true as const,
  test: { name, include, exclude: ['**/node_modules/**', ...exclude], globalSetup, isolate: name === 'slow' },
});

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // There is one more worker than cores, because many tests wait for a timeout or a process.
    maxWorkers: availableParallelism() + 1,
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
