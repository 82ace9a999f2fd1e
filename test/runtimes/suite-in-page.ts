import { nobleEngine } from '@eaas/protocol';
import { EaasBrowserClient } from '@eaas/sdk/browser';
import { type Case, type CaseResult, runCases, type Settings } from './case.ts';
import { refused, same } from './expect.ts';
import { enginesEverywhere, sharedCases } from './shared-cases.ts';

/** Every case for a page. */
export const pageCases: readonly Case[] = [
  ...sharedCases(enginesEverywhere.map(({ name }) => name)),
  {
    name: 'the page lets no text be run as code, and shows no API key',
    run: async ({ connect, apiKey }) => {
      same(apiKey, undefined, 'the API key');
      const directive = new Promise((resolve) => {
        document.addEventListener(
          'securitypolicyviolation',
          (event) => {
            // Asked for: the page's own listener counts all others.
            event.stopImmediatePropagation();
            resolve(event.effectiveDirective);
          },
          { once: true, capture: true },
        );
      });
      await refused(() => {
        try {
          // oxlint-disable-next-line no-eval -- It must not work.
          return globalThis.eval('1');
        } catch (error) {
          throw Object.assign(new Error('no'), { code: (error as Error).name });
        }
      }, 'EvalError');
      same(await directive, 'script-src', 'the directive');
      await connect().close();
    },
  },
];

/** The suite in a page of an app, whose backend holds the API key. */
export async function run(settings: Settings): Promise<CaseResult[]> {
  const { keyId } = settings;
  return runCases(pageCases, {
    ...settings,
    engines: enginesEverywhere,
    connect: (options) => new EaasBrowserClient({ keyId, engines: { sync: nobleEngine }, ...options }),
  });
}
