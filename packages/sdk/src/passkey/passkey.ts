// A second half that only one person has: their passkeys seal it, by the secrets of WebAuthn's extension `prf`. JavaScript
// sees its bytes only where a recovery needs them.
import {
  type CryptoKey,
  DecryptionError,
  EaasError,
  InputError,
  list,
  type OptionRules,
  pae,
  randomBytes,
  readBase64Url,
  requireKind,
  requireOptions,
} from '@eaas/protocol/internal';
import { fromBase64, toBase64 } from '@eaas/protocol/internal-base64';
import { somebody } from '../caller.ts';
import type { Ciphertext } from '../data-keys/ciphertext.ts';
import type { EnvelopeClient } from '../client/envelope-client.ts';
import { aborted, load } from '../errors.ts';
import type { CallOptions } from '../http/transport.ts';

const reasons = {
  insecure_context: 'passkeys need a secure page: load it over https: or from localhost',
  no_webauthn: 'this browser has no passkeys (WebAuthn)',
  no_prf: 'this passkey has no secret for the page (WebAuthn `prf`): use another device',
  cancelled: 'the person cancelled, the time ran out, or none of the passkeys is here',
  known_passkey: 'one of the excluded passkeys is on this device: use it, or another device',
};

/**
 * Thrown if a passkey cannot be created or used.
 *
 * @example
 * ```ts
 * import { openPasskeyHalf, PasskeyError, type SealedHalf } from '@eaas/sdk/passkey';
 *
 * async function open(sealed: SealedHalf[]) {
 *   return openPasskeyHalf({ sealed, subject: 'user-42' }).catch((error: unknown) => {
 *     if (error instanceof PasskeyError && error.code === 'cancelled') return undefined;
 *     throw error;
 *   });
 * }
 * ```
 */
export class PasskeyError extends EaasError {
  override readonly name = 'PasskeyError';
  readonly code: keyof typeof reasons;

  constructor(code: keyof typeof reasons, cause?: unknown) {
    super(reasons[code], { cause });
    this.code = code;
  }
}

/** A half as one passkey seals it. The app stores it beside the account; without the passkey it is worthless. */
export interface SealedHalf {
  /** The rp id of the passkey. */
  readonly rp: string;
  /** The id of the passkey, in base64url. */
  readonly passkey: string;
  /** The encrypted half: 60 bytes, in base64. */
  readonly sealed: string;
}

/** A half that a passkey has opened, and what to store of it. */
export interface PasskeyHalf {
  /** The half for the option `half` of a client. Scripts can use it, and cannot read it. */
  readonly half: CryptoKey;
  readonly sealed: SealedHalf;
  /** The half as the intake key opens it, if `createPasskeyHalf` got one. */
  readonly recovery?: string;
}

/** Options of `openPasskeyHalf`. */
export interface OpenHalfOptions extends CallOptions {
  /** Whose half it is: the person's opaque id in your app. It opens only with the same one. */
  readonly subject: string;
  /** The sealed halves of the person, all of one rp id. Any of their passkeys opens the half. */
  readonly sealed: readonly SealedHalf[];
}

/** By which passkey a half is sealed. */
export interface SealHalfOptions extends Omit<OpenHalfOptions, 'sealed'> {
  /** The host of the page or a domain above it, and the name of the app. */
  readonly rp: { readonly id: string; readonly name: string };
  /** What the browser calls the person. The user handle of a new passkey is random, so it takes the place of no other. */
  readonly user: { readonly name: string; readonly displayName?: string };
  /** The ids of passkeys that the person has, in base64url: one of them is used, and no new one is created. */
  readonly passkeys?: readonly string[] | undefined;
  /** The ids of passkeys beside which, on the same device, no new one is created. */
  readonly exclude?: readonly string[] | undefined;
}

/** Options of `createPasskeyHalf`. */
export interface CreateHalfOptions extends SealHalfOptions {
  /** The public key of an intake key that is to recover the half. Without it, a lost passkey is lost data. */
  readonly recovery?: { readonly publicKey: string } | undefined;
}

/** Options of `recoverPasskeyHalf`. */
export interface RecoverHalfOptions extends SealHalfOptions {
  /** A client that may use the intake key, without the option `half`, because an intake key has none. */
  readonly client: Pick<EnvelopeClient, 'decrypt' | 'unwrap'>;
  /** What `createPasskeyHalf` returned, or what `rewrap` made of it. */
  readonly recovery: string;
  /** A value that the person encrypted. Anybody can seal a half to the intake key: it must be the one of this value. */
  readonly proof: { readonly ciphertext: Ciphertext; readonly context?: Readonly<Record<string, string>> };
}

