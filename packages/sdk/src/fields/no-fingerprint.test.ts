import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { defineFields, field, FieldError, unencrypted } from './fields.ts';

const phones = defineFields({
  patients: {
    ...unencrypted('id'),
    phone: field.text().searchable({ normalize: ['digits'] }),
    name: field.text().searchable(),
  },
});

test('a value that is empty after normalization is stored without a fingerprint', async () => {
  const { client, service } = observedClient();
  const records = phones.for(client, { index: 'service' });
  const rows = [
    { id: 1, phone: 'n/a', name: '' },
    { id: 2, phone: '', name: 'Ada' },
    { id: 3, phone: '020 7946', name: null },
  ];
  const stored = await records.encryptRows('patients', rows, ({ id }) => id);
  expect(stored.map(({ phone_index, name_index }) => [phone_index, name_index])).toEqual([
    [null, null],
    [null, expect.stringMatching(/^[\da-f]{64}$/)],
    [expect.stringMatching(/^[\da-f]{64}$/), null],
  ]);
  expect(service.requests.find(({ route }) => route === 'POST /v1/batch/hash')?.items).toBe(2);
  expect(await records.decryptRows('patients', stored, ({ id }) => id)).toEqual(rows);
});

test.each(['abc', '', 'n/a'])(
  'a search for %j, which is empty after normalization, throws `no_fingerprint`',
  async (phone) => {
    const { client, service } = observedClient();
    const records = phones.for(client, { index: 'service' });
    const error: unknown = await records.where('patients', { phone }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FieldError);
    expect(error).toMatchObject({
      code: 'no_fingerprint',
      table: 'patients',
      field: 'phone',
      message:
        'patients.phone: the value to search for must not be empty after normalization: search for a longer text',
    });
    expect(service.requests).toEqual([]);
  },
);
