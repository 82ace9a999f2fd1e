import { expect, test } from 'vitest';
import { CannotStart } from '../base/cannot-start.ts';
import { refuseAddress } from './listen.ts';

test('a start that has tried several ports names all of them', () => {
  const error = Object.assign(new Error('the reason'), { code: 'EADDRINUSE' });
  expect(() => refuseAddress({ host: '127.0.0.1', port: 8080, lastPort: 8179 })(error)).toThrow(
    'All ports from 8080 to 8179 are in use: set EAAS_PORT to a free port.',
  );
});

test.each([
  ['EADDRINUSE', 'EAAS_PORT must be a free port (got 80,', 'set EAAS_PORT to another port'],
  [
    'EACCES',
    'EAAS_PORT must be a port on which this user may listen (got 80)',
    'Set EAAS_PORT to 1024 or more',
  ],
  ['EADDRNOTAVAIL', 'EAAS_HOST must be an address of this machine (got eaas.example)', 'Set EAAS_HOST to'],
  ['EOTHER', 'EAAS_HOST and EAAS_PORT cannot be used: the reason', 'the reason'],
])('an address that cannot be used stops the start with a remedy: %s', (code, expected, remedy) => {
  const refuse = () =>
    refuseAddress({ host: 'eaas.example', port: 80 })(Object.assign(new Error('the reason'), { code }));
  expect(refuse).toThrow(CannotStart);
  expect(refuse).toThrow(expected);
  expect(refuse).toThrow(remedy);
});
