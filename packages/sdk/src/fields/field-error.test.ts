import { expect, test } from 'vitest';
import { observedClient } from '../../../../test/sdk/observed-client.ts';
import { defineFields, FieldError, text, unencrypted } from './fields.ts';

test('the message of a FieldError has one line, even if the row id contains line breaks', async () => {
  const { client } = observedClient();
  const patients = defineFields({ patients: { ...unencrypted('id'), name: text() } }).for(client);
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
