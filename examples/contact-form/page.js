// Encrypts the form with the public key, which build.mjs writes into the page.
import { createIntake } from '@eaas/sdk/intake';

const form = document.querySelector('form');
const intake = createIntake({ publicKey: PUBLIC_KEY });

async function send(values) {
  const submission = crypto.randomUUID();
  const context = { form: 'contact', submission };
  const ciphertext = await intake.encrypt(JSON.stringify(values), { context });
  const body = JSON.stringify({ submission, ciphertext });
  return (await fetch('/messages', { method: 'POST', body })).text();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const output = form.querySelector('output');
  const show = (text) => (output.textContent = text);
  send(Object.fromEntries(new FormData(form))).then(show, (error) => show(error.message));
});
