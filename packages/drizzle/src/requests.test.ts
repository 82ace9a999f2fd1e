import { randomUUID } from 'node:crypto';
import { eq as equal } from 'drizzle-orm';
import { uuid } from 'drizzle-orm/pg-core';
import { drizzle } from 'drizzle-orm/pg-proxy';
import { EaasClient } from '@eaas/sdk';
import { createTestService } from '@eaas/local';
import { expect, test } from 'vitest';
import { encrypted, encryptedTable, encryptedText } from './pg.ts';

const patients = encryptedTable('patients', {
  id: uuid().primaryKey(),
  name: encryptedText(),
  ward: encryptedText({ context: 'field' }),
});
const visits = encryptedTable('visits', {
  id: uuid().primaryKey(),
  patientId: uuid(),
  note: encryptedText(),
});

test('a join of two encrypted tables is decrypted with one request for data keys', async () => {
  const service = createTestService();
  const { key_id: keyId } = service.createKey('patients');
  const { baseUrl, apiKey, fetch } = service;
  const client = () => new EaasClient({ baseUrl, apiKey, keyId, fetch });
  const sent: unknown[][] = [];
  const writing = drizzle(async (_, params) => {
    sent.push(params);
    return { rows: [] };
  });
  const id = randomUUID();
  await encrypted(writing, client()).insert(patients).values({ id, name: 'Ada', ward: 'North' });
  await encrypted(writing, client()).insert(visits).values({ id, patientId: id, note: 'cough' });
  const reading = drizzle(async () => ({ rows: [sent.flat()] }));
  const before = service.requests.length;
  const rows = await encrypted(reading, client())
    .select()
    .from(patients)
    .innerJoin(visits, equal(visits.patientId, patients.id));
  expect(rows).toEqual([
    { patients: { id, name: 'Ada', ward: 'North' }, visits: { id, patientId: id, note: 'cough' } },
  ]);
  expect(service.requests.slice(before)).toHaveLength(1);
});
