import { endpoints } from '@eaas/protocol/wire';
import { Refusal } from '@eaas/server/internal';
import { leaves } from '@eaas/test-kit/cli';
import { expect, test } from 'vitest';
import { calls } from './calls.ts';
import { knows } from './command.ts';
import { failureOf } from './failure.ts';
import { commandIn, program } from './program.ts';

/** Why endpoints have no line in the table of calls. */
const withoutCommand = {
  'apps call them, through the SDK':
    'POST /v1/encrypt, POST /v1/decrypt, POST /v1/hash, POST /v1/keys/:key_id/wrap, POST /v1/keys/:key_id/unwrap, ' +
    'POST /v1/keys/:key_id/rewrap, POST /v1/keys/:key_id/export, POST /v1/batch/wrap, POST /v1/batch/unwrap, ' +
    'POST /v1/batch/rewrap, POST /v1/batch/hash',
  'apps and the console call them':
    'PUT /v1/keys/:key_id/rotation-policy, PATCH /v1/api-keys/:api_key_id, GET /v1/usage, GET /v1/audit',
  'key.ts asks for the name of the key': 'DELETE /v1/keys/:key_id',
  'subject.ts asks for the subject': 'POST /v1/subjects/show, POST /v1/subjects/erase',
  'api-key.ts finds the tenant by a token': 'GET /v1/api-keys/:api_key_id',
  'the commands of audit verify all tenants and write proofs': 'GET /v1/audit/verify, GET /v1/audit/proof',
};

test('every endpoint is in the table of calls, or has a reason why not', () => {
  const others = Object.values(withoutCommand).flatMap((routes) => routes.split(', '));
  const all = [...Object.values(calls).map(({ route }) => route), ...others];
  expect(all.toSorted()).toEqual(Object.keys(endpoints).toSorted());
});

test('the commands that make calls, and no others, have --remote', () => {
  const remote = leaves(program).flatMap(([name, command]) =>
    knows(command, '--remote') ? name.slice(5) : [],
  );
  expect(remote.toSorted()).toEqual([...Object.keys(calls), 'key destroy'].toSorted());
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
