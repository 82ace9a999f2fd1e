// Starts the console in the browser: takes the code of a sign-in from the address, follows the address, and renders the app.
import { render } from 'preact';
import { App } from './app.tsx';
import { followAddress } from './places.ts';
import { enterAgain, enterWithCode, takeCode } from './session.ts';

function enter(): boolean {
  const code = takeCode(location, history);
  if (code) void enterWithCode(code);
  return code !== undefined;
}

if (!enter()) enterAgain();
// The event `hashchange` is handled, because the browser does not reload the page if only the fragment of the URL
// changes.
addEventListener('hashchange', enter);
followAddress();
const root = document.querySelector('#app');
if (root) render(<App />, root);
