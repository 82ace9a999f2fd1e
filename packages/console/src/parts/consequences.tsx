// The list of what a dialog is about to take away, before the user agrees.
interface ConsequencesProps {
  readonly texts: readonly string[];
  readonly isMild?: boolean;
}

/** What cannot be undone, or what a change takes away. What is not grave is mild. */
export function Consequences({ texts, isMild = false }: ConsequencesProps) {
  if (texts.length === 0) return null;
  return (
    <ul class={`notice consequences ${isMild ? '' : 'bad'}`}>
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  );
}
