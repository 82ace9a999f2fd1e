// The playground inside another page, without a server: the service is in memory, so its keys vanish with the page.
import { createTestService } from '@eaas/local';
import { render } from 'preact';
import { findPlay, isPlay } from '../playground/play.ts';
import { Steps } from '../playground/steps.tsx';
import { clientOf, type Session } from '../session.ts';

/** Returns a session with a new service in memory. Its requests leave the page by no connection. */
export function sessionInMemory(): Session {
  const { apiKey, baseUrl, fetch } = createTestService();
  const service = { baseUrl, fetch };
  return {
    apiKey,
    service,
    isDevelopment: true,
    tenant: undefined,
    expiresAt: undefined,
    client: clientOf(apiKey, undefined, service),
  };
}

/**
 * Shows the steps in the shadow root of `host`, so that the styles of the page and of the playground stay apart. The
 * page gives the text of `app.css`, and defines the tokens of `tokens.css`. Returns a function that removes the
 * steps and forgets the keys.
 */
export async function embedPlayground(host: HTMLElement, css: string): Promise<() => void> {
  const session = sessionInMemory();
  const play = await findPlay(session);
  if (!isPlay(play)) throw new Error('the new service must have no keys yet (got some): reload the page');
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  await sheet.replace(css);
  root.adoptedStyleSheets = [sheet];
  render(<Steps play={play} />, root);
  return () => {
    render(null, root);
    void play.eaas.close();
    void session.client.close();
  };
}
