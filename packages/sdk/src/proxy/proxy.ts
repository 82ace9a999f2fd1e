import { limits } from '@eaas/protocol/wire';
import { deadlineOf } from '../deadline.ts';
import { broken, refuse, succeed } from './answers.ts';
import { readJson } from './body.ts';
import { type Answered, askBatch, askOne } from './calls.ts';
import { checkGrant, type CheckedGrant } from './grant.ts';
import { checkOptions, type ProxyOptions, type Settings } from './options.ts';
import { isFromOwnPage } from './origin.ts';
import { Refusal } from './refusal.ts';
import { findTarget, type Target } from './routes.ts';

export type { Asked, Authorize, Grant } from './grant.ts';
export { nodeRequestOf, type NodeRequest, type NodeResponse, toNodeHandler } from './node-handler.ts';
export type { ProxyEvent, ProxyOptions } from './options.ts';
export type { Operation } from './routes.ts';

/** Answers a request of EaasBrowserClient. Never rejects. */
export type Proxy = (request: Request) => Promise<Response>;

/**
 * A door between the app's pages and the service, on the app's own backend: it holds the API key, and lets each session
 * do what `authorize` grants it, and nothing else. Throws InputError for options that cannot be used.
 */
export function createProxy(options: ProxyOptions): Proxy {
  const settings = checkOptions(options);
  return async (request) => {
    try {
      return succeed(await answer(request, settings));
    } catch (error) {
      if (error instanceof Refusal) return refuse(error);
      settings.report({ type: 'failed', error });
      return refuse(broken());
    }
  };
}

/** The checks, in the order of the service's own. */
async function answer(request: Request, settings: Settings): Promise<Answered> {
  const { pathname, search } = new URL(request.url);
  const target = requireTarget(request.method, pathname, settings.basePath);
  if (!isFromOwnPage(request, settings)) {
    throw new Refusal('origin_refused', "This is for the app's own pages.");
  }
  const grant = await requireGrant(request, target, settings);
  const { signal, end } = deadlineOf(settings.timeout, request.signal, new DOMException('', 'TimeoutError'));
  try {
    const body = await readJson(request, target.batch ? limits.batchBody : limits.body, signal);
    if (search !== '') throw new Refusal('bad_request', 'This call takes no query.');
    const ask = target.batch ? askBatch : askOne;
    return await ask(body, { target, grant, settings, signal });
  } finally {
    end();
  }
}

function requireTarget(method: string, path: string, basePath: string): Target {
  const target = path.startsWith(basePath) ? findTarget(path.slice(basePath.length)) : undefined;
  if (!target) throw new Refusal('not_found', 'There is nothing at this path; a key is named by its id.');
  if (method !== 'POST') throw new Refusal('method_not_allowed', 'Send a POST.');
  return target;
}

async function requireGrant(request: Request, target: Target, settings: Settings): Promise<CheckedGrant> {
  const { operation, keyId } = target;
  let grant: CheckedGrant | undefined;
  try {
    const decided: unknown = await settings.authorize(request, { operation, keyId });
    if (decided) grant = checkGrant(decided);
  } catch (error) {
    // No refusal: whether the session may is not known.
    settings.report({ type: 'authorize_failed', error });
    throw broken();
  }
  if (!grant?.operations.has(operation)) {
    throw new Refusal('permission_missing', 'The app does not let this session do this.');
  }
  return grant;
}
