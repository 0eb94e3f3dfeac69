import { Info } from 'lucide-react';
import { classNames } from '../class-names.ts';
import { Tooltip } from '../overlay/tooltip.tsx';
import { type OutcomeTone, outcomeLooks } from './outcome.ts';
import { toneClasses } from './status-code.tsx';

/** The outcomes by colour, such as "Provider error, Timeout, Interrupted". */
export function legendOf(): { tone: OutcomeTone; text: string }[] {
  const byTone = Map.groupBy(Object.values(outcomeLooks), ({ tone }) => tone);
  return [...byTone].map(([tone, looks]) => ({ tone, text: looks.map(({ title }) => title).join(', ') }));
}

/** Explains the colours of the statuses. */
export function StatusLegend() {
  return (
    <Tooltip
      content={
        <ul className="flex flex-col gap-1">
          {legendOf().map(({ tone, text }) => (
            <li
              key={tone}
              className={classNames(
                'w-fit rounded-full border px-2 py-0.5 text-xs font-medium',
                toneClasses[tone],
              )}
            >
              {text}
            </li>
          ))}
        </ul>
      }
      opensOnClick
    >
      <button
        type="button"
        aria-label="Colours of the statuses"
        className="-m-1 inline-flex size-6 shrink-0 items-center justify-center rounded-sm hover:text-text"
      >
        <Info aria-hidden className="size-3" />
      </button>
    </Tooltip>
  );
}
