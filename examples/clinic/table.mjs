// What is encrypted, for the server and for the page. The id of a row is its subject: the person whose data it is.
import { defineFields, field, unencrypted } from '@eaas/sdk/fields';

export const definition = defineFields({
  clinic_patients: { subject: 'id', ...unencrypted('id'), name: field.text(), allergies: field.text() },
});
