export const snippets = {
  encrypt: `import { EaasClient } from '@eaas/sdk';
const eaas = new EaasClient(); // reads EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID
const context = { table: 'users', row: '42' };
const { ciphertext } = await eaas.encrypt('ada@example.com', { context });`,

  parts: `import { parseEnvelope } from '@eaas/protocol';
import { fromBase64 } from '@eaas/protocol/base64';
const { keyId, keyVersion, iv } = parseEnvelope(fromBase64(ciphertext));
console.log(keyId, keyVersion, iv.length); // …, 1, 12`,

  requests: `const eaas = new EaasClient({ fetch: async (input) => {
  console.log(input.method, input.url, await input.clone().text());
  return fetch(input);
} });`,

  decrypt: `const context = { table: 'users', row: '42' };
const value = await eaas.decrypt(ciphertext, { as: 'text', context });
console.log(value); // ada@example.com`,

  search: `const email = text().searchable({ normalize: ['trim', 'lowercase'] });
const records = defineFields({ users: { email } }).for(eaas, { index: indexKey });
const stored = await records.encryptRow('users', '42', { email: 'ada@example.com' });
const { email_index } = await records.where('users', { email: 'ADA@EXAMPLE.COM' });`,

  blind: `const first = await eaas.blindHash('ada@example.com');
const second = await eaas.blindHash('ada@example.com'); // sends another random point
console.log(first === second); // true`,

  flip: `const bytes = fromBase64(ciphertext);
bytes[bytes.length - 20] ^= 1;
const error = await eaas.decrypt(bytes, { context }).catch((error) => error);
console.log(error.code); // decryption`,

  move: `const context = { table: 'users', row: '43' };
const error = await eaas.decrypt(ciphertext, { context }).catch((error) => error);
console.log(error.code); // decryption`,

  intake: `import { createIntake } from '@eaas/sdk/intake';
const intake = createIntake({ publicKey }); // no API key
const { ciphertext } = await intake.encrypt('Please call me back.', { context });
const options = { keyId: intake.keyId, as: 'text', context };
console.log(await eaas.decrypt(ciphertext, options)); // Please call me back.`,

  erase: `const ada = await eaas.encrypt('Ada is allergic', { subject: 'ada' });
const grace = await eaas.encrypt('Grace is allergic', { subject: 'grace' });
await eaas.as('doctor-7').decrypt(ada.ciphertext, { subject: 'ada' });
for await (const { action, user } of eaas.audit.report({ subject: 'ada' })) console.log(action, user);
await eaas.subjects.erase({ subject: 'ada' });
console.log(await eaas.decrypt(grace.ciphertext, { subject: 'grace', as: 'text' })); // Grace is allergic
const error = await eaas.decrypt(ada.ciphertext, { subject: 'ada' }).catch((error) => error);
console.log(error.code); // subject_erased`,

  rotate: `const { key_version } = await eaas.keys.rotate({ key_id: keyId });
const old = await eaas.decrypt(ciphertext, { as: 'text', context });
const renewed = await eaas.encrypt(old, { context, fresh: true });
console.log(renewed.key_version === key_version); // true`,

  audit: `import { checkAudit } from '@eaas/sdk/audit';
// In a loop or a cron job. Each call reads the entries since the last one.
const { ok, findings, checked } = await checkAudit(eaas, { store, onEntry: show });
console.log(ok ? \`\${checked} entries hold\` : findings);`,
} as const;
