// The page: it reads the files that it is given, judges them, and shows what they say. No text of them becomes markup.
import { sha256 } from '@noble/hashes/sha2.js';
import { actionTexts, escapeHidden, inLine, toHex } from '@eaas/protocol/internal';
import type { AuditEntry } from '../entry.ts';
import type { FileReport } from '../verify-file.ts';
import { judge } from './verdict.ts';

const pick = (id: string): HTMLInputElement => document.getElementById(id) as HTMLInputElement;
const filesIn = (...ids: string[]): File[] => ids.flatMap((id) => Array.from(pick(id).files ?? []));

/** Fills a list or a table with texts. */
function fill(id: string, rows: readonly (readonly (string | number)[])[]): void {
  const [rowTag, cellTag] = pick(id).tagName === 'UL' ? ['li', 'span'] : ['tr', 'td'];
  const filled = rows.map((texts) => {
    const row = document.createElement(rowTag);
    for (const text of texts) {
      row.appendChild(document.createElement(cellTag)).textContent = escapeHidden(`${text}`);
    }
    return row;
  });
  pick(id).replaceChildren(...filled);
}

/** The number of the newest check, which ends the one before. */
let newest = 0;

/** So many bytes are read at a time. A stream would fill the memory of a browser, which frees its pieces late. */
const pieceLength = 262_144;

async function* piecesOf(file: File, see: (piece: Uint8Array) => void): AsyncGenerator<Uint8Array> {
  let next = 0;
  for (let at = 0; at < file.size; at += pieceLength) {
    const piece = new Uint8Array(await file.slice(at, at + pieceLength).arrayBuffer());
    see(piece);
    yield piece;
    // Lets the browser show how far the check is. What is read is there at once, so it would not.
    if (performance.now() < next) continue;
    await new Promise((resolve) => setTimeout(resolve));
    next = performance.now() + 100;
  }
}

/** Longer than any text that a log is compared with. */
const longestText = 2_000_000;
const isLog = ({ name }: File): boolean => name.endsWith('.ndjson');
const textsOf = (files: readonly File[]): Promise<string[]> =>
  Promise.all(files.filter((file) => !isLog(file) && file.size < longestText).map((file) => file.text()));

/** Checks all that is there. Each change begins anew. */
async function check(): Promise<void> {
  const run = ++newest;
  const say = (text: string): void => {
    if (run === newest) pick('state').textContent = escapeHidden(text);
  };
  const given = filesIn('folder', 'files');
  const kept = filesIn('kept');
  delete document.body.dataset['verdict'];
  const [file, another] = given.filter(isLog);
  if (given.length === 0) return say('');
  if (!file || another) return say('One file must end with .ndjson: choose one whole folder, unpacked.');
  const sum = sha256.create();
  let done = 0;
  const pieces = piecesOf(file, (piece) => {
    if (run !== newest) throw new Error('another check has begun');
    sum.update(piece);
    done += piece.length;
    say(`Checking: ${Math.round((100 * done) / file.size)} %`);
  });
  const period = periodOf(pick('from').value, pick('to').value, pick('words').value);
  try {
    const own = [pick('line').value, ...(await textsOf(kept))];
    const { kind, says, report } = await judge(pieces, await textsOf(given), own, period.see);
    if (run !== newest) return;
    const { tenantId, first, last } = report;
    fill('facts', [
      ['Log of the tenant', tenantId],
      ['Entries', `${first.id} to ${last.id}`],
      ['To keep for the next time', kind === 'altered' ? 'nothing' : `${last.id} ${last.hash}`],
      [`SHA-256 of ${inLine(file.name)}`, toHex(sum.digest())],
    ]);
    const sentences = [...says, ...period.says(report)].map((text) => [`${text}.`]);
    fill('says', sentences);
    fill('counts', [...period.counts]);
    fill('rows', period.rows);
    document.body.dataset['verdict'] = kind;
    say('');
  } catch (error) {
    say(`This cannot be checked: ${(error as Error).message}.`);
  }
}

const mostRows = 1_000;

/** Counts and lists the entries of a period in which these words are. A day is empty, or such as `2026-07-01`. */
function periodOf(from: string, to: string, words: string) {
  const counts = new Map<string, number>();
  const rows: string[][] = [];
  let earlier = 0;
  let start = 0;
  let end = 0;
  let later = 0;
  const see = (entry: AuditEntry): void => {
    const { id } = entry;
    const cells = cellsOf(entry);
    const [, time = '', action = ''] = cells;
    const day = time.slice(0, 10);
    if (day < from) {
      earlier = id;
      return;
    }
    if (to !== '' && day > to) {
      later ||= id;
      return;
    }
    start ||= id;
    end = id;
    counts.set(action, (counts.get(action) ?? 0) + 1);
    const isFound = words === '' || cells.join(' ').toLowerCase().includes(words.toLowerCase());
    if (isFound && rows.length < mostRows) rows.push(cells);
  };
  const says = ({ first, before }: FileReport): string[] => {
    if (from === '' && to === '') return [];
    if (start === 0) return ['No entry that is shown is of the period'];
    // The time of an entry whose text is not checked could be any.
    const isChecked = earlier > first.id || before !== null || earlier === 1;
    const isWhole = [start === 1 || (earlier === start - 1 && isChecked), later === end + 1];
    const lacks = ['before', 'after'].filter((_, at) => !isWhole[at]).map((side) => ` ${side} them`);
    const rest = lacks.length > 0 ? `. Others can be missing${lacks.join(' and')}` : ', and no others';
    return [`Entries ${start} to ${end} are of the period${rest}`];
  };
  return { counts, rows, see, says };
}

function cellsOf({ id, created_at, action, actor, metadata, ...entry }: AuditEntry): string[] {
  const { ip_address, key_id, key_version } = entry;
  const text = Object.hasOwn(actionTexts, action) ? actionTexts[action] : action;
  const isRefused = Object(metadata).outcome === 'refused';
  const details = JSON.stringify({ ip_address, key_id, key_version, metadata });
  return [id, created_at, isRefused ? `${text}, refused` : text, actor, details].map(String);
}

// Of the folder and its files, the one that was chosen last counts.
const folder = pick('folder');
const files = pick('files');
folder.addEventListener('change', () => {
  files.value = '';
});
files.addEventListener('change', () => {
  folder.value = '';
});
for (const input of document.querySelectorAll('input,textarea')) {
  input.addEventListener('change', () => void check());
}
// What is dropped beside the inputs would replace the page.
const keepPage = (event: Event): unknown =>
  event.target instanceof HTMLInputElement || event.preventDefault();
for (const type of ['dragover', 'drop']) document.addEventListener(type, keepPage);
