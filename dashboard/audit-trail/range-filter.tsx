import { CalendarDays, ChevronDown, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button, IconButton } from '#dashboard/components/button.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { browserTimeZone, zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { usePersonTimeZone, useSaveTimeZone } from '#dashboard/range/person-zone.ts';
import type { Range } from '#dashboard/range/range.ts';
import { type AuditSearch, isAllTime } from './search.ts';

const RangePopover = lazyComponent(() => import('#dashboard/range/picker/range-popover.tsx'), 'RangePopover');

interface RangeFilterProps {
  search: AuditSearch;
  range: Range;
  onChange: (change: AuditSearch) => void;
}

const allTime = { range: undefined, start: undefined, end: undefined };

/** The time of the records: all of it, or the same choice as in other views. */
export function RangeFilter({ search, range, onChange }: RangeFilterProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const ownTimeZone = usePersonTimeZone();
  const saveTimeZone = useSaveTimeZone();
  return (
    <div className="col-span-2 flex min-w-0 items-center gap-1">
      <Button
        ref={button}
        size="small"
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen((wasOpen) => !wasOpen)}
      >
        <CalendarDays aria-hidden className="text-muted" />
        <span className="sr-only">Time range: </span>
        {range.title}
        <span className="font-normal text-muted sm:max-lg:sr-only">{zoneTitle(range.timeZone)}</span>
        <ChevronDown aria-hidden className="text-muted" />
      </Button>
      {!isAllTime(search) && (
        <IconButton label="Show all time" onClick={() => onChange(allTime)}>
          <X aria-hidden />
        </IconButton>
      )}
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
