import { X } from 'lucide-react';
import { IconButton } from '#dashboard/components/button.tsx';
import type { Range } from '#dashboard/range/range.ts';
import { RangeButton } from '#dashboard/range/range-button.tsx';
import { type AuditSearch, isAllTime } from './search.ts';

interface RangeFilterProps {
  search: AuditSearch;
  range: Range;
  onChange: (change: AuditSearch) => void;
}

const allTime = { range: undefined, start: undefined, end: undefined };

/** The time of the records: all of it, or the same choice as in other views. */
export function RangeFilter({ search, range, onChange }: RangeFilterProps) {
  return (
    <div className="col-span-2 flex min-w-0 items-center gap-1">
      <RangeButton size="small" hidesZone range={range} onChange={onChange} />
      {!isAllTime(search) && (
        <IconButton label="Show all time" onClick={() => onChange(allTime)}>
          <X aria-hidden />
        </IconButton>
      )}
    </div>
  );
}