const common = { subject: somebody, signal: 'signal' } as const;
const opening = { ...common, sealed: list } as const;
const sealing = { ...common, rp: 'object', user: 'object', passkeys: list, exclude: list } as const;
const label = 'eaas passkey half v1';
const loadRecovery = () => load('recovery of passkeys', import('./recovery.ts'));
const hmac = { name: 'HMAC', hash: 'SHA-256', length: 256 };

/**
 * Makes a half for a person, sealed by a passkey. Call it from a click; the browser asks twice. Throws PasskeyError.
 *
 * @example
 * ```ts
 * import { createBrowserClient } from '@eaas/sdk/browser';
 * import { createPasskeyHalf } from '@eaas/sdk/passkey';
 *
 * async function onClick() {
 *   const rp = { id: 'app.example', name: 'Diary' };
 *   const { half, sealed } = await createPasskeyHalf({ rp, user: { name: 'Ada' }, subject: 'user-42' });
 *   await store(sealed); // beside the account
 *   return createBrowserClient({ keyId, half });
 * }
 * ```
 */
export async function createPasskeyHalf(options: CreateHalfOptions): Promise<PasskeyHalf> {
  check<CreateHalfOptions>({ ...sealing, recovery: 'object' }, options, 'createPasskeyHalf');
  const half = await crypto.subtle.generateKey(hmac, true, ['sign']);
  const { recovery: key, subject } = options;
  const recovery = key && { recovery: await (await loadRecovery()).sealRecovery(half, key, subject) };
  return { ...(await enrol(half, options)), ...recovery };
}

/**
 * Opens a half by one of the person's passkeys. Throws PasskeyError, and DecryptionError for another person's half.
 *
 * @example
 * ```ts
 * import { createBrowserClient } from '@eaas/sdk/browser';
 * import { openPasskeyHalf, type SealedHalf } from '@eaas/sdk/passkey';
 *
 * async function onClick(sealed: SealedHalf[]) {
 *   return createBrowserClient({ keyId, half: await openPasskeyHalf({ sealed, subject: 'user-42' }) });
 * }
 * ```
 */
export async function openPasskeyHalf(options: OpenHalfOptions): Promise<CryptoKey> {
  check<OpenHalfOptions>(opening, options, 'openPasskeyHalf');
  return openAny(options, false);
}

/**
 * Opens a half by one passkey, and seals it by another one. Each of them opens it from then on.
 *
 * @example
 * ```ts
 * import { addPasskeyHalf, type SealedHalf } from '@eaas/sdk/passkey';
 *
 * async function onClick(sealed: SealedHalf[]) {
 *   const rp = { id: 'app.example', name: 'Diary' };
 *   const added = await addPasskeyHalf({ sealed, rp, user: { name: 'Ada' }, subject: 'user-42' });
 *   await store([...sealed, added.sealed]);
 * }
 * ```
 */
export async function addPasskeyHalf(options: OpenHalfOptions & SealHalfOptions): Promise<PasskeyHalf> {
  check<typeof options>({ ...sealing, ...opening }, options, 'addPasskeyHalf');
  const half = await openAny(options, true);
  const known = options.sealed.map(({ passkey }) => passkey);
  return enrol(half, { ...options, exclude: known.concat(options.exclude ?? []) });
}

/**
 * Opens the recovery of a half, which the audit log shows, and seals the half by another passkey. Throws DecryptionError
 * unless it is the half of `proof`.
 *
 * @example
 * ```ts
 * import { createBrowserClient } from '@eaas/sdk/browser';
 * import { recoverPasskeyHalf } from '@eaas/sdk/passkey';
 *
 * async function onClick(recovery: string, note: { ciphertext: string }) {
 *   const [rp, user] = [{ id: 'app.example', name: 'Diary' }, { name: 'Ada' }];
 *   const client = createBrowserClient(); // without a half
 *   return recoverPasskeyHalf({ client, recovery, proof: note, rp, user, subject: 'user-42' });
 * }
 * ```
 */
export async function recoverPasskeyHalf(options: RecoverHalfOptions): Promise<PasskeyHalf> {
  const rules = { ...sealing, client: 'object', recovery: 'text', proof: 'object' } as const;
  check<RecoverHalfOptions>(rules, options, 'recoverPasskeyHalf');
  return enrol(await (await loadRecovery()).openRecovery(options), options);
}

async function openAny(options: OpenHalfOptions, isExtractable: boolean): Promise<CryptoKey> {
  const { sealed, subject, signal } = options;
  const passkeys = sealed.map(({ passkey }) => passkey);
  const answer = await ask(String(sealed[0]?.rp), passkeys, subject, signal);
  return unseal(sealed[passkeys.indexOf(answer.passkey)]?.sealed, answer, isExtractable);
}

