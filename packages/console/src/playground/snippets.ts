// The code that the page shows for each step and for the log. Tests run it, so it does what the page says.
export const snippets = {
  encrypt: `import { EaasClient } from '@eaas/sdk';
const eaas = new EaasClient(); // reads EAAS_BASE_URL, EAAS_API_KEY and EAAS_KEY_ID
const belongsTo = { context: { table: 'users', row: '42' }, subject: 'ada' };
const ciphertext = await eaas.encrypt('ada@example.com', belongsTo);
const value = await eaas.decrypt(ciphertext, { ...belongsTo, as: 'text' });
console.log(value); // ada@example.com`,

  search: `const email = field.text().searchable({ normalize: ['trim', 'lowercase'] });
const records = defineFields({ users: { email } }).for(eaas, { index: indexKey });
const stored = await records.encryptRow('users', '42', { email: 'ada@example.com' });
const { email_index } = await records.where('users', { email: 'ADA@EXAMPLE.COM' });`,

  read: `await eaas.as('doctor-7').decrypt(ciphertext, belongsTo);
for await (const { action, user } of eaas.audit.report({ subject: 'ada' }))
  console.log(action, user); // the newest first`,

  rotate: `const { key_version } = await eaas.keys.rotate(keyId);
const old = await eaas.decrypt(ciphertext, { ...belongsTo, as: 'text' });
const renewed = await eaas.encrypt(old, { ...belongsTo, fresh: true, as: 'bundle' });
console.log(renewed.key_version === key_version); // true`,

  erase: `const grace = await eaas.encrypt('grace@example.com', { subject: 'grace' });
await eaas.subjects.erase({ subject: 'ada' });
const error = await eaas.decrypt(ciphertext, belongsTo).catch((error) => error);
const other = await eaas.decrypt(grace, { subject: 'grace', as: 'text' });
console.log(error.code, other); // subject_erased grace@example.com`,

  audit: `import { checkAudit } from '@eaas/audit';
// In a loop or a cron job. Each call reads the entries since the last one.
const report = await checkAudit(eaas, { state, onEntry: show });
state = report.state; // keep it where the operator of the service cannot write
console.log(report.ok ? \`\${report.checked} entries hold\` : report.findings);`,
} as const;
