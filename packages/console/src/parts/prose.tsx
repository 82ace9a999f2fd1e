/** Shows a message of the service. Text between backticks is shown as code. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(/`([^`]+)`/)
        .map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece))}
    </>
  );
}
