import { Tooltip as BaseTooltip } from '@base-ui/react/tooltip';
import { type ReactElement, type ReactNode, useId, useState } from 'react';

const handle = BaseTooltip.createHandle<ReactNode>();

interface TooltipProps {
  content: ReactNode;
  /** For a button that does nothing else. */
  opensOnClick?: boolean;
  children: ReactElement;
}

/** Extra text on hover and focus. Touch screens show only one that opens on click, so others must not be needed. */
export function Tooltip({ content, opensOnClick = false, children }: TooltipProps) {
  const id = useId();
  return (
    <BaseTooltip.Trigger
      handle={handle}
      payload={content}
      render={children}
      delay={250}
      {...(opensOnClick && { id, closeOnClick: false, onClick: () => handle.open(id) })}
    />
  );
}

/** Shows the content of the current tooltip. A view has one, inside a landmark. */
export function TooltipLayer() {
  const [container, setContainer] = useState<HTMLElement | null>(null);
  return (
    <div ref={setContainer}>
      <BaseTooltip.Root handle={handle}>
        {({ payload }) => (
          <BaseTooltip.Portal container={container}>
            <BaseTooltip.Positioner sideOffset={6} collisionPadding={8} className="z-50">
              <BaseTooltip.Popup className="max-w-80 origin-(--transform-origin) rounded-lg bg-raised px-3 py-2 text-[0.8125rem] shadow-popup transition-opacity duration-100 data-ending-style:opacity-0 data-instant:duration-0 data-starting-style:opacity-0">
                {payload}
              </BaseTooltip.Popup>
            </BaseTooltip.Positioner>
          </BaseTooltip.Portal>
        )}
      </BaseTooltip.Root>
    </div>
  );
}
