import type { ReactElement } from 'react';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';

interface OnRailProps {
  /** Whether only the icon is shown on tablets. */
  rail: boolean;
  title: string;
  /** A link or button, whose text stays for screen readers. */
  children: ReactElement;
}

/** Shows the title beside an icon of the sidebar, by pointer and keyboard. */
export function OnRail({ rail, title, children }: OnRailProps) {
  if (!rail) return children;
  return (
    <Tooltip content={title} onRail>
      {children}
    </Tooltip>
  );
}
