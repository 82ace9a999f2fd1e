import { createIntake } from '@eaas/sdk/intake';
import key from './key.json';

const intake = createIntake({ publicKey: key.intake_public_key });
const form = document.querySelector('form');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const values = JSON.stringify(Object.fromEntries(new FormData(form)));
  const submission = crypto.randomUUID();
  const ciphertext = await intake.encrypt(values, { context: { form: 'patient', submission } });
  const body = JSON.stringify({ submission, ciphertext });
  const { ok } = await fetch('/submissions', { method: 'POST', body });
  form.querySelector('output').textContent = ok ? 'Thank you.' : 'Please try again.';
  if (ok) form.reset();
});
