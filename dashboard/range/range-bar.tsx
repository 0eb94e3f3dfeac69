import { useNavigate, useSearch } from '@tanstack/react-router';
import { CalendarDays, ChevronDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { OnceOpened } from '#dashboard/components/overlay/once-opened.tsx';
import { browserTimeZone, useTimeZone, zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { minuteMs } from '#lambdas/platform/duration.ts';
import { usePersonTimeZone, useSaveTimeZone } from './person-zone.ts';
import { parseRangeSearch, type Range, type RangeSearch, resolveRange } from './range.ts';

const RangePopover = lazyComponent(() => import('./picker/range-popover.tsx'), 'RangePopover');

/** The choice of the range and the time zone, which changes the view's link. */
export function RangeBar() {
  const range = useRange();
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const ownTimeZone = usePersonTimeZone();
  const saveTimeZone = useSaveTimeZone();

  const change = (search: RangeSearch) =>
    navigate({
      to: '.',
      search: (previous: object) => ({ ...previous, ...search }),
      replace: true,
      resetScroll: false,
    });

  return (
    <div className="min-w-0">
      <Button
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={isOpen}
        onClick={() => setOpen((wasOpen) => !wasOpen)}
      >
        <CalendarDays aria-hidden className="text-muted" />
        <span className="sr-only">Time range: </span>
        {range.title}
        <span className="font-normal text-muted">{zoneTitle(range.timeZone)}</span>
        <ChevronDown aria-hidden className="text-muted" />
      </Button>
      <OnceOpened open={isOpen}>
        <RangePopover
          open={isOpen}
          onOpenChange={setOpen}
          button={button}
          range={range}
          onRangeChange={change}
          ownTimeZone={ownTimeZone}
          onTimeZoneChange={(timeZone) => {
            change({ time_zone: timeZone ?? browserTimeZone() });
            saveTimeZone.mutate(timeZone);
          }}
        />
      </OnceOpened>
    </div>
  );
}

/** The range of the view's link. A range up to the present moves on with every minute, while the page is visible. */
export function useRange(): Range {
  const search = useRangeSearch();
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const moveOn = () => {
      if (document.visibilityState === 'visible') setNow(new Date());
    };
    const interval = setInterval(moveOn, minuteMs);
    document.addEventListener('visibilitychange', moveOn);
    return () => {
      clearInterval(interval);
      document.removeEventListener('visibilitychange', moveOn);
    };
  }, []);
  return resolveRange(search, now);
}

/** The part of the view's link that links to other views keep. */
export function useRangeSearch(): RangeSearch {
  const timeZone = useTimeZone();
  const search = parseRangeSearch(useSearch({ strict: false }));
  return { ...search, time_zone: search.time_zone ?? timeZone };
}
