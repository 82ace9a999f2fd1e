import { InputError } from '@eaas/protocol';
import { EaasError } from '../errors.ts';
import { type AuditHead, openNote, readVerifierKey } from './checkpoint.ts';
import type { AuditFinding } from './findings.ts';
import type { AuditEntry } from './list.ts';
import type { AuditMethods } from './methods.ts';
import type { VerifySignature } from './signature.ts';
import { type AuditState, type AuditStore, initialState, readState } from './state.ts';
import { find, type Walk, walkChain } from './walk.ts';

/** A client, or whatever else reads an audit log. */
export interface AuditSource {
  readonly audit: Pick<AuditMethods, 'page' | 'verify' | 'checkpoint'>;
}

/** What is remembered between rounds, and how a log is read. */
export interface CheckOptions {
  readonly store: AuditStore;
  /** The tenant's, from elsewhere than the service. Where absent, the first answer is trusted and pinned. */
  readonly verifierKey?: string | undefined;
  /** Reads the whole log again, not only what is new: finds what was altered after it was read. */
  readonly full?: boolean | undefined;
  /** Entries between two saves of a long reading, which then goes on from there; 10,000 where absent. */
  readonly saveEvery?: number | undefined;
  /** Given every entry that is read, in order. After a failure, or a finding, some come again. */
  readonly onEntry?: ((entry: AuditEntry) => void | Promise<void>) | undefined;
  /** Told after each page how far it is, and where the log ends. */
  readonly onProgress?: ((progress: { readonly id: number; readonly through: number }) => void) | undefined;
  /** For platforms whose WebCrypto has no Ed25519. */
  readonly verifySignature?: VerifySignature | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What a round found. */
export interface AuditReport {
  /** Nothing was found. */
  readonly ok: boolean;
  /** What was: the first hundred. */
  readonly findings: readonly AuditFinding[];
  /** What the service has signed in this round; null where its signature does not hold. */
  readonly checkpoint: (AuditHead & { readonly note: string }) | null;
  /** How many entries were read. */
  readonly checked: number;
  /** What the store has now; undefined where nothing was ever saved. */
  readonly state: AuditState | undefined;
}

type Signed = AuditHead & { readonly note: string };

/**
 * Reads what is new in an audit log, recomputes its chain, and holds it against a signed checkpoint and against what was
 * verified before. What does not hold is in the report, and then nothing is saved. Throws EaasError when the service
 * does not answer and nothing was found before, InputError for a verifier key, a state or an option that is none, and what
 * the store throws.
 */
export async function checkAudit({ audit }: AuditSource, options: CheckOptions): Promise<AuditReport> {
  refuseUnknown(options);
  const { store, signal } = options;
  const stored = readState(await store.load());
  const findings: AuditFinding[] = [];
  const { signed, state } = await takeCheckpoint(audit, stored, options, findings);
  if (!signed || wentBack(state, signed, findings))
    return { ok: false, findings, checkpoint: signed, checked: 0, state: stored };

  const from = options.full ? initialState(state.tenant_id, state.verifier_key).start : state.read;
  const walk: Walk = {
    tenantId: state.tenant_id,
    to: signed,
    known: state.read,
    isFirst: stored === undefined,
    findings,
    at: { ...from },
    start: undefined,
    time: 0,
    checked: 0,
  };
  const { current, saveNow, onPage } = savingOnTheWay(walk, state, stored, options);
  const walked = await walkChain(walk, { audit, signal, onEntry: options.onEntry, onPage }).then(
    () => true,
    (error: unknown) => {
      // Whoever shows what does not hold must not be able to take it back by failing.
      if (findings.length === 0 || !(error instanceof EaasError)) throw error;
      return false;
    },
  );
  if (walked) requireArrival(walk);
  if (walked && isSound(findings) && walk.at.id === signed.id)
    await saveNow({ read: headOf(signed), verified: headOf(signed), checkpoint: signed.note });
  return { ok: findings.length === 0, findings, checkpoint: signed, checked: walk.checked, state: current() };
}

const known = /^(store|verifierKey|full|saveEvery|onEntry|onProgress|verifySignature|signal)$/;

/** Of a key that is given as `verifier_key`, the service's own word would be believed. */
function refuseUnknown(options: object): void {
  const unknown = Object.keys(options).find((option) => !known.test(option));
  if (unknown !== undefined) throw new InputError(`\`${unknown}\` is no option of an audit's check`);
}

/** Asks for a checkpoint, and opens it with the pinned key. */
async function takeCheckpoint(
  audit: AuditSource['audit'],
  stored: AuditState | undefined,
  { verifierKey, verifySignature, signal }: CheckOptions,
  findings: AuditFinding[],
): Promise<{ signed: Signed | null; state: AuditState }> {
  const answer = await audit.checkpoint({ signal });
  const pinned = stored?.verifier_key ?? verifierKey ?? answer.verifier_key;
  for (const other of [verifierKey, answer.verifier_key]) {
    if (other === undefined || other === pinned) continue;
    find(
      { findings },
      'verifier_key_changed',
      null,
      `the pinned verifier key is ${pinned}, and now it is ${other}`,
    );
  }
  const verifier = await readVerifierKey(pinned);
  const state = stored ?? initialState(verifier.tenantId, pinned);
  if (findings.length > 0) return { signed: null, state };
  const { checkpoint: note, id, hash, tenant_id } = answer;
  const head = typeof note === 'string' ? await openNote(note, verifier, verifySignature) : undefined;
  if (head?.id === id && head.hash === hash && tenant_id === verifier.tenantId)
    return { signed: { id, hash, note }, state };
  const text = 'the checkpoint is not signed by the pinned verifier key, or not for what it came with';
  find({ findings }, 'checkpoint_invalid', null, text);
  return { signed: null, state };
}

/** Whether a checkpoint contradicts what was read, before anything more is. */
function wentBack({ read }: AuditState, { id, hash }: Signed, findings: AuditFinding[]): boolean {
  if (id < read.id)
    find({ findings }, 'rollback', id, `the log ends at entry ${id}; it was read to ${read.id}`);
  else if (id === read.id && hash !== read.hash) {
    const text = `entry ${id} had the hash ${read.hash} when it was read, and a checkpoint now states ${hash}`;
    find({ findings }, 'fork', id, text);
  }
  return findings.length > 0;
}

/** Saves how far a long reading came, as long as nothing is wrong. */
function savingOnTheWay(
  walk: Walk,
  state: AuditState,
  stored: AuditState | undefined,
  { store, full = false, saveEvery = 10_000, onProgress }: CheckOptions,
) {
  let saved = stored;
  let at = 0;
  const saveNow = async (changes: Partial<AuditState>): Promise<void> => {
    const next = { ...state, start: walk.start ?? state.start, ...changes };
    await store.save(next);
    saved = next;
  };
  const onPage = async (): Promise<void> => {
    onProgress?.({ id: walk.at.id, through: walk.to.id });
    const { id, hash } = walk.at;
    // What is read anew must come by all that was verified before it counts; and a round that goes on from behind a
    // finding would not come by it, though this one may still fail and tell nobody.
    if (full || walk.checked - at < saveEvery || walk.findings.length > 0 || hash === undefined) return;
    at = walk.checked;
    await saveNow({ read: { id, hash } });
  };
  return { current: () => saved, saveNow, onPage };
}

/** Whatever else was shown: without a finding, the walk has come to the entry that was signed. */
function requireArrival({ at, to, findings }: Walk): void {
  // Beyond it: all that it was signed for was purged meanwhile, which is told.
  if (!isSound(findings) || at.id > to.id || (at.id === to.id && at.hash === to.hash)) return;
  find(
    { findings },
    'checkpoint_mismatch',
    to.id,
    `what is shown does not lead to the signed entry ${to.id}`,
  );
}

/** Whether everything that could be read holds. */
function isSound(findings: readonly AuditFinding[]): boolean {
  return findings.every(({ code }) => code === 'purged_unread');
}

function headOf({ id, hash }: AuditHead): AuditHead {
  return { id, hash };
}
