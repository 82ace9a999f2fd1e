// What the packages of this repository need of the formats, without zod and noble: clients load it at their start.
export * from './core.ts';
export * from './options.ts';
export { readBase64Url } from './base64url.ts';
export { fixContext } from './context.ts';
export { dataKeyFrom, dataKeyInfo, envelopeLength } from './data-key.ts';
export { isPromise } from './engines/engine.ts';
export * from './envelope.ts';
export { attempt, equalBytes, fromHex, isBytes, randomBytes, toHex, using } from './bytes.ts';
export { altered, LoadError, ServiceError, type ServiceErrorCode } from './errors.ts';
export { formatIndexKey, indexKeyContext, parseIndexKey } from './index-key.ts';
export { nearestOf } from './nearest.ts';
export { nextTurn } from './next-turn.ts';
export * from './sealed-secret.ts';
export { escapeHidden, inLine, requireWellFormed, utf8Length } from './text.ts';
export { personName, uuidFromBytes, uuidToBytes } from './uuid.ts';
export * from './wrapped-key.ts';
export { isApiKey } from './wire/api-key.ts';
export { actionTexts } from './wire/audit-actions.ts';
