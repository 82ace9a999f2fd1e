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

const removed = { 'tenant copy': 'use pg_dump.', 'serve --workers': 'start more servers.' };

test.each([
  [['tenant', 'copy', 'acme'], '`eaas tenant copy` was removed: use pg_dump.'],
  [['serve', '--workers', '2'], '`eaas serve --workers` was removed: start more servers.'],
  [['serve', '--workers=2'], '`eaas serve --workers` was removed: start more servers.'],
])('the removed command or option in %j is refused with its successor', (args, message) => {
  expect(() => refuseRemovedCommands(args, removed)).toThrow(message);
});

test.each([[['tenant', 'create', '--name', 'copy']], [['dev', '--workers']], [['serve']]])(
  'the arguments %j have nothing removed',
  (args) => expect(() => refuseRemovedCommands(args, removed)).not.toThrow(),
);
