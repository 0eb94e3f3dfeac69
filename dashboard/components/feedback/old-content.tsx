import type { UseQueryResult } from '@tanstack/react-query';
import type { MouseEvent, ReactNode } from 'react';
import { classNames } from '../class-names.ts';
import { useLast } from '../overlay/once-opened.tsx';

interface OldContentProps {
  /** Whether something else has been chosen, whose content is loading. */
  isOld: boolean;
  children: ReactNode;
}

/**
 * Content that stays until that of another choice has been loaded. In the meantime it is dimmed below a moving line, unless
 * the new content is there at once. Until then, its links and buttons do nothing: they would lead to what is no longer wanted.
 * It fills a column, and keeps its layout.
 */
export function OldContent({ isOld, children }: OldContentProps) {
  return (
    <div aria-busy={isOld} className="relative flex grow flex-col">
      <div
        onClickCapture={isOld ? ignoreClick : undefined}
        className={classNames(
          'flex grow flex-col transition-opacity duration-150',
          isOld && 'opacity-40 delay-150',
        )}
      >
        {children}
      </div>
      {isOld && (
        <div aria-hidden className="pointer-events-none absolute inset-x-0 top-0 z-10 h-0.5 overflow-hidden">
          <div className="h-full w-1/3 animate-progress rounded-full bg-accent" />
        </div>
      )}
    </div>
  );
}

function ignoreClick(event: MouseEvent): void {
  event.preventDefault();
  event.stopPropagation();
}

interface Choice {
  /** Equal for the same choice, such as a range that has moved on with the time. */
  id: string;
}

/** Returns the choice that the data of a query belongs to: the one before while another is loading. */
export function useShown<Chosen extends Choice>(
  chosen: Chosen,
  { isPlaceholderData }: Pick<UseQueryResult, 'isPlaceholderData'>,
): { shown: Chosen; isOld: boolean } {
  const shown = useLast(isPlaceholderData ? null : chosen) ?? chosen;
  return { shown, isOld: isPlaceholderData && shown.id !== chosen.id };
}
