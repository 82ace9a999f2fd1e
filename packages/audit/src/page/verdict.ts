// The verdict about a file of entries, and what it rests on. What came with the file decides nothing: whoever forges the one forges
// the other.
import { openCheckpoint } from '../checkpoint.ts';
import type { AuditEntry, AuditHead } from '../entry.ts';
import { type FileReport, verifyFile } from '../verify-file.ts';
import { verifyProof } from '../verify-proof.ts';

/** From the worst to the best. `sender`: witnessed, by witnesses that only the sender names. */
const kinds = ['altered', 'fits', 'sender', 'continues', 'witnessed'] as const;

export interface Verdict {
  readonly kind: (typeof kinds)[number];
  /** What was found, in sentences, the most important first. */
  readonly says: readonly string[];
  readonly report: FileReport;
}

/** A head that the reader or witnesses know. */
interface Known extends AuditHead {
  readonly kind: Verdict['kind'];
  readonly tenantId?: string;
  /** The beginning of a sentence, which the entry ends. */
  readonly who: string;
  readonly shows: string;
}

/** Finds in texts what a log can be compared with, also in the JSON of the API and the command line. */
function read(texts: readonly string[]) {
  const plain = texts.map((text) => text.replaceAll(text.startsWith('{') ? /\\n|"/g : /\r\n/g, '\n'));
  const find = (pattern: RegExp): string[] => plain.flatMap((text) => text.match(pattern) ?? []);
  return {
    heads: find(/^\d{1,15} [0-9a-f]{64}(?= *$)/gm),
    checkpoints: find(/^eaas\.audit-chain\.v1\/.+\n\d+\n.+\n\n(?:— .+\n)+/gm),
    keys: find(/^eaas\/[0-9a-f-]{36}\+[0-9a-f]{8}\+\S+/gm),
    policy: plain.find((text) => /^quorum /m.test(text)),
    proofs: plain.flatMap((text) => text.split(/^c2sp\.org\/tlog-proof@/m).slice(1)).flatMap(proofOf),
  };
}

/** Returns the proof of which this is the rest: it ends with its signatures, after two empty lines. Reads each line once. */
function proofOf(rest: string): string[] {
  const lines = [...rest.split('\n'), ''];
  const signed = lines.indexOf('', lines.indexOf('') + 1) + 1;
  const end = lines.findIndex((line, at) => at >= signed && !line.startsWith('— '));
  return end > signed ? [`c2sp.org/tlog-proof@${lines.slice(0, end).join('\n')}\n`] : [];
}

const nothing = 'nothing was compared with it';
const sentences: Readonly<Record<FileReport['compared'][number], (head: Known, first: number) => string>> = {
  same: ({ who, id, shows }, first) =>
    id < first ? `${who} entry ${id}, which these entries follow` : shows,
  other: ({ who, id }) => `${who} another entry ${id}: this one, or one before it, was changed`,
  before_file: ({ who, id }) => `${who} entry ${id}, which is before what is here: ${nothing}`,
  ahead: ({ who, id }) => `${who} entry ${id}, which is after what is here: ${nothing}`,
  of_other_tenant: ({ who }) => `${who} the log of another tenant: ${nothing}`,
};

/** Judges entries by the texts that came with them, and those that the reader keeps. */
export async function judge(
  entries: AsyncIterable<Uint8Array>,
  given: readonly string[],
  kept: readonly string[],
  onEntry?: (entry: AuditEntry) => void,
): Promise<Verdict> {
  const { heads, refused } = await knownFrom(read(given), read(kept));
  const report = await verifyFile(entries, { heads, allowHidden: true, onEntry });
  const { findings, before, first, last, hidden, compared } = report;
  const isAltered = findings.length > 0 || compared.includes('other');
  const how = new Map(heads.map((head, nth) => [head, compared[nth] ?? 'ahead']));
  const rank = (head: Known): number => (how.get(head) === 'other' ? kinds.length : kinds.indexOf(head.kind));
  const about = heads.toSorted((a, b) => rank(b) - rank(a) || b.id - a.id);
  const same = about.filter((head) => how.get(head) === 'same');
  // An entry that is not here shows nothing about those that are, but that they follow it.
  const best = same.find(({ id }) => id >= first.id) ?? same.find(({ kind }) => kind === 'continues');
  const says = [
    ...findings.map(({ message }) => message),
    ...about.map((head) => sentences[how.get(head) ?? 'ahead'](head, first.id)),
    ...refused,
  ];
  if (best && best.id < last.id) says.push(`Nobody but the sender speaks for the entries after ${best.id}`);
  if (hidden > 0) {
    says.push(
      `Of ${hidden} entries only a digest is shown. ${isAltered ? '' : 'None was left out between two that are shown. '}` +
        'What they say cannot be checked, and they can be about the same key or the same person too',
    );
  }
  if (first.id > 1 && !before) {
    says.push(`Nothing shows what was before entry ${first.id}, so its own text is not checked`);
  }
  return { kind: isAltered ? 'altered' : (best?.kind ?? 'fits'), says, report };
}

type Texts = ReturnType<typeof read>;

async function knownFrom(given: Texts, kept: Texts): Promise<{ heads: Known[]; refused: string[] }> {
  const heads: Known[] = [];
  const refused: string[] = [];
  const keep = (head: Omit<Known, 'kind' | 'who' | 'shows'>): void => {
    const shows = `Up to entry ${head.id}, these are the entries that you were shown then`;
    heads.push({ ...head, kind: 'continues', who: 'You keep', shows });
  };
  for (const line of kept.heads) keep({ id: Number(line.slice(0, -65)), hash: line.slice(-64) });
  for (const note of kept.checkpoints) {
    const before = refused.length;
    const opened = await Promise.all(kept.keys.map((key) => open(openCheckpoint(note, key), refused)));
    const head = opened.find((one) => one !== undefined);
    if (head) keep({ ...head, tenantId: head.tenant_id });
    else if (refused.length === before) {
      refused.push('The checkpoint that you keep counts only with the verifier key that signed it');
    }
  }
  if (given.checkpoints.length > 0) {
    refused.push('The sender can sign any history: a checkpoint that came with the folder does not count');
  }
  const policy = kept.policy ?? given.policy;
  // A folder of evidence has one proof. To verify many would take long.
  for (const proof of [...kept.proofs, ...given.proofs].slice(0, 100)) {
    const shown = policy && (await open(verifyProof(proof, policy), refused));
    if (policy === undefined) {
      refused.push('A proof of the public log counts only with a trust policy, the keys of its witnesses');
    }
    if (!shown) continue;
    const { tenantId, id, hash, before, witnesses } = shown;
    const time = before.toISOString();
    const shows = `Up to entry ${id}, these entries existed, exactly so, before ${time}. Signed by ${witnesses.join(', ')}`;
    const kind = kept.policy === undefined ? 'sender' : 'witnessed';
    heads.push({ tenantId, id, hash, kind, who: `Before ${time}, witnesses signed`, shows });
  }
  return { heads, refused };
}

/** Returns what a check shows, or says why it shows nothing. */
const open = <T>(check: Promise<T>, refused: string[]): Promise<T | void> =>
  check.catch(({ message }: Error) => void refused.push(message));
