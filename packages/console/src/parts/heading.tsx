import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isFirstPage } from './first-page.ts';

/** The title of a page. When the page appears, the title gets the focus, so a screen reader begins at the title. */
export function Heading({ children }: { readonly children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Sets the focus in a layout effect, which runs before the user can move the focus.
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
