import { defineFields, field, unencrypted } from '@eaas/sdk/fields';

/** A table whose rows are data of people. */
export const tables = defineFields({
  patients: { subject: 'person', ...unencrypted('id', 'person'), note: field.text() },
});
