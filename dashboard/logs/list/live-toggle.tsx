import { Toggle } from '@base-ui/react/toggle';
import { useEffect, useRef, useState } from 'react';
import { buttonClasses } from '#dashboard/components/button.tsx';
import { classNames } from '#dashboard/components/class-names.ts';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';
import { formatCount } from '#dashboard/components/values/number-format.ts';

interface LiveToggleProps {
  isLive: boolean;
  /** False for a range that ends in the past. */
  isAvailable: boolean;
  error: Error | null;
  /** The number of entries that have arrived while it was on. */
  arrived: number;
  onChange: (isLive: boolean) => void;
}

/** Follows new requests while it is on. */
export function LiveToggle({ isLive, isAvailable, error, arrived, onChange }: LiveToggleProps) {
  const explanation = isAvailable
    ? (error?.message ?? 'Adds new requests as they end, every two seconds')
    : 'Live needs a range up to the present';
  return (
    <>
      <Tooltip content={explanation}>
        <Toggle
          pressed={isLive}
          disabled={!isAvailable}
          onPressedChange={onChange}
          className={classNames(
            buttonClasses({ size: 'small' }),
            'data-pressed:border-success-line data-pressed:bg-success-soft data-pressed:text-success',
          )}
        >
          <span
            aria-hidden
            className={classNames(
              'size-2 rounded-full',
              !isLive && 'bg-placeholder',
              isLive && (error ? 'bg-warning' : 'animate-pulse bg-success'),
            )}
          />
          Live
        </Toggle>
      </Tooltip>
      <Announcement arrived={arrived} />
    </>
  );
}

const pauseMs = 5000;

/** Counts new requests for screen readers, every few seconds at most. */
function Announcement({ arrived }: { arrived: number }) {
  const [text, setText] = useState('');
  const latest = useRef(arrived);
  latest.current = arrived;
  const announced = useRef(arrived);
  useEffect(() => {
    const interval = setInterval(() => {
      const count = latest.current - announced.current;
      announced.current = latest.current;
      if (count > 0) setText(`${formatCount(count)} new ${count === 1 ? 'request' : 'requests'}`);
    }, pauseMs);
    return () => clearInterval(interval);
  }, []);
  return (
    <span role="status" className="sr-only">
      {text}
    </span>
  );
}
