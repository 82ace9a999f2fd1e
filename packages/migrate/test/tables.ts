import { defineFields, field, plaintext, unencrypted } from '@eaas/sdk/fields';

/** A table whose columns hold plaintext that is to be encrypted in place, and one whose rows are data of people. */
export const tables = defineFields({
  members: {
    name: field.text({ previous: plaintext() }),
    email: field.text({ previous: plaintext() }).searchable({ normalize: ['trim', 'lowercase'] }),
  },
  patients: { subject: 'person', ...unencrypted('id', 'person'), note: field.text() },
});
