import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/setup/closing-line.ts';

// Exactly these: a longer list leaks into Node's own resolution and breaks CommonJS dependencies.
const conditions = ['@eaas/source', 'node'];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['packages/*/src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/setup/postgres.ts', 'test/conformance/setup.ts'],
    reporters: ['default', new ClosingLine()],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
