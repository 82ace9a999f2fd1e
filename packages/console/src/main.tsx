import { render } from 'preact';
import { App } from './app.tsx';
import { followAddress } from './places.ts';
import { enterWithCode, takeCode } from './session.ts';

/** Signs in if the URL of the page contains a sign-in code. */
function enter(): void {
  const code = takeCode(location, history);
  if (code) void enterWithCode(code);
}

enter();
// If the user opens another sign-in URL in this tab, only the fragment changes and the page is not reloaded.
addEventListener('hashchange', enter);
followAddress();
const root = document.querySelector('#app');
if (root) render(<App />, root);