async function enrol(half: CryptoKey, options: SealHalfOptions): Promise<PasskeyHalf> {
  const { rp, user, passkeys = [], exclude = [], subject, signal } = options;
  const creation: Partial<PublicKeyCredentialCreationOptions> = {
    rp,
    user: { displayName: user.name, ...user, id: randomBytes(32) },
    pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: exclude.map(described),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    extensions: { prf: {} },
  };
  const created = passkeys.length === 0 ? await ceremony('create', creation, signal) : undefined;
  try {
    if (created?.getClientExtensionResults().prf?.enabled === false) throw new PasskeyError('no_prf');
    const answer = await ask(rp.id, created ? [created.id] : passkeys, subject, signal);
    const iv = randomBytes(12);
    const body = await crypto.subtle.wrapKey('raw', half, answer.key, answer.cipher(iv));
    const sealed = toBase64(new Uint8Array([...iv, ...new Uint8Array(body)]));
    const opened = await unseal(sealed, answer, false);
    return { half: opened, sealed: { rp: rp.id, passkey: answer.passkey, sealed } };
  } catch (error) {
    // Nothing is sealed by the new passkey, so the person's password manager may remove it.
    const unknown = created && { rpId: rp.id, credentialId: created.id };
    if (unknown) PublicKeyCredential.signalUnknownCredential?.(unknown).catch(() => undefined);
    throw error;
  }
}

/** Asks for one of the passkeys. Returns its id, and the key with which it seals and opens halves of the subject. */
async function ask(rpId: string, passkeys: readonly string[], subject: string, signal?: AbortSignal) {
  const extensions = { prf: { eval: { first: new TextEncoder().encode(label) } } };
  const allowCredentials = passkeys.map(described);
  const request = { rpId, allowCredentials, userVerification: 'required', extensions };
  const credential = await ceremony('get', request, signal);
  const secret = credential.getClientExtensionResults().prf?.results?.first;
  if (!secret) throw new PasskeyError('no_prf');
  const info = pae(label, rpId, new Uint8Array(credential.rawId), subject);
  const hkdf = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(0), info };
  const aes = { name: 'AES-GCM', length: 256 };
  const prf = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveKey']);
  new Uint8Array(secret as ArrayBuffer).fill(0);
  const key = await crypto.subtle.deriveKey(hkdf, prf, aes, false, ['wrapKey', 'unwrapKey']);
  const cipher = (iv: BufferSource) => ({ name: 'AES-GCM', iv, additionalData: info });
  return { passkey: credential.id, key, cipher };
}

type Answer = Awaited<ReturnType<typeof ask>>;

async function unseal(sealed = '', { key, cipher }: Answer, isExtractable: boolean): Promise<CryptoKey> {
  try {
    const bytes = fromBase64(sealed);
    const how = cipher(bytes.subarray(0, 12));
    return await crypto.subtle.unwrapKey('raw', bytes.subarray(12), key, how, hmac, isExtractable, ['sign']);
  } catch {
    throw new DecryptionError('the sealed half was altered, or is of another passkey, rp id or subject');
  }
}

async function ceremony(kind: 'create' | 'get', options: object, signal?: AbortSignal) {
  // Nobody verifies the challenge: what counts is the secret.
  const publicKey = { challenge: randomBytes(32), ...options };
  try {
    return (await navigator.credentials[kind]({ publicKey, signal } as object)) as PublicKeyCredential;
  } catch (error) {
    if (signal?.aborted) throw aborted();
    const { name } = error as Error;
    if (!/^(?:Abort|NotAllowed|InvalidState)Error$/.test(name)) throw error;
    throw new PasskeyError(name === 'InvalidStateError' ? 'known_passkey' : 'cancelled', error);
  }
}

function described(passkey: string): PublicKeyCredentialDescriptor {
  const id = readBase64Url(passkey);
  if (!id) throw new InputError('the id of a passkey is not base64url');
  return { type: 'public-key', id };
}

function check<T>(rules: OptionRules<T>, options: T, of: string): void {
  requireOptions<T>(rules, options, of);
  const { subject, rp, sealed } = options as Partial<OpenHalfOptions & SealHalfOptions>;
  requireKind(somebody, subject, '`subject`');
  requireKind('text', rp ? rp.id : sealed?.[0]?.rp, 'the rp id');
  if (!globalThis.isSecureContext) throw new PasskeyError('insecure_context');
  if (!globalThis.PublicKeyCredential) throw new PasskeyError('no_webauthn');
}
