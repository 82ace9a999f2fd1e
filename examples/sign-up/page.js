// Encrypts the form's values in the page. The key id comes from the server, and the data keys come from the proxy.
import { createBrowserClient } from '@eaas/sdk/browser';

const form = document.querySelector('form');
const eaas = createBrowserClient({ keyId: await (await fetch('/key-id')).text() });

async function signUp({ name, email }) {
  const id = crypto.randomUUID();
  const encrypt = async (column, value) =>
    await eaas.encrypt(value, { context: { table: 'sign_ups', row: id, column } });
  const body = JSON.stringify({
    id,
    name: await encrypt('name', name),
    email: await encrypt('email', email),
    email_index: await eaas.hash(email.trim().toLowerCase()),
  });
  const headers = { 'content-type': 'application/json' };
  return (await fetch('/sign-up', { method: 'POST', headers, body })).text();
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const output = form.querySelector('output');
  const show = (text) => {
    output.textContent = text;
  };
  signUp(Object.fromEntries(new FormData(form))).then(show, (error) => show(error.message));
});
