// The check of a file that somebody handed over: an exported log, or the entries of a folder of evidence.
import { InputError } from '@eaas/protocol';
import {
  attempt,
  callback,
  escapeHidden,
  flag,
  list,
  type OptionRules,
  requireOptions,
} from '@eaas/protocol/internal';
import { type AuditEntry, type AuditHead, isBareHead, isEntry, isHidden } from './entry.ts';
import { isExact, members } from './entry-proof.ts';
import type { AuditFinding } from './findings.ts';
import { type Given, newWalk, walkChain } from './walk.ts';

/** Options of `verifyFile`. */
export interface VerifyFileOptions {
  /** Heads that you know: of a checkpoint or a proof that you verified, or what you wrote down. */
  readonly heads?: readonly (AuditHead & { readonly tenantId?: string | undefined })[] | undefined;
  /**
   * If true, `{ id, digest }` can stand for an entry: the chain is checked through it, but not its text, time and MAC, nor what it
   * contradicts. Otherwise such an entry is refused.
   */
  readonly allowHidden?: boolean | undefined;
  /** Called with each entry that is shown, oldest first. */
  readonly onEntry?: ((entry: AuditEntry) => void | Promise<void>) | undefined;
}

/** What a file shows by itself, and how it compares with the heads that you know. */
export interface FileReport {
  readonly tenantId: string;
  /** The first 100 findings. */
  readonly findings: readonly AuditFinding[];
  /** The head before the first entry. Null if the file does not give it: the text of its first entry is then not verified. */
  readonly before: AuditHead | null;
  /** The first entry and the last one. */
  readonly first: AuditHead;
  readonly last: AuditHead;
  /** The number of entries, with hidden ones. */
  readonly entries: number;
  /** The number of entries of which only the digest is shown. */
  readonly hidden: number;
  /** What the chain has at each of the heads: the same, another one, or nothing, because the head is elsewhere. */
  readonly compared: readonly ('same' | 'other' | 'before_file' | 'ahead' | 'of_other_tenant')[];
}

/** Longer than any line that a service writes. */
const longestLine = 1_048_576;

const hiddenMembers = ['id', 'digest'];

/** Whether an entry has those members that it has in the order in which a service writes them. */
function isInOrder(value: object): boolean {
  const names = Object.keys(value);
  const inOrder: readonly string[] = names.includes('digest') ? hiddenMembers : members;
  const ordered = inOrder.filter((name) => names.includes(name));
  return names.filter((name) => inOrder.includes(name)).join() === ordered.join();
}

/**
 * Returns what a line says, or undefined unless it is written as a service and its commands write it: in another form, a member
 * could be there twice, and a person would read what no hash covers. Mail and editors end lines with CR LF.
 */
const valueIn = (line: string): unknown =>
  attempt(() => {
    if (line.length > longestLine) return undefined;
    const value: unknown = JSON.parse(line);
    const written = JSON.stringify(value);
    if (![written, escapeHidden(written)].includes(line.replace(/\r$/, ''))) return undefined;
    return isEntry(value) && !isInOrder(value) ? undefined : value;
  });

/** A line ends with LF alone: what else breaks lines elsewhere can stand in JSON as it is. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Given, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let count = 0;
  const read = (line: string): Given => {
    const value = valueIn(line);
    if (count++ === 0 && isBareHead(value)) return value;
    if (!isEntry(value)) {
      throw new InputError(
        `line ${count} is not an audit entry as exported: pass the file that \`audit export\`, \`audit evidence\` or the console wrote`,
      );
    }
    // A member that no hash covers would look as if it were proven: such an entry is none that a service wrote.
    return !isHidden(value) && !isExact(value) ? { ...value, salt: '' } : value;
  };
  for await (const chunk of bytes) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) yield read(line);
    if (rest.length > longestLine) read(rest);
  }
  rest += decoder.decode();
  if (rest !== '') yield read(rest);
}

/**
 * Verifies the entries of a file, as `eaas audit export` or `evidence` wrote it. Its first entry can be any. Throws InputError for
 * a line that is no entry as it was exported, byte for byte, and for a file without entries.
 *
 * @example
 * ```ts
 * import { verifyFile } from '@eaas/audit';
 * import { EaasClient } from '@eaas/sdk';
 *
 * const eaas = new EaasClient();
 * const lines = [];
 * for await (const entry of eaas.audit.list({}, { order: 'oldest' })) lines.push(JSON.stringify(entry));
 * const { findings } = await verifyFile(new Blob([lines.join('\n')]).stream());
 * console.log(findings); // []
 * ```
 */
export async function verifyFile(
  bytes: AsyncIterable<Uint8Array>,
  options: VerifyFileOptions = {},
): Promise<FileReport> {
  requireOptions(rules, options, 'verifyFile');
  const { heads = [], allowHidden, onEntry } = options;
  const hashes = new Map(heads.map(({ id }): [number, string | undefined] => [id, undefined]));
  const begun = { tenantId: undefined, from: Infinity, findings: [], hidden: allowHidden ? 0 : undefined };
  const walk = newWalk(begun);
  const ends: { first?: AuditHead; last?: AuditHead } = {};
  await walkChain(walk, linesOf(bytes), async (entry, at) => {
    ends.first ??= at;
    ends.last = at;
    if (hashes.has(at.id)) hashes.set(at.id, at.hash);
    if (!isHidden(entry)) await onEntry?.(entry);
  });
  const { findings, tenantId, before = null, hidden = 0, chain } = walk;
  const { first, last } = ends;
  if (!first || !last) throw new InputError('the file has no entries: pass one that `audit export` wrote');
  if (tenantId === undefined) throw new InputError('no entry is shown, so nothing says whose log it is');
  if (before) hashes.set(before.id, before.hash);
  const compared = heads.map(({ tenantId: of = tenantId, id, hash }) => {
    if (of !== tenantId) return 'of_other_tenant';
    if (id < (before ?? first).id) return 'before_file';
    if (id > last.id) return 'ahead';
    return hashes.get(id) === hash ? 'same' : 'other';
  });
  return { findings, hidden, tenantId, before, first, last, entries: chain?.checked ?? 0, compared };
}

const rules: OptionRules<VerifyFileOptions> = { allowHidden: flag, heads: list, onEntry: callback };
