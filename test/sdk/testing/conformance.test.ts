import { readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { fetchFromAny, runPlayed } from './played-operator.ts';

// The black-box tests of the API, once more: the same files, with the service in memory in place of the server.

vi.stubGlobal('fetch', fetchFromAny);
vi.mock('../../conformance/program.ts', () => ({
  eaas: [],
  run: runPlayed,
  serve: () => Promise.reject(new Error('there is no server to start')),
}));

/** Files that are about something else than answers, and why. */
const elsewhere: Readonly<Record<string, string>> = {
  'browsers.test.ts': 'what a browser sends, to a server that listens',
  'coverage.test.ts': 'about the tests themselves',
  'embedded.test.ts': 'the database of the server',
  'health.test.ts': 'outside of /v1',
  'malformed-http.test.ts': 'bytes on a socket',
  'quota-month.test.ts': "the operator's command line over months",
  'start.test.ts': 'how the server starts',
  'tenants.test.ts': "the operator's command line",
};

/** Tests that fail here, and are meant to: one that passes is no difference any more, and fails. */
const different: Readonly<Record<string, string>> = {
  'a wrapped key has 78 bytes: the format, the version, a salt, and what is sealed':
    'it seals in a format of its own, so that nothing of a test opens in the real service or the other way round',
  'gives every version and the hash key, encrypted to the RSA key, and they are what the formats say':
    'the same: what is exported opens wrapped keys in the real format',
  'a refusal comes although the body never does': 'nothing arrives by and by: a request is there whole',
  'an empty chain is valid: the operator sees where it begins': "the operator's command line",
  'the operator verifies a chain by the command line, and the exit code says how it went':
    "the operator's command line",
};

const seen = new Set<string>();
beforeEach(({ task }) => {
  if (!(task.name in different)) return;
  Object.assign(task, { fails: true });
  seen.add(task.name);
});

const folders = ['../../conformance/', '../../matrix/'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
const files = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts') && !(name in elsewhere))
    .map((name) => folder + name),
);

for (const file of files) {
  describe(`${basename(file)}, in memory`, async () => {
    await import(file);
  });
}

test('every difference that is listed is the name of a test', () => {
  expect(seen).toStrictEqual(new Set(Object.keys(different)));
});
