import { expect, test } from 'vitest';
import { refuseRemovedCommands, refuseRemovedVariables } from './removed.ts';

test('a removed variable is refused with its successor, even if it is empty', () => {
  for (const value of ['/var/lib/eaas', '']) {
    expect(() => refuseRemovedVariables({ EAAS_CHECKPOINT_DIR: value })).toThrow(
      'EAAS_CHECKPOINT_DIR was removed: keep checkpoints outside the service',
    );
  }
  expect(() => refuseRemovedVariables({ EAAS_PORT: '8080' })).not.toThrow();
});

test.each([
  ['EAAS_ROOT_KEY_WRAPPED_FILE', 'EAAS_ROOT_KEY_COMMAND'],
  ['EAAS_ROOT_KEY_PREVIOUS_WRAPPED_FILE', 'EAAS_ROOT_KEY_PREVIOUS_COMMAND'],
  ['EAAS_COPY_TO_DATABASE_URL', 'pg_dump'],
  ['EAAS_WORKERS', 'Start more servers'],
])('%s was removed, and %s replaces it', (name, successor) => {
  expect(() => refuseRemovedVariables({ [name]: 'x' })).toThrow(successor);
});

test.each([
  [['audit', 'tail', '--tenant', 'acme'], '`eaas audit tail` was removed: run `eaas audit follow'],
  [['audit', 'stream'], '`eaas audit stream` was removed: run `eaas audit follow'],
  [['root-key', 'wrap'], '`eaas root-key wrap` was removed: encrypt the root key with'],
  [['database', 'copy'], '`eaas database copy` was removed: move a database with `pg_dump`'],
  [['serve', '--workers', '2'], '`eaas serve --workers` was removed: a server is one process'],
  [['serve', '--workers=2'], '`eaas serve --workers` was removed: a server is one process'],
])('the removed command or option in %j is refused with its successor', (args, message) => {
  expect(() => refuseRemovedCommands(args)).toThrow(message);
});

test.each([[['tenant', 'create', '--name', 'copy']], [['dev', '--workers']], [['serve']]])(
  'the arguments %j have nothing removed',
  (args) => expect(() => refuseRemovedCommands(args)).not.toThrow(),
);
