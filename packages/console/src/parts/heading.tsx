// The title of a page and of its document. Without a reload, only its focus tells a screen reader that the page is new.
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

/** The browser puts the focus of the first page. */
let isFirst = true;

interface HeadingProps {
  readonly children: string;
  /** The title of the document. Defaults to the heading. */
  readonly title?: string;
}

/** A page title that takes the focus, so that a screen reader begins at the title. */
export function Heading({ children, title = children }: HeadingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Takes the focus in a layout effect, which runs before the user can move the focus. A later effect could take the
  // focus away from an element that the user has chosen.
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · Eaas`;
  }, [title]);
  return (
    <h1 tabIndex={-1} ref={heading}>
      {children}
    </h1>
  );
}
