import { ChevronLeft, ChevronRight } from 'lucide-react';
import { DayPicker } from 'react-day-picker';
import { dateFormat } from '#dashboard/components/values/locale.ts';

/** Dates, such as `2026-11-23`. */
export interface DateSpan {
  first: string;
  /** Null until it is chosen. */
  last: string | null;
}

interface CalendarProps {
  selected: DateSpan;
  /** The last day that can be chosen. */
  today: string;
  onSelect: (span: DateSpan) => void;
}

const navigationClasses =
  'inline-flex size-8 items-center justify-center rounded-md text-muted transition-colors hover:bg-hover hover:text-text aria-disabled:opacity-40';

export function Calendar({ selected, today, onSelect }: CalendarProps) {
  const { first, last } = selected;
  const range = { from: calendarDay(first), to: last === null ? undefined : calendarDay(last) };
  return (
    <DayPicker
      mode="range"
      required
      resetOnSelect
      selected={range}
      onSelect={({ from, to }) =>
        from !== undefined &&
        onSelect({ first: dateOfDay(from), last: to === undefined ? null : dateOfDay(to) })
      }
      defaultMonth={range.to ?? range.from}
      today={calendarDay(today)}
      endMonth={calendarDay(today)}
      disabled={{ after: calendarDay(today) }}
      // As the weeks of the presets do.
      weekStartsOn={1}
      formatters={{
        formatCaption: (month) => dateFormat({ month: 'long', year: 'numeric' }).format(month),
        formatWeekdayName: (day) => dateFormat({ weekday: 'short' }).format(day),
      }}
      labels={{
        labelDayButton: (day, { today: isToday, selected: isSelected }) =>
          [
            isToday && 'Today,',
            dateFormat({ dateStyle: 'full' }).format(day) + (isSelected ? ',' : ''),
            isSelected && 'selected',
          ]
            .filter(Boolean)
            .join(' '),
        labelGrid: (month) => dateFormat({ month: 'long', year: 'numeric' }).format(month),
        labelWeekday: (day) => dateFormat({ weekday: 'long' }).format(day),
        labelPrevious: () => 'Previous month',
        labelNext: () => 'Next month',
      }}
      components={{
        Chevron: ({ orientation }) =>
          orientation === 'left' ? (
            <ChevronLeft aria-hidden className="size-4" />
          ) : (
            <ChevronRight aria-hidden className="size-4" />
          ),
      }}
      classNames={{
        // As high as six weeks.
        months: 'relative min-h-69 sm:min-h-75',
        month_caption: 'flex h-8 items-center px-1 font-medium',
        nav: 'absolute top-0 right-0 flex gap-1',
        button_previous: navigationClasses,
        button_next: navigationClasses,
        month_grid: 'mt-2 w-full table-fixed border-collapse',
        weekday: 'h-8 text-center text-xs font-normal text-muted',
        day: 'group p-0 py-px text-center',
        day_button:
          'h-8 w-full rounded-md tabular-nums transition-colors enabled:hover:bg-hover sm:h-9 focus-visible:relative focus-visible:-outline-offset-2 disabled:text-placeholder disabled:opacity-50 group-data-selected:rounded-none group-data-selected:bg-selected group-[.first-day]:rounded-l-md group-[.last-day]:rounded-r-md group-[.first-day]:bg-primary group-[.last-day]:bg-primary group-[.first-day]:text-on-primary group-[.last-day]:text-on-primary group-[.first-day]:enabled:hover:bg-primary-hover group-[.last-day]:enabled:hover:bg-primary-hover',
        today: 'font-semibold text-accent',
        range_start: 'first-day',
        range_end: 'last-day',
        hidden: 'invisible',
      }}
    />
  );
}

/** The calendar has days of the browser's zone, which stand for dates of any zone. */
export function calendarDay(date: string): Date {
  const [year, month, day] = date.split('-').map(Number);
  return new Date(year ?? 0, (month ?? 1) - 1, day);
}

export function dateOfDay(day: Date): string {
  const pad = (value: number, digits: number) => String(value).padStart(digits, '0');
  return `${pad(day.getFullYear(), 4)}-${pad(day.getMonth() + 1, 2)}-${pad(day.getDate(), 2)}`;
}
