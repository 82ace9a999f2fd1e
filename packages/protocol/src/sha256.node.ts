// Imported as `#sha256`: noble's, which sha256.ts exports, would be code in the bundle of every app on Node.
import { hash } from 'node:crypto';

export const sha256 = (message: Uint8Array): Uint8Array => new Uint8Array(hash('sha256', message, 'buffer'));
