// Copies an id or a token, and says whether the browser allowed it, to a screen reader too.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';

interface CopyProps {
  readonly text: string;
  readonly of: string;
}

export function Copy({ text, of }: CopyProps) {
  const result = useSignal('');
  useEffect(() => {
    if (result.value === '') return undefined;
    const timer = setTimeout(() => {
      result.value = '';
    }, 2_000);
    return () => clearTimeout(timer);
  }, [result.value]);

  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      result.value = 'Copied';
    } catch {
      result.value = 'Not copied: the browser does not allow it';
    }
  };
  return (
    <button class="button quiet" type="button" onClick={() => void copy()}>
      {result.value === '' ? 'Copy' : <span aria-hidden="true">{result.value}</span>}
      {result.value === '' && <span class="unseen"> {of}</span>}
      <span class="unseen" role="status">
        {result.value}
      </span>
    </button>
  );
}

/** A text to copy, such as an id. */
export function CopyBox({ text, of }: CopyProps) {
  return (
    <div class="notice row token">
      <code>{text}</code>
      <Copy text={text} of={of} />
    </div>
  );
}
