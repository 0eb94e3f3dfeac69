import { type ReactNode, useEffect } from 'react';
import { productName } from './brand.tsx';

/** Sets the document's title while a view is shown. */
export function useDocumentTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${productName}`;
  }, [title]);
}

interface PageProps {
  title: string;
  description?: string;
  children: ReactNode;
}

/** A view with its heading, which takes the focus after navigation. */
export function Page({ title, description, children }: PageProps) {
  useDocumentTitle(title);
  return (
    <div className="mx-auto w-full max-w-[60rem] px-4 pt-6 pb-16 sm:px-8 lg:pt-10">
      <h1 tabIndex={-1} className="text-[1.375rem]/7 font-semibold tracking-[-0.02em]">
        {title}
      </h1>
      {description && <p className="mt-1 text-muted">{description}</p>}
      <div className="mt-8 flex flex-col gap-10">{children}</div>
    </div>
  );
}
