import { randomBytes } from 'node:crypto';
import { formatApiKey } from '@eaas/protocol/wire';
import { expect, test } from 'vitest';
import { rootKey } from '../crypto/key-hierarchy.ts';
import { createService } from '../app/service.ts';
import { Database } from '../store/database.ts';
import { admit } from './admit.ts';

const nowhere = new Database({ host: '/nowhere', port: 5432, database: 'eaas', username: 'eaas_server' });
const service = createService({ database: nowhere, roots: [rootKey(randomBytes(32))] });
const token = formatApiKey(randomBytes(32));
const mistyped = `${token.slice(0, -1)}${token.endsWith('0') ? '1' : '0'}`;

const ask = (authorization: string | undefined) =>
  admit(service, {
    route: 'GET /v1/keys',
    authorization,
    origin: undefined,
    ipAddress: null,
    arrivedAt: performance.now(),
  });

test.each([undefined, '', 'Bearer', `Basic ${token}`, `Bearer ${mistyped}`, `Bearer ${token} ${token}`])(
  'an Authorization header without a well-formed API key is refused without a query: %s',
  async (authorization) => {
    await expect(ask(authorization)).rejects.toMatchObject({ code: 'unauthorized' });
  },
);

test('a request with a well-formed token gets 503 while the database cannot be reached', async () => {
  await expect(ask(`Bearer ${token}`)).rejects.toMatchObject({ code: 'unavailable' });
});
