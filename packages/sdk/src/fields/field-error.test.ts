import { expect, test } from 'vitest';
import { observedClient } from '../../test/observed-client.ts';
import { defineFields, field, FieldError, unencrypted } from './fields.ts';

test('the message of a FieldError has one line, even if the row id contains line breaks', async () => {
  const { client } = observedClient();
  const patients = defineFields({ patients: { ...unencrypted('id'), name: field.text() } }).for(client);
  const id = '7\r\n2026-11-22 ERROR forged\u001b[2K';
  const error: unknown = await patients
    .decryptRow('patients', id, { id, name: 'plaintext' })
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(FieldError);
  expect(error).toMatchObject({
    row: id,
    message: expect.stringMatching(/^patients\.name of row 7\P{Cc}+$/u),
  });
});

test('a FieldError asks for the row id only if the value is under an expected key', async () => {
  const { client, service, keyId } = observedClient();
  const definition = defineFields({ patients: { name: field.text() } });
  const stored = await definition.for(client).encryptRow('patients', 1, { name: 'Ada' });
  const messageOf = (records: ReturnType<typeof definition.for>, id: number) =>
    records.decryptRow('patients', id, stored).then(String, (error: unknown) => (error as Error).message);
  const hint = ' (was it encrypted with this row id?)';
  expect(await messageOf(definition.for(client), 2)).toContain(hint);
  const { key_id: other } = service.createKey('other');
  expect(await messageOf(definition.for(client, { keyIds: { patients: other } }), 1)).toBe(
    `patients.name of row 1: decryption failed: the value is under the key ${keyId.slice(0, 8)}, and only ` +
      `${other.slice(0, 8)} is accepted (is it from another environment?); to read the rest, pass ` +
      `\`onError: 'null'\``,
  );
});
