import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import { Check } from 'lucide-react';
import { Suspense, useState } from 'react';
import { Button } from '#dashboard/components/button.tsx';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { lazyComponent } from '#dashboard/components/load-code.ts';
import { zoneTitle } from '#dashboard/components/values/time-zone.ts';
import { type PresetName, presetNames, presetTitle, type Range, type RangeSearch } from '../range.ts';

const CustomRange = lazyComponent(() => import('./custom-range.tsx'), 'CustomRange');

const ZoneChoice = lazyComponent(() => import('./zone-choice.tsx'), 'ZoneChoice');

export interface RangeChoicesProps {
  range: Range;
  onRangeChange: (search: Pick<RangeSearch, 'range' | 'start' | 'end'>) => void;
  ownTimeZone: string;
  /** With `null`, for the zone of each browser. */
  onTimeZoneChange: (timeZone: string | null) => void;
}

/** Presets, a calendar, and the time zone of days. */
export function RangeChoices({ range, ownTimeZone, onRangeChange, onTimeZoneChange }: RangeChoicesProps) {
  const [isChoosingZone, setChoosingZone] = useState(false);
  if (isChoosingZone) {
    return (
      <div className="w-80 max-w-full">
        <Suspense fallback={<Skeleton className="h-80 w-full" />}>
          <ZoneChoice value={range.timeZone} onChoose={onTimeZoneChange} />
        </Suspense>
        <p className="border-t border-line px-4 py-3 text-[0.8125rem] text-muted">
          Kept in your profile, for all times on all pages. Billing stays in UTC.
        </p>
      </div>
    );
  }
  return (
    <div className="w-80 max-w-full sm:w-auto">
      <div className="flex flex-col sm:flex-row">
        <Presets
          value={range.preset}
          onValueChange={(preset) => onRangeChange({ range: preset, start: undefined, end: undefined })}
        />
        <div className="border-line p-4 not-first:border-t sm:w-76 sm:not-first:border-t-0 sm:not-first:border-l">
          <Suspense fallback={<Skeleton className="h-120 w-full" />}>
            <CustomRange range={range} onApply={(bounds) => onRangeChange({ range: undefined, ...bounds })} />
          </Suspense>
        </div>
      </div>
      <TimeZone value={range.timeZone} own={ownTimeZone} onChange={() => setChoosingZone(true)} />
    </div>
  );
}

interface PresetsProps {
  /** Null for a custom range. */
  value: PresetName | null;
  onValueChange: (preset: PresetName) => void;
}

function Presets({ value, onValueChange }: PresetsProps) {
  return (
    <ToggleGroup
      aria-label="Presets"
      orientation="vertical"
      value={value === null ? [] : [value]}
      // Also when the chosen one is chosen again, which closes the popup.
      onValueChange={([chosen]) => onValueChange(chosen ?? value ?? '30d')}
      className="grid grid-cols-2 content-start gap-0.5 p-2 sm:w-44 sm:grid-cols-1"
    >
      {presetNames.map((name) => (
        <Toggle
          key={name}
          value={name}
          className="group flex h-8.5 items-center justify-between gap-2 rounded-md px-2.5 text-left text-muted transition-colors hover:bg-hover hover:text-text focus-visible:-outline-offset-2 data-pressed:bg-selected data-pressed:font-medium data-pressed:text-text"
        >
          {presetTitle(name)}
          <Check aria-hidden className="hidden size-4 shrink-0 group-data-pressed:block" />
        </Toggle>
      ))}
    </ToggleGroup>
  );
}

interface TimeZoneProps {
  value: string;
  /** The zone of the person who reads the link. */
  own: string;
  onChange: () => void;
}

/** The zone in which days begin and times are shown, which the link contains. */
function TimeZone({ value, own, onChange }: TimeZoneProps) {
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-3 text-[0.8125rem]">
      <p className="min-w-0 text-muted">
        Times in <span className="font-medium text-text">{zoneTitle(value)}</span>
        {zoneTitle(value) !== zoneTitle(own) && (
          <span className="block">This link's zone. Yours is {zoneTitle(own)}.</span>
        )}
      </p>
      <Button size="small" onClick={onChange}>
        Change time zone
      </Button>
    </div>
  );
}
