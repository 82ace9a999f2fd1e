// Shows a sentence with code between backticks, as errors of the service and the SDK have it.
import { Inline } from './code.tsx';

export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split(/`([^`]+)`/)
        .map((piece, index) => (index % 2 === 1 ? <Inline key={index} code={piece} /> : piece))}
    </>
  );
}
