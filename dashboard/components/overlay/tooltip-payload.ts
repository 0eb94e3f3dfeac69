import type { ReactNode } from 'react';

export interface TooltipPayload {
  content: ReactNode;
  /** Beside an icon of the sidebar, where it is a rail. */
  onRail: boolean;
}
