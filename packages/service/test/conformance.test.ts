// The files that test the API of the server, on the service in memory.
import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { limits } from '@eaas/protocol/wire';
import { requireNoContradiction } from '@eaas/test-kit/contradictions';
import { playOn } from '@eaas/test-kit/fixture';
import { playService } from './played-service.ts';

const played = playService('https://eaas.test');
vi.stubGlobal('fetch', played.fetch);
playOn(played);
// A limit of hundreds shows what one of thousands does, and a server has the real ones.
const real = { ...limits };
Object.assign(limits, { countedEntries: 300, exportedSubjects: 50 });
afterAll(() => {
  Object.assign(limits, real);
  playOn(undefined);
  vi.unstubAllGlobals();
});

const elsewhere: Readonly<Record<string, string>> = {
  'people-canary.service.test.ts': 'the process, the database and the log of the server',
  'start.service.test.ts': 'the start of the server',
};

/** The tests that must fail here. Maps each title to the difference from the server that makes the test fail. */
const different: Readonly<Record<string, string>> = {
  'the server sends a 401, 403 or 404 response before the request body arrives':
    'the service in memory receives whole requests',
};

const seen = new Set<string>();
beforeEach(({ task }) => {
  if (!(task.name in different)) return;
  Object.assign(task, { fails: true });
  seen.add(task.name);
});

const files = ['conformance/', 'matrix/']
  .map((name) => fileURLToPath(new URL(`../../server/test/${name}`, import.meta.url)))
  .flatMap((folder) => readdirSync(folder).map((name) => folder + name))
  .filter((path) => path.endsWith('.test.ts') && !(basename(path) in elsewhere));
for (const file of files) {
  describe(`${basename(file)}, in memory`, async () => {
    // The query makes it another module than the one that meets a server, perhaps in the same worker.
    await import(`${file}?in-memory`);
  });
}

test('no call failed for a fault, and no log contradicts itself', async () => {
  expect(played.failures).toStrictEqual([]);
  await requireNoContradiction(played.service, played.store.tenants.keys());
});

test('every title in the list of expected differences is the title of an existing test', () => {
  expect(seen).toStrictEqual(new Set(Object.keys(different)));
});
