import { defineConfig, type Options } from 'tsup';
import manifest from './package.json' with { type: 'json' };
import { together } from './together.ts';

const { './package.json': _, ...exported } = manifest.exports;

const entry = [
  ...Object.values(exported).map((paths) => paths['@eaas/source']),
  'src/platform.node.ts',
  'src/base64-portable.ts',
  'src/sha256.ts',
  'src/expected-key.ts',
  'src/derive.ts',
  'src/engines/noble.ts',
  'src/engines/noble-of.ts',
];

// What the SDK needs for its first value. `errors.ts` is missing, because pages share it with code that they load on
// demand, and would then load all of these files as a second one.
const core = [
  'src/format-sizes.ts',
  'src/bytes.ts',
  'src/text.ts',
  'src/uuid.ts',
  'src/nearest.ts',
  'src/pae.ts',
  'src/engines/engine.ts',
  'src/base64.ts',
  'src/base64url.ts',
  'src/context.ts',
  'src/row-context.ts',
  'src/wrapped-key.ts',
  'src/envelope.ts',
  'src/data-key.ts',
  'src/expected-key.ts',
  'src/index-key.ts',
  'src/options.ts',
  'src/next-turn.ts',
  'src/sealed-secret.ts',
  'src/base62.ts',
  'src/wire/api-key.ts',
  'src/wire/audit-actions.ts',
];

// Entries that are loaded on demand or by others, and need little of it.
const standalone = /platform|base64-|sha256|noble/;
const sharing = entry.filter((path) => !standalone.test(path));

const options = {
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  sourcemap: true,
  silent: true,
  treeshake: { moduleSideEffects: false },
  minifySyntax: true,
  removeNodeProtocol: false,
  // The package has its sources beside dist.
  esbuildOptions: (esbuild) => {
    esbuild.sourcesContent = false;
  },
} satisfies Options;

export default defineConfig([
  {
    ...options,
    // An object, because tsup puts a list in the order in which it finds the files, and each build would be another.
    entry: Object.fromEntries(entry.map((path) => [path.replace(/^(?:\.\/)?src\/|\.ts$/g, ''), path])),
    clean: ['!x25519.*'],
    external: ['#base64', '#sha256', '#x25519', 'node:buffer', 'node:crypto'],
    // With what is used of zod: Node takes 50 ms longer to read all of its files, 63 languages among them.
    noExternal: [/^zod\//],
    esbuildPlugins: [together(sharing, core)],
  },
  // With its own copy of noble: what it shares with ML-KEM, bundlers would put into files that a page loads at once.
  { ...options, entry: { x25519: 'src/intake/x25519.ts' }, noExternal: [/^@noble\//] },
]);
