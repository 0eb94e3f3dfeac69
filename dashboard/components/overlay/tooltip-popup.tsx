import { Tooltip as BaseTooltip } from '@base-ui/react/tooltip';
import { useEffect } from 'react';
import { classNames } from '../class-names.ts';
import type { TooltipPayload } from './tooltip-payload.ts';

export interface TooltipPopupProps {
  handle: BaseTooltip.Handle<TooltipPayload>;
  container: HTMLElement | null;
  onReady: () => void;
}

/** A trigger that was reached while the popup was loading. */
const askedTrigger = '[data-base-ui-tooltip-trigger]:is(:focus-visible, :hover)';

/** The popup of all tooltips, with the content of the current one. */
export function TooltipPopup({ handle, container, onReady }: TooltipPopupProps) {
  useEffect(() => {
    // The triggers have noticed the popup by then.
    const frame = requestAnimationFrame(() => {
      onReady();
      const asked = document.querySelector(askedTrigger);
      if (asked?.id) handle.open(asked.id);
    });
    return () => cancelAnimationFrame(frame);
  }, [handle, onReady]);
  return (
    <BaseTooltip.Root handle={handle}>
      {({ payload }) => (
        <BaseTooltip.Portal container={container}>
          <BaseTooltip.Positioner
            side={payload?.onRail ? 'right' : 'top'}
            sideOffset={6}
            collisionPadding={8}
            className={classNames('z-50', payload?.onRail && 'max-md:hidden lg:hidden')}
          >
            <BaseTooltip.Popup className="max-w-80 origin-(--transform-origin) rounded-lg bg-raised px-3 py-2 text-[0.8125rem] shadow-popup transition-opacity duration-100 data-ending-style:opacity-0 data-instant:duration-0 data-starting-style:opacity-0">
              {payload?.content}
            </BaseTooltip.Popup>
          </BaseTooltip.Positioner>
        </BaseTooltip.Portal>
      )}
    </BaseTooltip.Root>
  );
}
