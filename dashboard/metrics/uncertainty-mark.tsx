import { TriangleAlert } from 'lucide-react';
import { classNames } from '#dashboard/components/class-names.ts';
import { Tooltip } from '#dashboard/components/overlay/tooltip.tsx';
import { approximately } from '#dashboard/components/values/usd-format.ts';
import { describeUncertainty, type UncertainSum } from './uncertainty.ts';

interface UncertaintyMarkProps {
  sum: UncertainSum;
  /** Inside a link, and in long lists, the mark takes no focus of its own. */
  isPassive?: boolean;
}

/** Stands before a sum of costs that is not certain, and says why in a tooltip and to screen readers. */
export function UncertaintyMark({ sum, isPassive = false }: UncertaintyMarkProps) {
  const text = describeUncertainty(sum);
  if (text === null) return null;
  const isIncomplete = sum.unpriced_requests > 0;
  const tone = isIncomplete ? 'text-warning' : 'text-muted';
  const content = (
    <>
      {isIncomplete ? (
        <TriangleAlert aria-hidden className="size-3.5" />
      ) : (
        <span aria-hidden className="text-base/none">
          {approximately.trim()}
        </span>
      )}
      <span className="sr-only">{text}</span>
    </>
  );
  if (isPassive) {
    return (
      <Tooltip content={text}>
        <span className={classNames('inline-flex self-center', tone)}>{content}</span>
      </Tooltip>
    );
  }
  return (
    <Tooltip content={text} opensOnClick>
      <button
        type="button"
        className={classNames('-m-1 inline-flex size-6 items-center justify-center rounded-sm', tone)}
      >
        {content}
      </button>
    </Tooltip>
  );
}
