import { Toggle } from '@base-ui/react/toggle';
import { ToggleGroup } from '@base-ui/react/toggle-group';
import { Check } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { Skeleton } from '#dashboard/components/feedback/skeletons.tsx';
import { type PresetName, presetNames, presetTitle, type Range, type RangeSearch } from '../range.ts';
import { browserTimeZone, isUtc, zoneTitle } from '../zone.ts';

const CustomRange = lazy(() =>
  import('./custom-range.tsx').then((module) => ({ default: module.CustomRange })),
);

export interface RangeChoicesProps {
  range: Range;
  onRangeChange: (search: Pick<RangeSearch, 'range' | 'start' | 'end'>) => void;
  /** Without a zone: days of UTC. */
  onTimeZoneChange: (timeZone: string | undefined) => void;
}

/** Presets, a calendar, and the time zone of days. */
export function RangeChoices({ range, onRangeChange, onTimeZoneChange }: RangeChoicesProps) {
  return (
    <div className="w-80 max-w-full sm:w-auto">
      <div className="flex flex-col sm:flex-row">
        <Presets
          value={range.preset}
          onValueChange={(preset) => onRangeChange({ range: preset, start: undefined, end: undefined })}
        />
        <div className="border-line p-4 not-first:border-t sm:w-76 sm:not-first:border-t-0 sm:not-first:border-l">
          <Suspense fallback={<Skeleton className="h-92 w-full" />}>
            <CustomRange range={range} onApply={(bounds) => onRangeChange({ range: undefined, ...bounds })} />
          </Suspense>
        </div>
      </div>
      <TimeZoneChoice value={range.timeZone} onValueChange={onTimeZoneChange} />
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

interface TimeZoneChoiceProps {
  value: string;
  onValueChange: (timeZone: string | undefined) => void;
}

/** UTC, the zone of the browser, and that of the link if it is another one. Nothing if all of these are UTC. */
function TimeZoneChoice({ value, onValueChange }: TimeZoneChoiceProps) {
  const zones = [...new Set(['UTC', browserTimeZone(), value])].filter(
    (zone) => zone === 'UTC' || !isUtc(zone),
  );
  if (zones.length === 1) return null;
  return (
    <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-t border-line px-4 py-3">
      <p id="time-zone-label" className="text-[0.8125rem] text-muted">
        Days in
      </p>
      <ToggleGroup
        aria-labelledby="time-zone-label"
        value={[isUtc(value) ? 'UTC' : value]}
        onValueChange={([chosen]) =>
          chosen !== undefined && onValueChange(chosen === 'UTC' ? undefined : chosen)
        }
        className="flex min-w-0 flex-wrap gap-0.5 rounded-lg border border-line bg-hover p-0.5"
      >
        {zones.map((zone) => (
          <Toggle
            key={zone}
            value={zone}
            className="min-h-7 rounded-md px-2.5 text-[0.8125rem] font-medium text-muted transition-colors hover:text-text data-pressed:bg-[light-dark(#fff,#3a3a41)] data-pressed:text-text data-pressed:shadow-card"
          >
            {zoneTitle(zone)}
          </Toggle>
        ))}
      </ToggleGroup>
    </div>
  );
}
