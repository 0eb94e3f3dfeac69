import { Popover } from '@base-ui/react/popover';
import { type RefObject, useRef, useState } from 'react';
import { RangeChoices, type RangeChoicesProps } from './choices.tsx';

interface RangePopoverProps extends RangeChoicesProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
  /** Opens and closes it. */
  button: RefObject<HTMLButtonElement | null>;
}

export function RangePopover({
  open,
  onOpenChange,
  button,
  onRangeChange,
  onTimeZoneChange,
  ...choices
}: RangePopoverProps) {
  // The choices stay in the landmark of their button.
  const [container, setContainer] = useState<HTMLElement | null>(null);
  const popup = useRef<HTMLDivElement>(null);
  return (
    <>
      <div ref={setContainer} />
      <Popover.Root
        open={open}
        onOpenChange={(isOpen, { event }) => {
          // A press on the button is no press outside: the button closes the popover itself.
          if (!(event.target instanceof Node && button.current?.contains(event.target))) onOpenChange(isOpen);
        }}
      >
        <Popover.Portal container={container}>
          <Popover.Positioner
            anchor={button}
            align="end"
            sideOffset={6}
            collisionPadding={8}
            className="z-40 outline-none"
          >
            <Popover.Popup
              ref={popup}
              initialFocus={() => popup.current?.querySelector<HTMLElement>('[aria-pressed="true"]') ?? true}
              finalFocus={button}
              className="max-h-(--available-height) max-w-(--available-width) origin-(--transform-origin) overflow-y-auto rounded-xl bg-raised shadow-popup outline-none transition-[opacity,scale] duration-100 data-ending-style:opacity-0 data-starting-style:scale-98 data-starting-style:opacity-0"
            >
              <Popover.Title className="sr-only">Time range</Popover.Title>
              <RangeChoices
                {...choices}
                onRangeChange={(search) => {
                  onOpenChange(false);
                  onRangeChange(search);
                }}
                onTimeZoneChange={(timeZone) => {
                  onOpenChange(false);
                  onTimeZoneChange(timeZone);
                }}
              />
            </Popover.Popup>
          </Popover.Positioner>
        </Popover.Portal>
      </Popover.Root>
    </>
  );
}
