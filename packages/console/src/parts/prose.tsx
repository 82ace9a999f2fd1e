// Shows a sentence with code between backticks, as errors of the service and the SDK have it.
export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(/`([^`]+)`/)
        .map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece))}
    </>
  );
}
