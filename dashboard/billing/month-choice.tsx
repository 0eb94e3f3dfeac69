import { Picker } from '#dashboard/components/forms/picker.tsx';
import { monthTitle } from './months.ts';

export interface MonthChoiceProps {
  month: string;
  /** The months to choose from, the newest first. */
  months: readonly string[];
  onMonthChange: (month: string) => void;
}

/** A choice among the months, and the one that is shown. */
export function MonthChoice({ month, months, onMonthChange }: MonthChoiceProps) {
  const offered = months.includes(month) ? months : [...months, month];
  return (
    <div className="w-44">
      <Picker
        label="Month"
        showsLabel={false}
        size="medium"
        options={offered.map((value) => ({ value, label: monthTitle(value) }))}
        value={month}
        onValueChange={onMonthChange}
      />
    </div>
  );
}
