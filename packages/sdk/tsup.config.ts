import { defineConfig } from 'tsup';
import { together } from '../protocol/together.ts';
import manifest from './package.json' with { type: 'json' };

// Every source that package.json names.
const { exports, imports } = manifest;
const entry = [...new Set(JSON.stringify([exports, imports]).match(/src\/[\w./-]+\.ts/g))];

// All that a client is made of is in one file: each file costs a Node process about 0.7 ms at its start.
const clients = entry.filter((path) => !/environment|engines\.(node|deno)|mac|intake|ky/.test(path));
const onDemand = [
  'src/sign-in/sign-in.ts',
  'src/audit/list.ts',
  'src/half/halves.ts',
  'src/passkey/recovery.ts',
];

export default defineConfig({
  // An object, because tsup puts a list in the order in which it finds the files, and each build would be another.
  entry: Object.fromEntries(entry.map((path) => [path.replace(/^src\/|\.ts$/g, ''), path])),
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  sourcemap: true,
  clean: true,
  silent: true,
  removeNodeProtocol: false,
  treeshake: { moduleSideEffects: false },
  external: ['#engines', '#mac', '#environment', '#ky', 'node:crypto'],
  // Copied: a page would load at once what the first shares with API keys, and Node takes 10 ms longer to read all files of ky.
  noExternal: ['@eaas/protocol/internal-half', 'ky'],
  esbuildPlugins: [together([...clients, ...onDemand], ['src/client/client.ts', 'src/audit/report.ts'])],
});
