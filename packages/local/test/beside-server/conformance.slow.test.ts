import { basename } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { conformanceFiles } from '@eaas/test-kit/conformance-files';
import { playOn } from '@eaas/test-kit/fixture';
import { address, fetchFromAny, runPlayed } from './played-operator.ts';

vi.stubGlobal('fetch', fetchFromAny);
playOn({ baseUrl: address, run: runPlayed });

const elsewhere: Readonly<Record<string, string>> = {
  'browsers.service.test.ts': 'requests of browsers to a server on a port',
  'health.service.test.ts': 'routes outside of /v1',
  'malformed-http.service.test.ts': 'bytes on a socket',
  'people-canary.service.test.ts': 'the process, the database and the log of the server',
  'quota-month.service.test.ts': "the operator's command line over months",
  'reach-of-users.service.test.ts': 'the tokens of a sign-in, which only the server checks',
  'start.service.test.ts': 'the start of the server',
  'tenants.service.test.ts': "the operator's command line",
  'tokens.service.test.ts': 'the tokens of a sign-in, which only the server checks',
};

/**
 * The tests that must fail with the service in memory. Maps each title to the difference from the server that makes the
 * test fail.
 */
const different: Readonly<Record<string, string>> = {
  'the server sends a 401, 403 or 404 response before the request body arrives':
    'the service in memory receives whole requests',
  'eaas audit verify reports an empty log as valid': "the operator's command line",
  '`eaas audit verify` verifies a chain and exits with 0': "the operator's command line",
};

const seen = new Set<string>();
beforeEach(({ task }) => {
  if (!(task.name in different)) return;
  Object.assign(task, { fails: true });
  seen.add(task.name);
});

const files = conformanceFiles.filter((file) => !(basename(file) in elsewhere));

for (const file of files) {
  describe(`${basename(file)}, in memory`, async () => {
    await import(file);
  });
}

test('every title in the list of expected differences is the title of an existing test', () => {
  expect(seen).toStrictEqual(new Set(Object.keys(different)));
});
