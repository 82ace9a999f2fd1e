import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig, type Plugin } from 'vitest/config';
import { ClosingLine } from './test/kit/closing-line.ts';

// Vite applies resolve conditions also to CommonJS dependencies. Conditions other than `@eaas/source` and `node` would
// break these dependencies. Vitest runs global set-ups in the environment `__vitest__`.
const conditions = ['@eaas/source', 'node'];

// The name of a test file determines its suite, as CONTRIBUTING.md describes.
const filesOf = (kind: string): string => `{packages/*/{src,test},test}/**/*${kind}.test.ts`;
const [service, slow] = [filesOf('.service'), filesOf('.slow')];

// What the rules of the service decide, and no SQL, is judged in memory by packages/service/test/conformance.test.ts. These
// files meet a server and PostgreSQL in `npm run test:all`, or if BASE_URL names a server.
const inConformance = (names: string): string =>
  `packages/server/test/conformance/{${names}}.service.test.ts`;
const decidedInMemory = [
  inConformance('api-keys,batch,export,intake,issuers,keys,keys-states,min-version'),
  inConformance('reach-of-users,receipts,server-mode,subjects,tokens,workloads'),
  'packages/server/test/matrix/{access,bad-input}.service.test.ts',
];
const randomInput = 'packages/server/test/matrix/random-input.slow.test.ts';
const meetsOther = process.env['BASE_URL'] !== undefined;

// The cache holds modules with resolved import paths. These paths depend on `exports` in the package.json files, so the
// key of the cache contains these files.
const manifests: Plugin = {
  name: 'manifests',
  configureVitest({ experimental_defineCacheKeyGenerator: define }) {
    // A folder without a manifest is what git leaves of a package that is gone.
    const paths = readdirSync('packages').map((name) => `packages/${name}/package.json`);
    const texts = paths.filter((path) => existsSync(path)).map((path) => readFileSync(path, 'utf8'));
    define(() => texts.join(''));
  },
};

const withServer = ['test/kit/postgres.ts', 'test/kit/server-under-test.ts'];

export default defineConfig(({ mode }) => {
  const suite = (name: string, include: string[], exclude: string[], globalSetup: string[] = []) => ({
    extends: true as const,
    test: {
      name,
      include,
      exclude: ['**/node_modules/**', ...exclude],
      globalSetup,
      isolate: name === 'slow',
      // Unit tests use all cores, so they run first. Other tests often wait for processes, so they get one more worker.
      maxWorkers: availableParallelism() + (name === 'unit' ? 0 : 1),
      // Time limits of the service are long in the tests of `npm test`. See test/kit/stretch.ts.
      env: name === 'slow' ? {} : { TEST_STRETCH: '20' },
      ...(name !== 'slow' && { setupFiles: ['test/kit/stretch.ts', 'test/kit/one-seed.ts'] }),
      sequence: { groupOrder: name === 'unit' ? 0 : 1 },
      // See test/kit/cases.ts.
      provide: { everyCase: mode === 'every-case' },
    },
  });
  const slowFiles = mode === 'every-case' ? [slow, ...decidedInMemory] : [slow];
  return {
    plugins: [manifests],
    resolve: { conditions },
    environments: { ssr: { resolve: { conditions } }, __vitest__: { resolve: { conditions } } },
    test: {
      experimental: { fsModuleCache: true },
      reporters: ['default', new ClosingLine()],
      // These limits only end a test that hangs. They are long, because a test takes several times longer on a busy machine.
      testTimeout: 300_000,
      hookTimeout: 600_000,
      teardownTimeout: 20_000,
      expect: { poll: { interval: 10, timeout: 120_000 } },
      projects: [
        suite('unit', [filesOf('')], [service, slow]),
        suite('service', [service], meetsOther ? [] : decidedInMemory, withServer),
        suite('slow', slowFiles, meetsOther ? [] : [randomInput], withServer),
      ],
    },
  };
});
