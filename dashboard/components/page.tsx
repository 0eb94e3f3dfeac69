import { useRender } from '@base-ui/react/use-render';
import { ArrowLeft } from 'lucide-react';
import { cloneElement, type ReactElement, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import { productName } from './brand.tsx';
import { classNames } from './class-names.ts';
import { FailureNotice } from './feedback/failure-notice.tsx';

/** Sets the document's title while a view is shown. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${productName}`;
  }, [title]);
}

interface PageProps {
  title: string;
  description?: ReactNode;
  /** Above the heading: a link to the list that the view belongs to. */
  back?: ReactNode;
  /** Beside the heading, such as the button that creates something. */
  action?: ReactNode;
  /** For charts and wide tables. */
  wide?: boolean;
  children: ReactNode;
}

/** A view with its heading, which takes the focus after navigation. */
export function Page({ title, description, back, action, wide = false, children }: PageProps) {
  useDocumentTitle(title);
  return (
    <div
      className={classNames(
        'mx-auto w-full px-4 pt-6 pb-16 sm:px-8 lg:pt-10 print:max-w-none print:p-0',
        wide ? 'max-w-[84rem]' : 'max-w-[60rem]',
      )}
    >
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-4">
        <div className="min-w-0 flex-1 basis-64">
          {back}
          <PageHeading>{title}</PageHeading>
          {description && <p className="mt-1 text-muted">{description}</p>}
        </div>
        {action}
      </div>
      <FailureNotice />
      <div className="mt-8 flex flex-col gap-10">{children}</div>
    </div>
  );
}

/** Set while a heading that has the focus is replaced by that of the loaded view. */
let focusNextHeading = false;

function PageHeading({ children }: { children: string }) {
  const ref = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    const heading = ref.current;
    if (focusNextHeading && document.activeElement === document.body) heading?.focus({ preventScroll: true });
    focusNextHeading = false;
    return () => {
      focusNextHeading = heading !== null && document.activeElement === heading;
    };
  }, []);
  return (
    <h1 ref={ref} tabIndex={-1} className="text-[1.375rem]/7 font-semibold wrap-anywhere tracking-[-0.02em]">
      {children}
    </h1>
  );
}

interface BackLinkProps {
  /** Such as `<Link to="/account" />`. */
  link: ReactElement<Record<string, unknown>>;
  /** The title of the list: "Prompts". */
  children: string;
}

/** Leads from a view to the list that it belongs to. */
export function BackLink({ link, children }: BackLinkProps) {
  return useRender({
    // Not the link to the present page, although its address may begin in the same way.
    render: cloneElement(link, { activeOptions: { exact: true } }),
    props: {
      className:
        'mb-2 inline-flex min-h-6 items-center gap-1.5 rounded-sm text-[0.8125rem] font-medium text-muted transition-colors hover:text-text',
      children: (
        <>
          <ArrowLeft aria-hidden className="size-3.5" />
          {children}
        </>
      ),
    },
  });
}
