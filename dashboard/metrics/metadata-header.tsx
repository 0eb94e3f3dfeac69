import { useState } from 'react';
import { LinkButton } from '#dashboard/components/button.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import type { MetadataGroup } from './metadata-header-dialog.tsx';

const HeaderDialog = lazyComponent(() => import('./metadata-header-dialog.tsx'), 'HeaderDialog');

interface HeaderHelpProps {
  group: MetadataGroup;
  /** Such as "No prompt". */
  children: string;
}

/** A text that opens the explanation of the header by which requests get a prompt or session. */
export function HeaderHelp({ group, children }: HeaderHelpProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <LinkButton onClick={() => setOpen(true)}>{children}</LinkButton>
      <OnceOpened open={isOpen}>
        <HeaderDialog group={group} open={isOpen} onClose={() => setOpen(false)} />
      </OnceOpened>
    </>
  );
}
