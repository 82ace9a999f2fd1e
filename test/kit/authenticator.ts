import type { Page } from './chromium.ts';

const usual = {
  protocol: 'ctap2',
  ctap2Version: 'ctap2_1',
  transport: 'internal',
  hasResidentKey: true,
  hasUserVerification: true,
  isUserVerified: true,
  automaticPresenceSimulation: true,
  hasPrf: true,
};

/** Returns a function that gives a page an authenticator, which agrees to everything in the name of the person. */
export async function authenticatorsOf(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  return async (options: Partial<typeof usual> = {}) => {
    const added = await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: { ...usual, ...options },
    });
    const send = (method: string, more?: object) =>
      devtools.send(`WebAuthn.${method}`, { ...added, ...more });
    return {
      /** Whether the person is there to touch it. */
      setPresent: (enabled: boolean) => send('setAutomaticPresenceSimulation', { enabled }),
      passkeys: async () => ((await send('getCredentials')) as { credentials: object[] }).credentials,
      clear: () => send('clearCredentials'),
    };
  };
}
