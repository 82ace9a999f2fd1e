import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isFirstPage } from './first-page.ts';

/** A page title that takes the focus, so that a screen reader begins at the title. */
export function Heading({ children }: { readonly children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Takes the focus in a layout effect, which runs before the user can move the focus. A later effect could take the
  // focus away from an element that the user has chosen.
  useLayoutEffect(() => {
    if (!isFirstPage()) heading.current?.focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    document.title = `${children} · Eaas`;
  }, [children]);
  return (
    <h1 tabIndex={-1} ref={heading}>
      {children}
    </h1>
  );
}
