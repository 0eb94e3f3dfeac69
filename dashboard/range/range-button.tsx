import { CalendarDays, ChevronDown } from 'lucide-react';
import { type ComponentProps, useRef, useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { browserTimeZone, zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { usePersonTimeZone, useSaveTimeZone } from './person-zone.ts';
import type { Range, RangeSearch } from './range.ts';

const RangePopover = lazyComponent(() => import('./picker/range-popover.tsx'), 'RangePopover');

interface RangeButtonProps {
  range: Range;
  onChange: (change: RangeSearch) => void;
  size?: ComponentProps<typeof Button>['size'];
  /** The zone is only for screen readers on tablets, where filters are in one line. */
  hidesZone?: boolean;
}

/** Shows a range with its time zone, and opens the choice of both. A time zone that is chosen becomes that of the person. */
export function RangeButton({ range, onChange, size, hidesZone = false }: RangeButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const ownTimeZone = usePersonTimeZone();
  const saveTimeZone = useSaveTimeZone();
  return (
    <div className="min-w-0">
      <Button
        ref={button}
        size={size}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen((wasOpen) => !wasOpen)}
      >
        <CalendarDays aria-hidden className="text-muted" />
        <span className="sr-only">Time range: </span>
        {range.title}
        <span className={classNames('font-normal text-muted', hidesZone && 'sm:max-lg:sr-only')}>
          {zoneTitle(range.timeZone)}
        </span>
        <ChevronDown aria-hidden className="text-muted" />
      </Button>
      <OnceOpened open={isOpen}>
        <RangePopover
          open={isOpen}
          onOpenChange={setOpen}
          button={button}
          range={range}
          onRangeChange={onChange}
          ownTimeZone={ownTimeZone}
          onTimeZoneChange={(timeZone) => {
            onChange({ time_zone: timeZone ?? browserTimeZone() });
            saveTimeZone.mutate(timeZone);
          }}
        />
      </OnceOpened>
    </div>
  );
}
