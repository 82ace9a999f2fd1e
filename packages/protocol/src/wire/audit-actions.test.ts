import { expect, test } from 'vitest';
import { LogHistory } from '../log-history.ts';
import { auditActions, effectIn, effects } from './audit-actions.ts';

const key_id = '0b000000-0000-4000-8000-000000000002';
const entry = { key_id, tenant_id: 't' };
const ids = { api_key_id: 'a', issuer_id: 'i', subject: 's' };
const told = { ...ids, status: 'disabled', min_version: 2, changes: { envelope_only: { new: true } } };

test.each(auditActions)('%s says something of a row, or why not', (action) => {
  const { nothing, of, sets, changes } = effects[action];
  expect([nothing, sets, changes].filter(Boolean)).toHaveLength(1);
  expect(nothing ?? 'It is about a row.').toMatch(/^[A-Z].{8,}\.$/);
  expect(of === undefined).toBe(nothing !== undefined);
  expect(effectIn({ action, ...entry }, told)?.of).toBe(of);
});

test.each(auditActions.filter((action) => effects[action].sets))(
  'later entries must not contradict what %s takes',
  (action) => {
    const history = new LogHistory({ since: 1 });
    history.step({ id: 1, action, key_id, key_version: 1, actor: 'operator', metadata: told });
    expect(history.facts).toHaveLength(action === 'key.enable' ? 0 : 1);
  },
);

test.each([
  ['refused', 'api_key.revoke', { ...ids, outcome: 'refused' }],
  ['unknown', 'constructor', told],
  ['of no row', 'api_key.revoke', {}],
  ['of another setting', 'tenant.update', { changes: { name: { new: 'b' } } }],
])('an entry that is %s says nothing of a row', (_, action, metadata) => {
  expect(effectIn({ action, ...entry }, metadata)).toBeUndefined();
});
