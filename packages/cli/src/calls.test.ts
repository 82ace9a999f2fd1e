import { endpoints, type Route } from '@eaas/protocol/wire';
import { Refusal } from '@eaas/server/internal';
import { expect, test } from 'vitest';
import { calls } from './calls.ts';
import { failureOf } from './failure.ts';
import { commandIn } from './program.ts';

const ofApps = 'apps call it, through the SDK';
const bySubject = 'asks for the subject: subject.ts';

/** The endpoints that no line of the table has, and why. */
const withoutCommand: Partial<Record<Route, string>> = {
  'POST /v1/encrypt': ofApps,
  'POST /v1/decrypt': ofApps,
  'POST /v1/hash': ofApps,
  'POST /v1/keys/:key_id/wrap': ofApps,
  'POST /v1/keys/:key_id/unwrap': ofApps,
  'POST /v1/keys/:key_id/rewrap': ofApps,
  'POST /v1/keys/:key_id/export': ofApps,
  'POST /v1/batch/wrap': ofApps,
  'POST /v1/batch/unwrap': ofApps,
  'POST /v1/batch/rewrap': ofApps,
  'POST /v1/batch/hash': ofApps,
  'DELETE /v1/keys/:key_id': 'asks for the name of the key: key.ts',
  'PUT /v1/keys/:key_id/rotation-policy': 'the console changes it; `key create` sets it',
  'POST /v1/subjects/show': bySubject,
  'POST /v1/subjects/erase': bySubject,
  'GET /v1/audit': 'the commands of audit read the log itself',
  'GET /v1/audit/verify': 'audit-verify.ts reads all tenants',
  'GET /v1/audit/checkpoint': 'audit.ts prints the text of a note',
  'GET /v1/audit/proof': 'audit-proof.ts writes files',
  'GET /v1/api-keys/:api_key_id': 'api-key.ts shows it with its tenant, by its token',
  'PATCH /v1/api-keys/:api_key_id': 'apps and the console change API keys',
  'GET /v1/usage': 'apps and the console show it',
};

test('every endpoint is in the table of calls, or has a reason why not', () => {
  const inTable = Object.values(calls).map(({ route }) => route);
  expect([...inTable, ...Object.keys(withoutCommand)].toSorted()).toEqual(Object.keys(endpoints).toSorted());
});

test.each([
  ['key create', '`rotation_policy.interval_days` must be 1', '--rotate-every must be 1'],
  ['issuer add', '`key_ids[2]` is none of `kind`', '--key-ids is none of --kind'],
  ['issuer set', '`kind` never changes', '`kind` never changes'],
  ['tenant create', '`created_at` is in the future', '--created-at is in the future'],
  ['key list', 'enable it with POST /v1/keys/:id/enable.', 'enable it with `eaas key enable`.'],
  ['key list', 'as POST /v1/keys/:id/wrap does', 'as POST /v1/keys/:id/wrap does'],
])('a refusal of %s names its options and commands: %s', (name, refused, said) => {
  const { message } = failureOf(new Refusal('conflict', refused), commandIn(name.split(' ')));
  expect(message).toBe(said);
});
