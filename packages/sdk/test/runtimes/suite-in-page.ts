import { createBrowserClient } from '@eaas/sdk/browser';
import { type CaseResult, type Cases, runCases, type Settings } from '@eaas/test-kit/runtimes/case';
import { refused, same } from './expect.ts';
import { enginesEverywhere, sharedCases } from './shared-cases.ts';

export const pageCases: Cases = {
  ...sharedCases(enginesEverywhere.map(({ name }) => name)),
  'the page refuses eval and has no API key': async ({ connect, apiKey }) => {
    same(apiKey, undefined, 'the API key');
    const directive = new Promise((resolve) => {
      document.addEventListener(
        'securitypolicyviolation',
        (event) => {
          // The page reports every CSP violation as a failure. The test causes a violation on purpose, so it hides
          // the event from the page.
          event.stopImmediatePropagation();
          resolve(event.effectiveDirective);
        },
        { once: true, capture: true },
      );
    });
    await refused(() => {
      try {
        // oxlint-disable-next-line no-eval -- the case checks that eval is refused
        return globalThis.eval('1');
      } catch (error) {
        throw Object.assign(new Error('no'), { code: (error as Error).name });
      }
    }, 'EvalError');
    same(await directive, 'script-src', 'the directive');
    await connect().close();
  },
};

export async function run(settings: Settings): Promise<CaseResult[]> {
  const { keyId } = settings;
  return runCases(pageCases, {
    ...settings,
    engines: enginesEverywhere,
    connect: (options) => createBrowserClient({ keyId, ...options }),
  });
}
