import { CircleCheck, CircleMinus, CornerDownRight } from 'lucide-react';
import { classNames } from '#dashboard/components/class-names.ts';
import { Notice } from '#dashboard/components/feedback/notice.tsx';
import type { RouteTest, TestedTarget } from '#lambdas/accounts/analytics/responses.ts';
import type { RouteStrategy } from '#lambdas/routing/route.ts';
import { decisionText, measureText } from './words.ts';

interface TestResultProps {
  result: RouteTest;
  strategy: RouteStrategy;
}

/** The decision about each target of a route for a request, in words. */
export function TestResult({ result: { target, targets }, strategy }: TestResultProps) {
  return (
    <div className="flex flex-col gap-3">
      {target === null ? (
        <Notice tone="warning" role="status" title="No target could serve this request">
          It would be refused with the status 400, and these reasons.
        </Notice>
      ) : (
        <Notice
          tone="success"
          role="status"
          title={
            strategy === 'weight'
              ? `${target} could serve this request`
              : `${target} would serve this request`
          }
        >
          {strategy === 'weight' && 'Each request chooses anew, by the weights.'}
        </Notice>
      )}
      <ol aria-label="Targets" className="divide-y divide-line rounded-lg border border-line">
        {targets.map((each, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two targets may have the same model
          <TargetDecision key={index} target={each} strategy={strategy} />
        ))}
      </ol>
    </div>
  );
}

const looks: Record<TestedTarget['decision'], { Icon: typeof CircleCheck; colour: string }> = {
  first: { Icon: CircleCheck, colour: 'text-success' },
  next: { Icon: CornerDownRight, colour: 'text-muted' },
  spare: { Icon: CircleMinus, colour: 'text-muted' },
  skipped: { Icon: CircleMinus, colour: 'text-warning' },
};

function TargetDecision({ target, strategy }: { target: TestedTarget; strategy: RouteStrategy }) {
  const { Icon, colour } = looks[target.decision];
  const measure = measureText(target, strategy);
  return (
    <li className="flex items-start gap-2.5 px-3.5 py-2.5">
      <Icon aria-hidden className={classNames('mt-0.5 size-4 shrink-0', colour)} />
      <div className="min-w-0 flex-1">
        <p className="font-medium wrap-anywhere">{target.model}</p>
        <p className="text-[0.8125rem] text-muted">{decisionText(target)}</p>
      </div>
      {measure !== null && <p className="shrink-0 text-[0.8125rem] text-muted tabular-nums">{measure}</p>}
    </li>
  );
}
