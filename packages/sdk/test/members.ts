import { defineFields, plaintext, text } from '@eaas/sdk/fields';

/** A table whose columns hold plaintext that is to be encrypted in place. */
export const members = defineFields({
  members: {
    name: text({ previous: plaintext() }),
    email: text({ previous: plaintext() }).searchable({ normalize: ['trim', 'lowercase'] }),
  },
});
