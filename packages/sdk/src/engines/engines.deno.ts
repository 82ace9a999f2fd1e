// What a client on Deno encrypts with: the same as in Node, except for streams.
import { webCryptoEngine } from '@eaas/protocol/webcrypto';
import type { Engines } from './engines.ts';
import { platformEngines as onNode } from './engines.node.ts';

/** On Deno, streams use WebCrypto, because it encrypts them three times as fast as `node:crypto`. */
export const platformEngines = (): Engines => ({ ...onNode(), streams: webCryptoEngine });

export { allNoble, hkdf, loadNoble, type Mac, macUnder } from './engines.node.ts';
