// Saves a whole list as a file, and counts on the button what was read so far.
import { useSignal } from '@preact/signals';
import { useWork } from '../load.ts';
import { Button } from './button.tsx';
import { counted } from './texts.ts';
import { FailureView } from './states.tsx';

interface DownloadProps<Entry> {
  readonly children: string;
  readonly entries: (signal: AbortSignal) => AsyncIterable<Entry>;
  /** The name of the file without the day, and its type. */
  readonly name: string;
  readonly ending: string;
  readonly type: string;
  readonly write: (entries: readonly Entry[]) => string;
}

/** A button that reads entries, says how many it has, and saves them as a file. */
export function Download<Entry>({ children, entries, name, ending, type, write }: DownloadProps<Entry>) {
  const count = useSignal(0);
  const { isBusy, failure, run } = useWork();
  const download = () =>
    run(async (signal) => {
      const read = await readAll(entries(signal), (number) => {
        count.value = number;
      });
      const day = new Date().toISOString().slice(0, 10);
      save(new Blob([write(read)], { type }), `${name}-${day}.${ending}`);
    });
  return (
    <div>
      <Button isBusy={isBusy} onClick={() => void download()}>
        {isBusy ? `Reading, ${counted(count.value, 'entry', 'entries')}` : children}
      </Button>
      {failure && <FailureView failure={failure} />}
    </div>
  );
}

export async function readAll<Entry>(
  entries: AsyncIterable<Entry>,
  onProgress: (count: number) => void,
): Promise<Entry[]> {
  const read: Entry[] = [];
  onProgress(0);
  for await (const entry of entries) {
    read.push(entry);
    if (read.length % 100 === 0) onProgress(read.length);
  }
  return read;
}

export function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The download's URL stays valid for a minute, because the browser might still be reading the file.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
