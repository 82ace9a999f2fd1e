import { render } from 'preact';
import { App } from './app.tsx';
import { followAddress } from './places.ts';
import { enterWithCode, takeCode } from './session.ts';

/** Signs in with the code in the address, if there is one. */
function enter(): void {
  const code = takeCode(location, history);
  if (code) void enterWithCode(code);
}

enter();
// A new address in an open tab changes only the fragment, and loads nothing.
addEventListener('hashchange', enter);
followAddress();
const root = document.querySelector('#app');
if (root) render(<App />, root);
