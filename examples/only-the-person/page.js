// Encrypts and decrypts notes with a half that a passkey of the patient seals. The server never has it.
import { createBrowserClient } from '@eaas/sdk/browser';
import { createPasskeyHalf, openPasskeyHalf } from '@eaas/sdk/passkey';

const find = (selector) => document.querySelector(selector);
const { keyId, patient, sealed, notes } = await (await fetch('/account')).json();

async function store(what) {
  const { ok, status } = await fetch('/account', { method: 'POST', body: JSON.stringify(what) });
  if (!ok) throw new Error(`It was not saved (${status}): try again.`);
}

async function unlock() {
  if (sealed) return openPasskeyHalf({ sealed: [sealed], subject: patient });
  const rp = { id: location.hostname, name: 'My notes' };
  const made = await createPasskeyHalf({ rp, user: { name: 'Ada' }, subject: patient });
  await store({ sealed: made.sealed }); // before the first value is encrypted under it
  return made.half;
}

async function open() {
  const eaas = createBrowserClient({ keyId, half: await unlock() });
  const show = (text) =>
    find('ul').append(Object.assign(document.createElement('li'), { textContent: text }));
  for (const { id, ciphertext } of notes) {
    show(await eaas.decrypt(ciphertext, { subject: patient, context: { note: id }, as: 'text' }));
  }
  find('button').hidden = true;
  find('form').hidden = false;
  find('form').addEventListener('submit', (event) => {
    event.preventDefault();
    attempt(() => save(eaas, find('input').value).then(show));
  });
}

async function save(eaas, text) {
  const id = crypto.randomUUID();
  const ciphertext = await eaas.encrypt(text, { subject: patient, context: { note: id } });
  await store({ note: { id, ciphertext } });
  return text;
}

const attempt = (action) =>
  action().catch((error) => {
    find('output').textContent = error.message;
  });
find('button').addEventListener('click', () => attempt(open));
