import { defineConfig } from 'tsup';
import { together } from '../protocol/together.ts';

const entry = [
  'src/index.ts',
  'src/stream/stream.ts',
  'src/fields/fields.ts',
  'src/browser/browser.ts',
  'src/intake/intake.ts',
  'src/proxy/proxy.ts',
  'src/internal.ts',
  'src/engines/engines.ts',
  'src/engines/engines.node.ts',
  'src/engines/engines.deno.ts',
  'src/client/environment.ts',
  'src/client/environment.node.ts',
];

// What most entries share with the client.
const core = [
  'src/errors.ts',
  'src/client/events.ts',
  'src/client/caller.ts',
  'src/transport/abortable.ts',
  'src/client/ciphertext.ts',
  'src/transport/connection.ts',
];

const standalone = /environment|engines\.deno/;
const sharing = entry.filter((path) => !standalone.test(path));

export default defineConfig({
  entry,
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  sourcemap: true,
  clean: true,
  silent: true,
  treeshake: { moduleSideEffects: false },
  external: ['#engines', '#environment'],
  esbuildPlugins: [together(sharing, core)],
});
