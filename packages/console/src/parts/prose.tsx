export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(/`([^`]+)`/)
        .map((piece, index) => (index % 2 === 1 ? <code key={index}>{piece}</code> : piece))}
    </>
  );
}
