// Erases a person: nothing that was encrypted for them opens again, in no table and in no backup of the app.
import { EaasClient } from '@eaas/sdk';
import { people } from './people.mjs';

const [login = ''] = process.argv.slice(2);
const subject = people[login]?.patient;
if (!subject) {
  console.error(`the login of a patient was expected (got ${JSON.stringify(login)}): pass ada or ben`);
  process.exit(2);
}

const eaas = new EaasClient();
const { erased_at, entry } = await eaas.subjects.erase({ subject });
console.log(
  `${people[login].name} was erased at ${erased_at}. Your proof is entry ${entry.id} of the audit log: ${entry.hash}`,
);
