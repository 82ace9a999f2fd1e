// Reads a proof of the public log to show it, and verifies nothing.
import { fromBase64 } from '@eaas/protocol/internal-base64';

/** Lengths of a signature with its key id: an Ed25519 and an ML-DSA-44 cosignature begin with a time. */
const cosignatures = new Set([4 + 8 + 64, 4 + 8 + 2_420]);

/**
 * Returns what a proof of the public log (https://c2sp.org/tlog-proof) says, or undefined if it is none: the id of the entry
 * that was the newest, who says that, and since when, the earliest first. Nothing of it is verified.
 */
export function readProof(proof: string) {
  try {
    const [, extra = ''] = /^extra (.*)$/m.exec(proof) ?? [];
    const { id } = JSON.parse(new TextDecoder().decode(fromBase64(extra))) as { id: unknown };
    if (typeof id !== 'number') return undefined;
    const witnesses = Array.from(proof.matchAll(/^— (\S+) (\S+)$/gm), ([, name = '', text = '']) => {
      const bytes = fromBase64(text);
      const seconds = cosignatures.has(bytes.length)
        ? Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(4))
        : 0;
      return { name, time: new Date(seconds * 1_000) };
    });
    const dated = witnesses.filter(({ time }) => time.getTime() > 0);
    return { id, witnesses: dated.toSorted((a, b) => a.time.getTime() - b.time.getTime()) };
  } catch {
    return undefined;
  }
}
