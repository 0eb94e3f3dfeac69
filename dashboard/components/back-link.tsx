import { useRender } from '@base-ui/react/use-render';
import { ArrowLeft } from 'lucide-react';
import type { ReactElement } from 'react';

interface BackLinkProps {
  /** Such as `<Link to="/account" />`. */
  link: ReactElement<Record<string, unknown>>;
  /** The title of the list: "Prompts". */
  children: string;
}

/** Leads from a view to the list that it belongs to. */
export function BackLink({ link, children }: BackLinkProps) {
  return useRender({
    render: link,
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
