import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { isFirstPage } from './first-page.ts';

/** The title of a page. It takes the focus when the page appears, so that a screen reader begins here. */
export function Heading({ children }: { readonly children: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Before anybody can have put the focus elsewhere.
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
